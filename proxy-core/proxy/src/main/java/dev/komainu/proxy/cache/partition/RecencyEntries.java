package dev.komainu.proxy.cache.partition;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.proxy.cache.CacheEntry;
import dev.komainu.proxy.cache.CachePolicy;
import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Entries under {@link CachePolicy#LRU}: a map, and a list of its nodes in the order of their last
 * use.
 *
 * <pre>
 *   map:   key → node                     the thread that removes a node from the map calls the listener: one thread only
 *   list:  coldest ⇄ node ⇄ … ⇄ latest    follows the map under a lock: NEW → LISTED → GONE, or NEW → GONE at once
 * </pre>
 *
 * The map is changed first, the list afterwards. Two writers of one key may reach the list in the
 * wrong order, so a node that left the map before it was listed is GONE and is never listed. Only
 * LISTED nodes count in the weight. A hit that finds the lock held adds its node to
 * {@link #pending} for the next holder; when {@value #MAX_PENDING} are pending, the hit is not
 * recorded. The order is exact for one thread, and nearly exact for several.
 */
final class RecencyEntries implements CacheEntries {

    private static final int MAX_PENDING = 128;

    private enum State {
        NEW,
        LISTED,
        GONE
    }

    /**
     * One entry's position in the list; another entry under the same key has another node. Links,
     * state and weight are guarded by the lock.
     */
    private static final class Node {
        final @Nullable CacheKey key;
        final @Nullable CacheEntry entry;
        State state = State.NEW;
        /** Weight at the time of listing. */
        long weight;

        Node colder = this;
        Node newer = this;

        Node(@Nullable CacheKey key, @Nullable CacheEntry entry) {
            this.key = key;
            this.entry = entry;
        }
    }

    private final RemovalListener listener;
    private final ConcurrentHashMap<CacheKey, Node> map = new ConcurrentHashMap<>();
    private final AtomicReferenceArray<@Nullable Node> pending =
            new AtomicReferenceArray<>(MAX_PENDING);
    private final AtomicInteger pendingCount = new AtomicInteger();

    private final ReentrantLock lock = new ReentrantLock();
    // Guarded by the lock. The ring starts and ends in a node without an entry: behind it the
    // coldest node, before it the latest.
    private final Node ring = new Node(null, null);
    private long weight;
    private long maximum;

    RecencyEntries(long maximum, RemovalListener listener) {
        this.maximum = maximum;
        this.listener = listener;
    }

    @Override
    public @Nullable CacheEntry get(CacheKey key) {
        Node node = map.get(key);
        if (node == null) {
            return null;
        }
        if (lock.tryLock()) {
            try {
                drain();
                use(node);
            } finally {
                lock.unlock();
            }
        } else {
            int index = pendingCount.getAndIncrement();
            if (index >= 0 && index < MAX_PENDING) {
                pending.set(index, node);
            }
        }
        return node.entry;
    }

    @Override
    public void put(CacheKey key, CacheEntry entry) {
        Node added = new Node(key, entry);
        updateList(map.put(key, added), added);
    }

    @Override
    public boolean replace(CacheKey key, CacheEntry before, CacheEntry added) {
        Node old = map.get(key);
        if (old == null || old.entry != before) {
            return false;
        }
        Node updated = new Node(key, added);
        if (!map.replace(key, old, updated)) {
            return false;
        }
        updateList(old, updated);
        return true;
    }

    @Override
    public void compute(
            CacheKey key,
            long expected,
            BiFunction<CacheKey, @Nullable CacheEntry, @Nullable CacheEntry> remapping) {
        Node[] change = new Node[2];
        map.compute(key, (k, before) -> {
            CacheEntry previous = before == null ? null : before.entry;
            CacheEntry updated = remapping.apply(k, previous);
            if (updated == previous) {
                return before;
            }
            change[0] = before;
            change[1] = updated == null ? null : new Node(k, updated);
            return change[1];
        });
        if (change[0] != null || change[1] != null) {
            updateList(change[0], change[1]);
        }
    }

    @Override
    public @Nullable CacheEntry remove(CacheKey key) {
        Node old = map.remove(key);
        if (old == null) {
            return null;
        }
        updateList(old, null);
        return old.entry;
    }

    @Override
    public boolean remove(CacheKey key, CacheEntry entry) {
        Node old = map.get(key);
        if (old == null || old.entry != entry || !map.remove(key, old)) {
            return false;
        }
        updateList(old, null);
        return true;
    }

    /**
     * Updates the list after a change of the map, and evicts the coldest entries until the maximum
     * holds.
     */
    private void updateList(@Nullable Node old, @Nullable Node added) {
        lock.lock();
        try {
            drain();
            if (old != null) {
                unlist(old);
            }
            if (added != null) {
                list(added);
            }
        } finally {
            lock.unlock();
        }
        if (old != null) {
            notifyRemoval(old, false);
        }
        evictSurplus();
    }

    /** Evicts the coldest entries until the total weight is at most the maximum. */
    private void evictSurplus() {
        for (Node coldest = takeColdest(0, true); coldest != null; coldest = takeColdest(0, true)) {
            removeFromMap(coldest, true);
        }
    }

    /**
     * Removes the coldest node from the list.
     *
     * @param limit returns null when the node weighs more; 0: no limit
     * @param surplus returns null unless the total weight exceeds the maximum
     */
    private @Nullable Node takeColdest(long limit, boolean surplus) {
        lock.lock();
        try {
            drain();
            Node coldest = ring.newer;
            if (coldest == ring
                    || (surplus && weight <= maximum)
                    || (limit > 0 && coldest.weight > limit)) {
                return null;
            }
            unlist(coldest);
            return coldest;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Removes an unlisted node from the map, unless another thread removed it before and calls the
     * listener.
     */
    private boolean removeFromMap(Node node, boolean evicted) {
        CacheKey key = node.key;
        CacheEntry entry = node.entry;
        if (key == null || entry == null) {
            return false;
        }
        boolean[] removed = new boolean[1];
        map.computeIfPresent(key, (k, current) -> {
            if (current != node) {
                return current;
            }
            listener.onEviction(k, entry);
            removed[0] = true;
            return null;
        });
        boolean own = removed[0];
        if (own) {
            notifyRemoval(node, evicted);
        }
        return own;
    }

    private void notifyRemoval(Node node, boolean evicted) {
        if (node.key != null && node.entry != null) {
            listener.onRemoval(node.key, node.entry, evicted);
        }
    }

    private void drain() {
        int count = Math.min(pendingCount.get(), MAX_PENDING);
        if (count == 0) {
            return;
        }
        for (int i = 0; i < count; i++) {
            Node node = pending.getAndSet(i, null);
            if (node != null) {
                use(node);
            }
        }
        pendingCount.set(0);
    }

    private void use(Node node) {
        if (node.state == State.LISTED && node.newer != ring) {
            unlink(node);
            link(node);
        }
    }

    private void list(Node node) {
        if (node.state == State.NEW && node.entry != null) {
            node.state = State.LISTED;
            node.weight = node.entry.weight();
            weight += node.weight;
            link(node);
        }
    }

    private void unlist(Node node) {
        if (node.state == State.LISTED) {
            unlink(node);
            weight -= node.weight;
        }
        node.state = State.GONE;
    }

    private void link(Node node) {
        node.colder = ring.colder;
        node.newer = ring;
        ring.colder.newer = node;
        ring.colder = node;
    }

    private static void unlink(Node node) {
        node.colder.newer = node.newer;
        node.newer.colder = node.colder;
        node.colder = node;
        node.newer = node;
    }

    @Override
    public Iterable<Map.Entry<CacheKey, CacheEntry>> all() {
        return () -> {
            Iterator<Map.Entry<CacheKey, Node>> nodes = map.entrySet().iterator();
            return new Iterator<>() {
                @Override
                public boolean hasNext() {
                    return nodes.hasNext();
                }

                @Override
                @SuppressWarnings("NullAway") // what is in the map has an entry
                public Map.Entry<CacheKey, CacheEntry> next() {
                    Map.Entry<CacheKey, Node> next = nodes.next();
                    return new SimpleImmutableEntry<>(next.getKey(), next.getValue().entry);
                }
            };
        };
    }

    @Override
    public int dropColdest(long limit) {
        int dropped = 0;
        long remaining = limit;
        while (dropped == 0 || remaining > 0) {
            Node coldest = takeColdest(dropped == 0 ? 0 : remaining, false);
            if (coldest == null) {
                return dropped;
            }
            remaining -= coldest.weight;
            if (removeFromMap(coldest, false)) {
                dropped++;
            }
        }
        return dropped;
    }

    @Override
    public void dropAll() {
        for (CacheKey key : map.keySet()) {
            remove(key);
        }
    }

    @Override
    public long weight() {
        lock.lock();
        try {
            return weight;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void maximum(long limit) {
        lock.lock();
        try {
            maximum = limit;
        } finally {
            lock.unlock();
        }
        evictSurplus();
    }

    @Override
    public long count() {
        return map.mappingCount();
    }
}
