package dev.komainu.organizer.page;

import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.intermediary.purge.PurgeOrder;
import dev.komainu.organizer.page.PageCounts.Kind;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The store of pushed responses, until a client requests them. It is not a cache: it covers the
 * moment between a page and its objects. A response is stored while it is fresh, for
 * {@link PageSettings#life} at most. When there is no space the oldest is evicted.
 *
 * <p>A lookup that finds a push still arriving waits for it to complete
 * ({@link Arriving#whenOver}). The outcome of each push is kept until it can be reported to the
 * member that sent it ({@link #hint}).
 *
 * <p>Thread-safe. Guarded by one lock; the emptiness check takes no lock.
 */
public final class PushStore {

    /** Maximum of stored and arriving pushes. */
    static final int MAX_ENTRIES = 4_096;

    private static final int MAX_PAGES = 512;
    private static final long ENTRY_HEAP = 1_024;
    /**
     * A push that was sent before a purge may arrive within this time after it. Pushes promised in
     * this time are refused.
     */
    private static final long PURGE_MILLIS = 2_000;

    /** Written under this only. */
    private volatile PageSettings settings;

    private final ProxyClock clock;
    private final PageCounts counts;
    /** By URL. Written under this only. */
    private final Map<String, Entry> entries = new ConcurrentHashMap<>();
    /** Whether a member has ever promised a push. */
    private volatile boolean isPushedTo;
    // All guarded by this.
    private final LinkedHashSet<Entry> stored = new LinkedHashSet<>();
    private final LinkedHashMap<String, Set<String>> promised =
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Set<String>> eldest) {
                    return size() > MAX_PAGES;
                }
            };
    private final PushOutcomes outcomes = new PushOutcomes();
    private long storedBytes;
    private long arrivingBytes;
    private long purgedMillis = Long.MIN_VALUE;
    /**
     * Earliest expiry among all stored entries, on the steady clock in milliseconds;
     * {@code Long.MAX_VALUE} when there are none.
     */
    private long earliestExpiry = Long.MAX_VALUE;

    /** The result of a lookup: a stored response or an arriving one. */
    public sealed interface LookupResult {}

    /** A complete response. */
    public record Stored(WholeResponse response) implements LookupResult {}

    /** One push, from its promise on. */
    private static final class Entry {
        private final String url;
        private final String member;
        private final long number;
        private final List<Runnable> waiting = new ArrayList<>();
        private @Nullable WholeResponse response;
        private long bytes;
        private long untilMillis;
        private boolean used;
        private boolean removed;

        Entry(String url, String member, long number) {
            this.url = url;
            this.member = member;
            this.number = number;
        }
    }

    /** A response that is still being received. */
    public final class Arriving implements LookupResult {

        private final Entry entry;

        private Arriving(Entry entry) {
            this.entry = entry;
        }

        /**
         * Records that more of the body was received.
         *
         * @return false: there is no space, or the push was removed
         */
        public boolean received(int bytes) {
            synchronized (PushStore.this) {
                // Arriving pushes may evict stored ones, but at most half of the space.
                if (entry.removed || arrivingBytes + bytes > settings.holdBytes() / 2) {
                    return false;
                }
                entry.bytes += bytes;
                arrivingBytes += bytes;
                makeRoom();
                return true;
            }
        }

        /** Stores the complete response. */
        public void arrived(WholeResponse response) {
            finish(response);
        }

        /** Removes the push: it does not arrive. */
        public void failed() {
            finish(null);
        }

        private void finish(@Nullable WholeResponse response) {
            List<Runnable> waiting = end(entry, response);
            waiting.forEach(Runnable::run);
        }

        /**
         * Runs a task when the push has arrived or failed; at once if it already has.
         *
         * @param task runs on any thread
         */
        public void whenOver(Runnable task) {
            synchronized (PushStore.this) {
                if (!entry.removed && entry.response == null) {
                    entry.waiting.add(task);
                    return;
                }
            }
            task.run();
        }
    }

    public PushStore(PageSettings settings, ProxyClock clock, PageCounts counts) {
        this.settings = settings;
        this.clock = clock;
        this.counts = counts;
    }

    /** Applies new settings; evicts the oldest pushes beyond the new limit. */
    public synchronized void reload(PageSettings next) {
        settings = next;
        makeRoom();
    }

    /** Reports whether pushes are accepted now. Takes no lock. */
    public boolean isEnabled() {
        return settings.holdBytes() > 0;
    }

    /**
     * Handles the promise of a push.
     *
     * @param page URL of the page for which it is promised
     * @param member the member that pushes
     * @param number the member's number of this push
     * @return null: the push is not wanted
     */
    public synchronized @Nullable Arriving expect(
            String page, String url, String member, long number) {
        if (!isEnabled()
                || url.length() > PageLearner.MAX_URL
                || page.length() > PageLearner.MAX_URL) {
            return null;
        }
        isPushedTo = true;
        Set<String> urls = promised.computeIfAbsent(page, key -> new LinkedHashSet<>());
        if (urls.size() >= PageLearner.MAX_OBJECTS && !urls.contains(url)) {
            urls.clear();
        }
        urls.add(url);
        expire();
        boolean isPurgeNear = purgedMillis != Long.MIN_VALUE
                && clock.steadyMillis() - purgedMillis < PURGE_MILLIS;
        if (isPurgeNear || entries.containsKey(url) || entries.size() >= MAX_ENTRIES) {
            return null;
        }
        Entry entry = new Entry(url, member, number);
        entries.put(url, entry);
        return new Arriving(entry);
    }

    private synchronized List<Runnable> end(Entry entry, @Nullable WholeResponse response) {
        if (entry.removed || entry.response != null) {
            return List.of();
        }
        arrivingBytes -= entry.bytes;
        if (response != null) {
            long now = clock.steadyMillis();
            long fresh = Math.min(
                    response.freshness().leftSeconds(now) * 1000,
                    settings.life().toMillis());
            counts.count(Kind.TAKEN);
            counts.count(Kind.TAKEN_BYTES, response.body().length);
            entry.response = response;
            entry.bytes = response.body().length + ENTRY_HEAP;
            entry.untilMillis = now + fresh;
            stored.add(entry);
            earliestExpiry = Math.min(earliestExpiry, entry.untilMillis);
            storedBytes += entry.bytes;
            makeRoom();
        } else {
            entry.removed = true;
            entries.remove(entry.url, entry);
        }
        List<Runnable> waiting = List.copyOf(entry.waiting);
        entry.waiting.clear();
        return waiting;
    }

    private void makeRoom() {
        Iterator<Entry> oldest = stored.iterator();
        while (storedBytes + arrivingBytes > settings.holdBytes() && oldest.hasNext()) {
            Entry entry = oldest.next();
            oldest.remove();
            expireEntry(entry);
        }
    }

    /** Removes an entry that expired or was evicted. */
    private void expireEntry(Entry entry) {
        removeEntry(entry);
        if (!entry.used) {
            counts.count(Kind.WASTED);
            counts.count(Kind.WASTED_BYTES, entry.bytes - ENTRY_HEAP);
            outcomes.unused(entry.member, entry.number);
        }
    }

    private void removeEntry(Entry entry) {
        entry.removed = true;
        storedBytes -= entry.bytes;
        entries.remove(entry.url, entry);
    }

    /** Reports whether nothing is stored or arriving. Takes no lock. */
    public boolean isEmpty() {
        return entries.isEmpty();
    }

    /** Returns the push of a URL. The caller decides whether it is usable for its request. */
    public @Nullable LookupResult find(String url) {
        Entry entry = entries.get(url);
        if (entry == null) {
            return null;
        }
        synchronized (this) {
            WholeResponse response = entry.response;
            if (response == null) {
                return entry.removed ? null : new Arriving(entry);
            }
            return entry.removed || entry.untilMillis <= clock.steadyMillis()
                    ? null
                    : new Stored(response);
        }
    }

    /** Records that a request was answered with a push. */
    public synchronized void used(String url) {
        Entry entry = entries.get(url);
        if (entry != null && !entry.used) {
            entry.used = true;
            outcomes.used(entry.member, entry.number);
        }
    }

    /** Reports whether a hint may say more than that pushes are accepted. Takes no lock. */
    public boolean hasHint() {
        return isPushedTo;
    }

    /** Returns the hint to send to a member with a request for a URL, which may be a page. */
    public synchronized String hint(String url, String member) {
        expire();
        List<Long> numbers = new ArrayList<>();
        Set<String> urls = promised.get(url);
        long soon = clock.steadyMillis() + 1_000;
        for (String object : urls == null ? Set.<String>of() : urls) {
            Entry entry = entries.get(object);
            if (entry != null
                    && entry.member.equals(member)
                    && !entry.removed
                    && (entry.response == null || entry.untilMillis > soon)) {
                numbers.add(entry.number);
            }
        }
        return outcomes.takeHint(member, numbers).text();
    }

    /** Removes expired responses. */
    public synchronized void expire() {
        long now = clock.steadyMillis();
        if (now < earliestExpiry) {
            return;
        }
        earliestExpiry = Long.MAX_VALUE;
        for (Iterator<Entry> iterator = stored.iterator(); iterator.hasNext(); ) {
            Entry entry = iterator.next();
            if (entry.untilMillis <= now) {
                iterator.remove();
                expireEntry(entry);
            } else {
                earliestExpiry = Math.min(earliestExpiry, entry.untilMillis);
            }
        }
    }

    /** Removes a response that a request has changed (RFC 9111 section 4.4). */
    public void invalidate(String url) {
        if (entries.containsKey(url)) {
            drop(entry -> entry.url.equals(url));
        }
    }

    /**
     * Carries out a purge order of a member. Labels are not stored here, so an order by label
     * removes everything.
     */
    public void purge(PurgeOrder order) {
        if (order.dryRun()) {
            return;
        }
        synchronized (this) {
            purgedMillis = clock.steadyMillis();
        }
        switch (order.target()) {
            case PurgeOrder.Uri uri -> invalidate(uri.key().uri());
            case PurgeOrder.Prefix prefix -> drop(entry -> entry.url.startsWith(prefix.text()));
            case PurgeOrder.Labelled labelled -> drop(entry -> true);
        }
    }

    private void drop(Predicate<Entry> which) {
        List<Runnable> waiting = new ArrayList<>();
        synchronized (this) {
            for (Entry entry : List.copyOf(entries.values())) {
                if (!which.test(entry)) {
                    continue;
                }
                counts.count(Kind.PURGED);
                if (entry.response == null) {
                    arrivingBytes -= entry.bytes;
                    entry.removed = true;
                    entries.remove(entry.url, entry);
                    waiting.addAll(entry.waiting);
                    entry.waiting.clear();
                } else {
                    stored.remove(entry);
                    removeEntry(entry);
                }
            }
        }
        waiting.forEach(Runnable::run);
    }

    /** Returns the bytes of stored and arriving responses. */
    public synchronized long heldBytes() {
        return storedBytes + arrivingBytes;
    }
}
