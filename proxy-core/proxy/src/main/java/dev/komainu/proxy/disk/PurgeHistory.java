package dev.komainu.proxy.disk;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.proxy.cache.StoredResponse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Purges as far as records must still be judged by them.
 *
 * <p>The index keeps no names and no labels, so what a prefix or a label means is found out when a
 * record is read: it is dropped then when it was written before the purge. A note is kept for as
 * long as a record older than it may be there, of prefixes the last {@value #MOST_PREFIXES}, of
 * labels {@value #MOST_LABELS}; when one has to go earlier, all older records go with it.
 *
 * <p>While a purge looks at what is stored, what it means must not move between memory and disk
 * ({@link #acts}). Safe for all threads.
 */
final class PurgeHistory {

    static final int MOST_PREFIXES = 256;
    static final int MOST_LABELS = 65_536;

    enum Verdict {
        KEEP,
        SOFTEN,
        DROP
    }

    private record Note(DiskPurge order, long at) {}

    private record Stamp(long hard, long soft) {
        long latest() {
            return Math.max(hard, soft);
        }
    }

    private final CopyOnWriteArrayList<DiskPurge> acting = new CopyOnWriteArrayList<>();
    /** Oldest first. */
    private volatile List<Note> prefixes = List.of();

    private final ConcurrentHashMap<String, Stamp> labels = new ConcurrentHashMap<>();
    /** Records before this place are not to be trusted. */
    private volatile long floor;

    void begin(DiskPurge order) {
        acting.add(order);
    }

    void end(DiskPurge order) {
        acting.remove(order);
    }

    /** Whether a purge that is at work means it. */
    boolean acts(StoredResponse response) {
        if (acting.isEmpty()) {
            return false;
        }
        for (DiskPurge order : acting) {
            if (order.means(response)) {
                return true;
            }
        }
        return false;
    }

    /** What was written before {@code at} is judged by it from now on. */
    void note(DiskPurge order, long at) {
        switch (order.kind()) {
            case PREFIX -> notePrefix(order, at);
            case LABEL -> noteLabel(order, at);
            case NAME, URI -> {}
        }
    }

    private synchronized void notePrefix(DiskPurge order, long at) {
        List<Note> after = new ArrayList<>(prefixes);
        after.removeIf(note -> note.order.soft() == order.soft()
                && Arrays.equals(note.order.text(), order.text()));
        after.add(new Note(order, at));
        if (after.size() > MOST_PREFIXES) {
            floor = Math.max(floor, after.removeFirst().at());
        }
        prefixes = List.copyOf(after);
    }

    private synchronized void noteLabel(DiskPurge order, long at) {
        labels.merge(
                order.label(),
                order.soft() ? new Stamp(0, at) : new Stamp(at, 0),
                (one, other) ->
                        new Stamp(Math.max(one.hard, other.hard), Math.max(one.soft, other.soft)));
        if (labels.size() > MOST_LABELS) {
            // All at once, and rarely: each by itself would be a search for the oldest.
            for (Stamp stamp : labels.values()) {
                floor = Math.max(floor, stamp.latest());
            }
            labels.clear();
        }
    }

    /** @param name a URI, or one with what selects a variant behind it */
    Verdict judge(long place, CacheKey name, List<String> carried) {
        if (place < floor) {
            return Verdict.DROP;
        }
        boolean soften = false;
        for (Note note : prefixes) {
            if (place < note.at && name.startsWith(note.order.text())) {
                if (!note.order.soft()) {
                    return Verdict.DROP;
                }
                soften = true;
            }
        }
        if (!labels.isEmpty()) {
            for (String label : carried) {
                Stamp stamp = labels.get(label);
                if (stamp != null && place < stamp.hard) {
                    return Verdict.DROP;
                }
                soften |= stamp != null && place < stamp.soft;
            }
        }
        return soften ? Verdict.SOFTEN : Verdict.KEEP;
    }

    /** Nothing written before this place is left. */
    synchronized void forgetBefore(long place) {
        if (prefixes.stream().anyMatch(note -> note.at <= place)) {
            prefixes = prefixes.stream().filter(note -> note.at > place).toList();
        }
        labels.values().removeIf(stamp -> stamp.latest() <= place);
    }
}
