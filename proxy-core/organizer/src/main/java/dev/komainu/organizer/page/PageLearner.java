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
 * Which objects the pages of this member's servers need, learnt from what was asked for:
 * {@code Referer} names the page, and the object was asked for within {@value #FOLLOWS_MILLIS} ms
 * of it.
 *
 * <p>An object is pushed when it followed at least half of the page's recent loads, and two at
 * least: so what one visitor alone was given once never reaches another, and who told this class of
 * an object has seen that its answer is for everybody. Of a load in which it was pushed nobody here
 * sees whether it was wanted: that load counts when the asker has said so ({@link #heard}), for or
 * against. Both counts are halved at {@value #RECENT}: what a page no longer needs is forgotten
 * after as many loads.
 *
 * <table><caption>Limits</caption>
 * <tr><td>pages and their objects</td><td>8 MB of estimated heap</td><td>the page loaded longest ago goes</td></tr>
 * <tr><td>objects of a page</td><td>64</td><td>the one that follows most seldom goes</td></tr>
 * <tr><td>a URL</td><td>1,024 characters</td><td>is not learnt</td></tr>
 * <tr><td>an object</td><td>256 KB</td><td>is not pushed</td></tr>
 * <tr><td>pushes nobody has spoken of yet</td><td>16,384</td><td>the oldest counts neither for nor against</td></tr>
 * </table>
 *
 * <p>Safe for threads: one lock.
 */
public final class PageLearner {

    /** An object is part of the page that was loaded not longer ago than this. */
    static final long FOLLOWS_MILLIS = 10_000;

    /** Loads that are remembered, at most. */
    static final int RECENT = 16;

    public static final int MOST_OBJECT_BYTES = 256 << 10;

    static final int MOST_OBJECTS = 64;
    static final int MOST_URL = 1_024;
    static final long MOST_HEAP = 8 << 20;
    static final int MOST_PUSHED = 16_384;

    private static final int PAGE_HEAP = 256;
    private static final int OBJECT_HEAP = 160;
    private static final int SEEN_LEAST = 2;

    /** Guarded by this. */
    private PageSettings settings;

    private final LongSupplier steadyMillis;
    // All guarded by this.
    private final LinkedHashMap<String, Page> pages = new LinkedHashMap<>(64, 0.75f, true);
    private final LinkedHashMap<Long, Pushed> pushed = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Pushed> eldest) {
            return size() > MOST_PUSHED;
        }
    };
    private long heap;
    private int objects;
    /** Counts what was learnt. */
    private long version;
    /**
     * Not those of this member's last life: who still has such a push must not be taken to have
     * another.
     */
    private long lastNumber = ThreadLocalRandom.current().nextInt();

    /**
     * What to push beside a page.
     *
     * @param url HOST/PATH?QUERY
     * @param bytes of its body, as it last was
     * @param number names this push, for the asker to say what became of it
     */
    public record Needed(String url, int bytes, long number) {}

    /** How much is known. @param heapBytes estimated */
    public record Figures(int pages, int objects, long heapBytes) {}

    /** A push that was made. */
    private static final class Pushed {
        private final String page;
        private final String url;
        /** Its load counts already. */
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

        /** It was, or it was not, wanted in one more load. */
        void counts(boolean wanted) {
            loads++;
            if (wanted) {
                followed++;
            }
            if (loads >= RECENT) {
                loads /= 2;
                followed /= 2;
            }
        }

        boolean isNeeded() {
            return followed >= SEEN_LEAST && 2 * followed >= loads;
        }
    }

    /** @param steadyMillis never decreases */
    public PageLearner(PageSettings settings, LongSupplier steadyMillis) {
        this.settings = settings;
        this.steadyMillis = steadyMillis;
        lastNumber &= Integer.MAX_VALUE;
    }

    /** Pushes so much from now on. */
    public synchronized void ruleBy(PageSettings next) {
        settings = next;
    }

    /**
     * The page that a {@code Referer} names, as pages are named here; absent: none, or not this
     * field's business.
     */
    public static @Nullable String pageOf(@Nullable CharSequence referer) {
        if (referer == null || referer.length() > MOST_URL) {
            return null;
        }
        String text = referer.toString();
        int from = text.startsWith("http://") ? 7 : text.startsWith("https://") ? 8 : 0;
        int slash = from == 0 ? -1 : text.indexOf('/', from);
        if (slash <= from || text.indexOf('@', from) >= 0 && text.indexOf('@', from) < slash) {
            return null;
        }
        int fragment = text.indexOf('#');
        String host = text.substring(from, slash).toLowerCase(Locale.ROOT);
        String port = from == 7 ? ":80" : ":443";
        return (host.endsWith(port) ? host.substring(0, host.length() - port.length()) : host)
                + text.substring(slash, fragment < slash ? text.length() : fragment);
    }

    /**
     * A page is being answered, with 200.
     *
     * @param asker what it says of itself; absent: nothing can be pushed to it
     * @return what to push, in the order in which it is asked for
     */
    public synchronized List<Needed> loaded(String url, @Nullable PageRequestHint asker) {
        if (url.length() > MOST_URL) {
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
        List<Needed> all = new ArrayList<>();
        long room = asker == null ? 0 : settings.pushBytes();
        for (Map.Entry<String, Part> each : page.parts.entrySet()) {
            Part part = each.getValue();
            if (asker != null && isHeld(each.getKey(), asker.held())) {
                continue;
            }
            if (asker != null && part.isNeeded() && part.bytes <= room) {
                room -= part.bytes;
                pushed.put(++lastNumber, new Pushed(url, each.getKey()));
                all.add(new Needed(each.getKey(), part.bytes, lastNumber));
            } else {
                part.counts(false);
            }
        }
        return all;
    }

    private boolean isHeld(String url, List<Long> held) {
        for (long number : held) {
            Pushed one = pushed.get(number);
            if (one != null && one.url.equals(url)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a page was loaded so lately that what names it belongs to it. */
    public synchronized boolean isLoading(String page) {
        Page known = pages.get(page);
        return known != null && steadyMillis.getAsLong() - known.loadedMillis <= FOLLOWS_MILLIS;
    }

    /**
     * An object was asked for from a page, and its answer is for everybody.
     *
     * @param bytes of its body
     */
    public synchronized void followed(String page, String url, long bytes) {
        Page known = pages.get(page);
        if (known == null
                || url.length() > MOST_URL
                || bytes > MOST_OBJECT_BYTES
                || !isLoading(page)) {
            return;
        }
        Part part = known.parts.get(url);
        if (part == null) {
            if (known.parts.size() >= MOST_OBJECTS && !makeRoom(known)) {
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
        // One for each load at most, whoever asks how often.
        part.followed = Math.min(part.loads, part.followed + 1);
    }

    /** The same, where the asker had a copy that was still good: nothing new is learnt of it. */
    public synchronized void revalidated(String page, String url) {
        Page known = pages.get(page);
        Part part = known == null || !isLoading(page) ? null : known.parts.get(url);
        if (part != null) {
            part.followed = Math.min(part.loads, part.followed + 1);
        }
    }

    /** Its answer is not, or no longer, one to push. */
    public synchronized void unfit(long number) {
        Pushed one = pushed.remove(number);
        Page page = one == null ? null : pages.get(one.page);
        if (one != null && page != null && page.parts.remove(one.url) != null) {
            version++;
            objects--;
            heap -= heapOf(one.url, OBJECT_HEAP);
        }
    }

    /** It was not sent, or not taken: that says nothing of it. */
    public synchronized void notPushed(long number) {
        pushed.remove(number);
    }

    /** What an asker says of what was pushed to it. */
    public synchronized void heard(PageRequestHint word) {
        word.used().forEach(number -> outcome(number, true));
        word.left().forEach(number -> outcome(number, false));
    }

    private void outcome(long number, boolean wanted) {
        Pushed one = pushed.get(number);
        Page page = one == null ? null : pages.get(one.page);
        Part part = one == null || page == null ? null : page.parts.get(one.url);
        if (one != null && part != null && !one.counted) {
            // It may be at hand for a while yet, and is named then: it is not forgotten here.
            one.counted = true;
            version++;
            part.counts(wanted);
        }
    }

    /** Takes the place of what follows most seldom, if that is no longer needed. */
    private boolean makeRoom(Page page) {
        String least = null;
        int count = Integer.MAX_VALUE;
        for (Map.Entry<String, Part> each : page.parts.entrySet()) {
            if (!each.getValue().isNeeded() && each.getValue().followed < count) {
                least = each.getKey();
                count = each.getValue().followed;
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
        while (heap > MOST_HEAP && pages.size() > 1) {
            Map.Entry<String, Page> one = eldest.next();
            heap -= heapOf(one.getKey(), PAGE_HEAP);
            for (String url : one.getValue().parts.keySet()) {
                heap -= heapOf(url, OBJECT_HEAP);
                objects--;
            }
            eldest.remove();
        }
    }

    private static long heapOf(String url, int fixed) {
        return fixed + 2L * url.length();
    }

    /** Another number whenever something was learnt. */
    synchronized long version() {
        return version;
    }

    /** All that is known, the page loaded longest ago first. */
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

    /** Knows these, too; what it knows itself is newer. */
    synchronized void recall(List<LearntPage> before) {
        Map<String, Page> newer = new LinkedHashMap<>(pages);
        for (LearntPage one : before) {
            if (newer.containsKey(one.url())) {
                continue;
            }
            Page page = new Page();
            page.loads = one.loads();
            // Whoever has it open still loaded it in this member's last life: nothing that follows
            // is of a load here.
            page.loadedMillis = steadyMillis.getAsLong() - FOLLOWS_MILLIS - 1;
            heap += heapOf(one.url(), PAGE_HEAP);
            for (LearntPage.LearntPart each : one.parts()) {
                Part part = new Part(each.loads());
                part.bytes = each.bytes();
                part.followed = each.followed();
                if (page.parts.put(each.url(), part) == null) {
                    objects++;
                    heap += heapOf(each.url(), OBJECT_HEAP);
                }
            }
            Page twice = pages.put(one.url(), page);
            if (twice != null) {
                heap -= heapOf(one.url(), PAGE_HEAP);
                twice.parts.keySet().forEach(url -> {
                    objects--;
                    heap -= heapOf(url, OBJECT_HEAP);
                });
            }
            evict();
        }
        // In the order of their loads again: what was known is loaded later than all of these.
        newer.keySet().forEach(pages::get);
    }

    public synchronized Figures figures() {
        return new Figures(pages.size(), objects, heap);
    }
}
