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
 * {@link CachePolicy#LRU}: a map, and a list of its nodes in the order of their last use.
 *
 * <pre>
 *   map:   key → node                      who takes a node out of the map says farewell to it: one thread only
 *   list:  coldest ⇄ node ⇄ … ⇄ latest     follows the map under a lock: NEW → LISTED → GONE, or NEW → GONE at once
 * </pre>
 *
 * The map is changed first, the list behind it: two who write one key may come to the list in the
 * wrong order, so a node that left the map before it was listed is GONE and is not listed any more.
 * Only what is LISTED weighs. A hit that finds the lock taken leaves word in {@link #pending}, for
 * whoever has it next; where {@value #PENDING} wait already, it is forgotten: the order is exact
 * for one thread, and nearly so for several.
 */
final class RecencyEntries implements CacheEntries {

    private static final int PENDING = 128;

    private enum Place {
        NEW,
        LISTED,
        GONE
    }

    /**
     * An entry's place; another entry under the same key has another. Links, place and weight are
     * guarded by the lock.
     */
    private static final class Node {
        final @Nullable CacheKey key;
        final @Nullable CacheEntry entry;
        Place place = Place.NEW;
        /** As it was listed. */
        long weight;

        Node colder = this;
        Node later = this;

        Node(@Nullable CacheKey key, @Nullable CacheEntry entry) {
            this.key = key;
            this.entry = entry;
        }
    }

    private final Farewell farewell;
    private final ConcurrentHashMap<CacheKey, Node> map = new ConcurrentHashMap<>();
    private final AtomicReferenceArray<@Nullable Node> pending =
            new AtomicReferenceArray<>(PENDING);
    private final AtomicInteger waiting = new AtomicInteger();

    private final ReentrantLock lock = new ReentrantLock();
    // Guarded by the lock. The ring begins and ends in a node without an entry: behind it the
    // coldest, before it the latest.
    private final Node ring = new Node(null, null);
    private long weight;
    private long maximum;

    RecencyEntries(long maximum, Farewell farewell) {
        this.maximum = maximum;
        this.farewell = farewell;
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
            int at = waiting.getAndIncrement();
            if (at >= 0 && at < PENDING) {
                pending.set(at, node);
            }
        }
        return node.entry;
    }

    @Override
    public void put(CacheKey key, CacheEntry entry) {
        Node fresh = new Node(key, entry);
        follow(map.put(key, fresh), fresh);
    }

    @Override
    public boolean replace(CacheKey key, CacheEntry before, CacheEntry fresh) {
        Node old = map.get(key);
        if (old == null || old.entry != before) {
            return false;
        }
        Node now = new Node(key, fresh);
        if (!map.replace(key, old, now)) {
            return false;
        }
        follow(old, now);
        return true;
    }

    @Override
    public void compute(
            CacheKey key,
            long expected,
            BiFunction<CacheKey, @Nullable CacheEntry, @Nullable CacheEntry> made) {
        Node[] change = new Node[2];
        map.compute(key, (k, before) -> {
            CacheEntry was = before == null ? null : before.entry;
            CacheEntry now = made.apply(k, was);
            if (now == was) {
                return before;
            }
            change[0] = before;
            change[1] = now == null ? null : new Node(k, now);
            return change[1];
        });
        if (change[0] != null || change[1] != null) {
            follow(change[0], change[1]);
        }
    }

    @Override
    public @Nullable CacheEntry remove(CacheKey key) {
        Node old = map.remove(key);
        if (old == null) {
            return null;
        }
        follow(old, null);
        return old.entry;
    }

    @Override
    public boolean remove(CacheKey key, CacheEntry entry) {
        Node old = map.get(key);
        if (old == null || old.entry != entry || !map.remove(key, old)) {
            return false;
        }
        follow(old, null);
        return true;
    }

    /**
     * After a change of the map: changes the list likewise, and lets the coldest go until the
     * maximum holds.
     */
    private void follow(@Nullable Node old, @Nullable Node fresh) {
        lock.lock();
        try {
            drain();
            if (old != null) {
                unlist(old);
            }
            if (fresh != null) {
                list(fresh);
            }
        } finally {
            lock.unlock();
        }
        if (old != null) {
            say(old, false);
        }
        evictSurplus();
    }

    /** Lets the coldest go until all weigh no more than the maximum. */
    private void evictSurplus() {
        for (Node coldest = takeColdest(0, true); coldest != null; coldest = takeColdest(0, true)) {
            expel(coldest, true);
        }
    }

    /**
     * Takes the coldest off the list.
     *
     * @param most absent when it weighs more; 0: whatever it weighs
     * @param surplus absent unless all weigh more than the maximum
     */
    private @Nullable Node takeColdest(long most, boolean surplus) {
        lock.lock();
        try {
            drain();
            Node coldest = ring.later;
            if (coldest == ring
                    || surplus && weight <= maximum
                    || most > 0 && coldest.weight > most) {
                return null;
            }
            unlist(coldest);
            return coldest;
        } finally {
            lock.unlock();
        }
    }

    /**
     * What is off the list leaves the map, unless somebody took it out before, who says farewell
     * then.
     */
    private boolean expel(Node node, boolean evicted) {
        CacheKey key = node.key;
        CacheEntry entry = node.entry;
        if (key == null || entry == null) {
            return false;
        }
        boolean[] took = new boolean[1];
        map.computeIfPresent(key, (k, there) -> {
            if (there != node) {
                return there;
            }
            farewell.leaving(k, entry);
            took[0] = true;
            return null;
        });
        boolean mine = took[0];
        if (mine) {
            say(node, evicted);
        }
        return mine;
    }

    private void say(Node node, boolean evicted) {
        if (node.key != null && node.entry != null) {
            farewell.left(node.key, node.entry, evicted);
        }
    }

    private void drain() {
        int count = Math.min(waiting.get(), PENDING);
        if (count == 0) {
            return;
        }
        for (int i = 0; i < count; i++) {
            Node node = pending.getAndSet(i, null);
            if (node != null) {
                use(node);
            }
        }
        waiting.set(0);
    }

    private void use(Node node) {
        if (node.place == Place.LISTED && node.later != ring) {
            unlink(node);
            link(node);
        }
    }

    private void list(Node node) {
        if (node.place == Place.NEW && node.entry != null) {
            node.place = Place.LISTED;
            node.weight = node.entry.weight();
            weight += node.weight;
            link(node);
        }
    }

    private void unlist(Node node) {
        if (node.place == Place.LISTED) {
            unlink(node);
            weight -= node.weight;
        }
        node.place = Place.GONE;
    }

    private void link(Node node) {
        node.colder = ring.colder;
        node.later = ring;
        ring.colder.later = node;
        ring.colder = node;
    }

    private static void unlink(Node node) {
        node.colder.later = node.later;
        node.later.colder = node.colder;
        node.colder = node;
        node.later = node;
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
    public int dropColdest(long most) {
        int dropped = 0;
        long left = most;
        while (dropped == 0 || left > 0) {
            Node coldest = takeColdest(dropped == 0 ? 0 : left, false);
            if (coldest == null) {
                return dropped;
            }
            left -= coldest.weight;
            if (expel(coldest, false)) {
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
    public void maximum(long most) {
        lock.lock();
        try {
            maximum = most;
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
