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
 * What came unasked beside pages, until somebody asks for it: no cache, but the moment between a
 * page and its objects. An answer stays for as long as it is fresh, {@link PageSettings#life} at
 * most; when there is no room the oldest goes.
 *
 * <p>Who asks while an answer is under way waits for it ({@link Coming#whenOver}). What became of
 * each push is kept until it can be said to the member that pushed it ({@link #word}).
 *
 * <p>Safe for threads: one lock, but a look whether anything is here takes none.
 */
public final class PushStore {

    /** Under way and here. */
    static final int MOST_ENTRIES = 4_096;

    private static final int MOST_PAGES = 512;
    private static final int ENTRY_HEAP = 1_024;
    /** A push that set off before a purge is here after so long, or nobody can tell. */
    private static final long PURGE_MILLIS = 2_000;

    /** Written under this only. */
    private volatile PageSettings settings;

    private final ProxyClock clock;
    private final PageCounts counts;
    /** By URL. Written under this only. */
    private final Map<String, Entry> entries = new ConcurrentHashMap<>();
    /** Somebody has pushed something, some time. */
    private volatile boolean isPushedTo;
    // All guarded by this.
    private final LinkedHashSet<Entry> here = new LinkedHashSet<>();
    private final LinkedHashMap<String, Set<String>> promised =
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Set<String>> eldest) {
                    return size() > MOST_PAGES;
                }
            };
    private final PushOutcomes outcomes = new PushOutcomes();
    private long bytesHere;
    private long bytesComing;
    private long purgedMillis = Long.MIN_VALUE;
    /** Nothing is stale before. */
    private long soonest = Long.MAX_VALUE;

    /** What is at hand for a URL: an {@link WholeResponse}, or one that is {@link Coming}. */
    public sealed interface Found {}

    /** An answer that is here. */
    public record Here(WholeResponse answer) implements Found {}

    /** One push, from its promise on. */
    private static final class Entry {
        private final String url;
        private final String member;
        private final long number;
        private final List<Runnable> waiting = new ArrayList<>();
        private @Nullable WholeResponse answer;
        private long bytes;
        private long until;
        private boolean used;
        private boolean over;

        Entry(String url, String member, long number) {
            this.url = url;
            this.member = member;
            this.number = number;
        }
    }

    /** An answer that is under way. */
    public final class Coming implements Found {

        private final Entry entry;

        private Coming(Entry entry) {
            this.entry = entry;
        }

        /** More of its body came. @return false: there is no room, or nobody wants it any more */
        public boolean grew(int bytes) {
            synchronized (PushStore.this) {
                // What nobody has yet may push out what is there, but not all of it.
                if (entry.over || bytesComing + bytes > settings.holdBytes() / 2) {
                    return false;
                }
                entry.bytes += bytes;
                bytesComing += bytes;
                makeRoom();
                return true;
            }
        }

        /** It came whole. */
        public void arrived(WholeResponse answer) {
            finish(answer);
        }

        /** It does not come. */
        public void failed() {
            finish(null);
        }

        private void finish(@Nullable WholeResponse answer) {
            List<Runnable> waiting = end(entry, answer);
            waiting.forEach(Runnable::run);
        }

        /** @param then runs when it has come or failed, at once when it has; on whichever thread */
        public void whenOver(Runnable then) {
            synchronized (PushStore.this) {
                if (!entry.over && entry.answer == null) {
                    entry.waiting.add(then);
                    return;
                }
            }
            then.run();
        }
    }

    public PushStore(PageSettings settings, ProxyClock clock, PageCounts counts) {
        this.settings = settings;
        this.clock = clock;
        this.counts = counts;
    }

    /** Holds so much from now on; the oldest of what is too much goes. */
    public synchronized void ruleBy(PageSettings next) {
        settings = next;
        makeRoom();
    }

    /** Whether what comes unasked is taken now. Takes no lock. */
    public boolean isTaking() {
        return settings.holdBytes() > 0;
    }

    /**
     * A push is promised.
     *
     * @param page beside which
     * @param member who pushes, and what it calls this push
     * @return absent: it is not wanted
     */
    public synchronized @Nullable Coming expect(
            String page, String url, String member, long number) {
        if (!isTaking()
                || url.length() > PageLearner.MOST_URL
                || page.length() > PageLearner.MOST_URL) {
            return null;
        }
        isPushedTo = true;
        Set<String> urls = promised.computeIfAbsent(page, one -> new LinkedHashSet<>());
        if (urls.size() >= PageLearner.MOST_OBJECTS && !urls.contains(url)) {
            urls.clear();
        }
        urls.add(url);
        expire();
        boolean isPurgeNear = purgedMillis != Long.MIN_VALUE
                && clock.steadyMillis() - purgedMillis < PURGE_MILLIS;
        if (isPurgeNear || entries.containsKey(url) || entries.size() >= MOST_ENTRIES) {
            return null;
        }
        Entry made = new Entry(url, member, number);
        entries.put(url, made);
        return new Coming(made);
    }

    private synchronized List<Runnable> end(Entry entry, @Nullable WholeResponse answer) {
        if (entry.over || entry.answer != null) {
            return List.of();
        }
        bytesComing -= entry.bytes;
        if (answer != null) {
            long now = clock.steadyMillis();
            long fresh = Math.min(
                    answer.freshness().leftSeconds(now) * 1000, settings.life().toMillis());
            counts.count(Kind.TAKEN);
            counts.count(Kind.TAKEN_BYTES, answer.body().length);
            entry.answer = answer;
            entry.bytes = answer.body().length + ENTRY_HEAP;
            entry.until = now + fresh;
            here.add(entry);
            soonest = Math.min(soonest, entry.until);
            bytesHere += entry.bytes;
            makeRoom();
        } else {
            entry.over = true;
            entries.remove(entry.url, entry);
        }
        List<Runnable> waiting = List.copyOf(entry.waiting);
        entry.waiting.clear();
        return waiting;
    }

    private void makeRoom() {
        Iterator<Entry> oldest = here.iterator();
        while (bytesHere + bytesComing > settings.holdBytes() && oldest.hasNext()) {
            Entry one = oldest.next();
            oldest.remove();
            leave(one);
        }
    }

    /** It goes, and nobody dropped it. */
    private void leave(Entry one) {
        forget(one);
        if (!one.used) {
            counts.count(Kind.WASTED);
            counts.count(Kind.WASTED_BYTES, one.bytes - ENTRY_HEAP);
            outcomes.left(one.member, one.number);
        }
    }

    private void forget(Entry one) {
        one.over = true;
        bytesHere -= one.bytes;
        entries.remove(one.url, one);
    }

    /** Whether nothing is here or under way: then no look is worth it. Takes no lock. */
    public boolean isEmpty() {
        return entries.isEmpty();
    }

    /** What there is for a URL; whether it suits the request, the asker judges. */
    public @Nullable Found find(String url) {
        Entry entry = entries.get(url);
        if (entry == null) {
            return null;
        }
        synchronized (this) {
            WholeResponse answer = entry.answer;
            if (answer == null) {
                return entry.over ? null : new Coming(entry);
            }
            return entry.over || entry.until <= clock.steadyMillis() ? null : new Here(answer);
        }
    }

    /** A request was answered with it. */
    public synchronized void used(String url) {
        Entry entry = entries.get(url);
        if (entry != null && !entry.used) {
            entry.used = true;
            outcomes.used(entry.member, entry.number);
        }
    }

    /** Whether there may be more to say than that pushes are taken. Takes no lock. */
    public boolean hasToSay() {
        return isPushedTo;
    }

    /** What to say to a member beside a request for a URL, which may be a page. */
    public synchronized String word(String url, String member) {
        expire();
        List<Long> held = new ArrayList<>();
        Set<String> urls = promised.get(url);
        long soon = clock.steadyMillis() + 1_000;
        for (String one : urls == null ? Set.<String>of() : urls) {
            Entry entry = entries.get(one);
            if (entry != null
                    && entry.member.equals(member)
                    && !entry.over
                    && (entry.answer == null || entry.until > soon)) {
                held.add(entry.number);
            }
        }
        return outcomes.say(member, held).text();
    }

    /** What is stale goes. */
    public synchronized void expire() {
        long now = clock.steadyMillis();
        if (now < soonest) {
            return;
        }
        soonest = Long.MAX_VALUE;
        for (Iterator<Entry> each = here.iterator(); each.hasNext(); ) {
            Entry one = each.next();
            if (one.until <= now) {
                each.remove();
                leave(one);
            } else {
                soonest = Math.min(soonest, one.until);
            }
        }
    }

    /** It was changed by a request (RFC 9111 section 4.4): nobody gets the former one. */
    public void changed(String url) {
        if (entries.containsKey(url)) {
            drop(entry -> entry.url.equals(url));
        }
    }

    /**
     * An order of a member. What it names by labels nobody here can tell apart: everything goes.
     */
    public void purge(PurgeOrder order) {
        if (order.dryRun()) {
            return;
        }
        synchronized (this) {
            purgedMillis = clock.steadyMillis();
        }
        switch (order.target()) {
            case PurgeOrder.Uri uri -> changed(uri.key().uri());
            case PurgeOrder.Prefix prefix -> drop(entry -> entry.url.startsWith(prefix.text()));
            case PurgeOrder.Labelled labelled -> drop(entry -> true);
        }
    }

    private void drop(Predicate<Entry> which) {
        List<Runnable> waiting = new ArrayList<>();
        synchronized (this) {
            for (Entry one : List.copyOf(entries.values())) {
                if (!which.test(one)) {
                    continue;
                }
                counts.count(Kind.PURGED);
                if (one.answer == null) {
                    bytesComing -= one.bytes;
                    one.over = true;
                    entries.remove(one.url, one);
                    waiting.addAll(one.waiting);
                    one.waiting.clear();
                } else {
                    here.remove(one);
                    forget(one);
                }
            }
        }
        waiting.forEach(Runnable::run);
    }

    /** Of what is here and under way. */
    public synchronized long heldBytes() {
        return bytesHere + bytesComing;
    }
}
