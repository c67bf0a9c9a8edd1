package dev.komainu.organizer.page;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The objects that the pages of this member's servers need, learnt from requests: {@code Referer}
 * names the page, and the object was requested within {@value #FOLLOWS_MILLIS} ms of it.
 *
 * <p>An object is pushed when it followed at least half of the page's recent loads, and at least
 * two of them. So a response that one visitor received once never reaches another visitor. The
 * caller reports only objects with shareable responses. For a load in which the object was pushed,
 * this member cannot observe whether it was needed: the load counts when the receiver has reported
 * the outcome ({@link #onHint}). Both counts are halved at {@value #RECENT} loads: an object that a
 * page no longer needs is forgotten after as many loads.
 *
 * <table><caption>Limits</caption> <tr><td>pages and their objects</td><td>8 MB of estimated
 * heap</td><td>the page with the oldest load is evicted</td></tr> <tr><td>objects of a
 * page</td><td>64</td><td>the object that follows least often is evicted</td></tr> <tr><td>a
 * URL</td><td>1,024 characters</td><td>a longer one is not learnt</td></tr> <tr><td>an
 * object</td><td>256 KB</td><td>a larger one is not pushed</td></tr> <tr><td>pushes without a
 * reported outcome</td><td>16,384</td><td>the oldest one counts neither for nor against its
 * object</td></tr> </table>
 *
 * <p>Thread-safe: one lock.
 */
public final class PageLearner {

    /** An object belongs to a page that was loaded at most this long ago. */
    static final long FOLLOWS_MILLIS = 10_000;

    /** Maximum of remembered loads. */
    static final int RECENT = 16;

    public static final int MAX_OBJECT_BYTES = 256 << 10;

    static final int MAX_OBJECTS = 64;
    static final int MAX_URL = 1_024;
    static final long MAX_HEAP = 8 << 20;
    static final int MAX_PUSHED = 16_384;

    private static final int PAGE_HEAP = 256;
    private static final int OBJECT_HEAP = 160;
    private static final int MIN_FOLLOWED = 2;

    /** Guarded by this. */
    private PageSettings settings;

    private final LongSupplier steadyMillis;
    // All guarded by this.
    private final LinkedHashMap<String, Page> pages = new LinkedHashMap<>(64, 0.75f, true);
    private final LinkedHashMap<Long, Pushed> pushed = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Pushed> eldest) {
            return size() > MAX_PUSHED;
        }
    };
    private long heap;
    private int objects;
    /** Number of changes. */
    private long version;
    /**
     * Random at the start: a peer that still has a push of an earlier process must not name one of
     * this process.
     */
    private long lastNumber = ThreadLocalRandom.current().nextInt();

    /**
     * An object to push with a page.
     *
     * @param url HOST/PATH?QUERY
     * @param bytes size of its last body
     * @param number identifies this push when the receiver reports its outcome
     */
    public record PushCandidate(String url, int bytes, long number) {}

    /**
     * The size of the learnt content.
     *
     * @param heapBytes estimated
     */
    public record Figures(int pages, int objects, long heapBytes) {}

    /** A push that was sent. */
    private static final class Pushed {
        private final String page;
        private final String url;
        /** Whether its load is counted. */
        private boolean counted;

        Pushed(String page, String url) {
            this.page = page;
            this.url = url;
        }
    }

    private static final class Page {
        private final Map<String, Part> parts = new LinkedHashMap<>(0);
        private int loads;
        private long loadedMillis;
    }

    /** An object of a page. */
    private static final class Part {
        private int bytes;
        private int loads;
        private int followed;

        Part(int loads) {
            this.loads = loads;
        }

        /** Counts one more load, in which the object was needed or not. */
        void countLoad(boolean needed) {
            loads++;
            if (needed) {
                followed++;
            }
            if (loads >= RECENT) {
                loads /= 2;
                followed /= 2;
            }
        }

        boolean isNeeded() {
            return followed >= MIN_FOLLOWED && 2 * followed >= loads;
        }
    }

    /**
     * Creates an empty learner.
     *
     * @param steadyMillis monotonic clock
     */
    public PageLearner(PageSettings settings, LongSupplier steadyMillis) {
        this.settings = settings;
        this.steadyMillis = steadyMillis;
        lastNumber &= Integer.MAX_VALUE;
    }

    /** Applies new settings. */
    public synchronized void reload(PageSettings next) {
        settings = next;
    }

    /**
     * Returns the page that a {@code Referer} names, in the form HOST/PATH?QUERY; null: none, or
     * not a page of HTTP.
     */
    public static @Nullable String pageOf(@Nullable CharSequence referer) {
        if (referer == null || referer.length() > MAX_URL) {
            return null;
        }
        String text = referer.toString();
        int from = text.startsWith("http://") ? 7 : text.startsWith("https://") ? 8 : 0;
        int slash = from == 0 ? -1 : text.indexOf('/', from);
        if (slash <= from || (text.indexOf('@', from) >= 0 && text.indexOf('@', from) < slash)) {
            return null;
        }
        int fragment = text.indexOf('#');
        String host = text.substring(from, slash).toLowerCase(Locale.ROOT);
        String port = from == 7 ? ":80" : ":443";
        return (host.endsWith(port) ? host.substring(0, host.length() - port.length()) : host)
                + text.substring(slash, fragment < slash ? text.length() : fragment);
    }

    /**
     * Records a load of a page that is being answered with 200.
     *
     * @param peerHint hint of the receiver; null: nothing can be pushed to it
     * @return the objects to push, in the order in which they were first requested
     */
    public synchronized List<PushCandidate> loaded(String url, @Nullable PageRequestHint peerHint) {
        if (url.length() > MAX_URL) {
            return List.of();
        }
        Page page = pages.get(url);
        if (page == null) {
            page = new Page();
            pages.put(url, page);
            heap += heapOf(url, PAGE_HEAP);
            evict();
        }
        version++;
        page.loadedMillis = steadyMillis.getAsLong();
        page.loads = page.loads + 1 >= RECENT ? RECENT / 2 : page.loads + 1;
        List<PushCandidate> candidates = new ArrayList<>();
        long room = peerHint == null ? 0 : settings.pushBytes();
        for (Map.Entry<String, Part> entry : page.parts.entrySet()) {
            Part part = entry.getValue();
            if (peerHint != null && isStored(entry.getKey(), peerHint.stored())) {
                continue;
            }
            if (peerHint != null && part.isNeeded() && part.bytes <= room) {
                room -= part.bytes;
                pushed.put(++lastNumber, new Pushed(url, entry.getKey()));
                candidates.add(new PushCandidate(entry.getKey(), part.bytes, lastNumber));
            } else {
                part.countLoad(false);
            }
        }
        return candidates;
    }

    private boolean isStored(String url, List<Long> stored) {
        for (long number : stored) {
            Pushed push = pushed.get(number);
            if (push != null && push.url.equals(url)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Reports whether a page was loaded so recently that an object with this {@code Referer}
     * belongs to it.
     */
    public synchronized boolean isLoading(String page) {
        Page known = pages.get(page);
        return known != null && steadyMillis.getAsLong() - known.loadedMillis <= FOLLOWS_MILLIS;
    }

    /**
     * Records that an object of a page was requested, with a shareable response.
     *
     * @param bytes size of its body
     */
    public synchronized void followed(String page, String url, long bytes) {
        Page known = pages.get(page);
        if (known == null
                || url.length() > MAX_URL
                || bytes > MAX_OBJECT_BYTES
                || !isLoading(page)) {
            return;
        }
        Part part = known.parts.get(url);
        if (part == null) {
            if (known.parts.size() >= MAX_OBJECTS && !makeRoom(known)) {
                return;
            }
            part = new Part(Math.max(1, known.loads));
            known.parts.put(url, part);
            objects++;
            heap += heapOf(url, OBJECT_HEAP);
            evict();
        }
        version++;
        part.bytes = (int) bytes;
        // At most once for each load, also when the object is requested more often.
        part.followed = Math.min(part.loads, part.followed + 1);
    }

    /**
     * Records that an object of a page was revalidated: the client had a valid copy. This teaches
     * no new object.
     */
    public synchronized void revalidated(String page, String url) {
        Page known = pages.get(page);
        Part part = known == null || !isLoading(page) ? null : known.parts.get(url);
        if (part != null) {
            part.followed = Math.min(part.loads, part.followed + 1);
        }
    }

    /** Removes an object whose response is not, or no longer, one to push. */
    public synchronized void rejectObject(long number) {
        Pushed push = pushed.remove(number);
        Page page = push == null ? null : pages.get(push.page);
        if (push != null && page != null && page.parts.remove(push.url) != null) {
            version++;
            objects--;
            heap -= heapOf(push.url, OBJECT_HEAP);
        }
    }

    /**
     * Forgets a push that was not sent or not accepted. It does not count for or against the
     * object.
     */
    public synchronized void notPushed(long number) {
        pushed.remove(number);
    }

    /** Records the outcomes that a receiver reports for pushes. */
    public synchronized void onHint(PageRequestHint hint) {
        hint.used().forEach(number -> outcome(number, true));
        hint.unused().forEach(number -> outcome(number, false));
    }

    private void outcome(long number, boolean needed) {
        Pushed push = pushed.get(number);
        Page page = push == null ? null : pages.get(push.page);
        Part part = push == null || page == null ? null : page.parts.get(push.url);
        if (push != null && part != null && !push.counted) {
            // The receiver may still store the push for a while and name it as held, so the push is
            // kept here.
            push.counted = true;
            version++;
            part.countLoad(needed);
        }
    }

    /**
     * Evicts the object that follows least often, unless it is still needed. Reports whether there
     * is space now.
     */
    private boolean makeRoom(Page page) {
        String least = null;
        int count = Integer.MAX_VALUE;
        for (Map.Entry<String, Part> entry : page.parts.entrySet()) {
            if (!entry.getValue().isNeeded() && entry.getValue().followed < count) {
                least = entry.getKey();
                count = entry.getValue().followed;
            }
        }
        if (least == null) {
            return false;
        }
        page.parts.remove(least);
        objects--;
        heap -= heapOf(least, OBJECT_HEAP);
        return true;
    }

    private void evict() {
        Iterator<Map.Entry<String, Page>> eldest = pages.entrySet().iterator();
        while (heap > MAX_HEAP && pages.size() > 1) {
            Map.Entry<String, Page> oldest = eldest.next();
            heap -= heapOf(oldest.getKey(), PAGE_HEAP);
            for (String url : oldest.getValue().parts.keySet()) {
                heap -= heapOf(url, OBJECT_HEAP);
                objects--;
            }
            eldest.remove();
        }
    }

    private static long heapOf(String url, int fixed) {
        return fixed + 2L * url.length();
    }

    /** Returns a number that changes with every change of the learnt content. */
    synchronized long version() {
        return version;
    }

    /** Returns all learnt pages, the page with the oldest load first. */
    synchronized List<LearntPage> learnt() {
        List<LearntPage> all = new ArrayList<>(pages.size());
        pages.forEach((url, page) -> {
            List<LearntPage.LearntPart> parts = new ArrayList<>(page.parts.size());
            page.parts.forEach((part, of) ->
                    parts.add(new LearntPage.LearntPart(part, of.bytes, of.loads, of.followed)));
            all.add(new LearntPage(url, page.loads, parts));
        });
        return all;
    }

    /** Adds stored pages. Pages that are already known are newer and stay unchanged. */
    synchronized void restore(List<LearntPage> before) {
        Map<String, Page> newer = new LinkedHashMap<>(pages);
        for (LearntPage stored : before) {
            if (newer.containsKey(stored.url())) {
                continue;
            }
            Page page = new Page();
            page.loads = stored.loads();
            // A client that still has the page open loaded it before the restart, so objects that
            // it requests now belong to no load here.
            page.loadedMillis = steadyMillis.getAsLong() - FOLLOWS_MILLIS - 1;
            heap += heapOf(stored.url(), PAGE_HEAP);
            for (LearntPage.LearntPart storedPart : stored.parts()) {
                Part part = new Part(storedPart.loads());
                part.bytes = storedPart.bytes();
                part.followed = storedPart.followed();
                if (page.parts.put(storedPart.url(), part) == null) {
                    objects++;
                    heap += heapOf(storedPart.url(), OBJECT_HEAP);
                }
            }
            Page twice = pages.put(stored.url(), page);
            if (twice != null) {
                heap -= heapOf(stored.url(), PAGE_HEAP);
                twice.parts.keySet().forEach(url -> {
                    objects--;
                    heap -= heapOf(url, OBJECT_HEAP);
                });
            }
            evict();
        }
        // Restores the order of the loads: pages known before are newer than the stored ones.
        newer.keySet().forEach(pages::get);
    }

    /** Returns the current size. */
    public synchronized Figures figures() {
        return new Figures(pages.size(), objects, heap);
    }
}
