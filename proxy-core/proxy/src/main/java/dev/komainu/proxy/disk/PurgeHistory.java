package dev.komainu.proxy.disk;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.proxy.cache.StoredResponse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The purges that records must still be compared with.
 *
 * <p>The index stores no names and no labels. The records that a prefix or a label matches are
 * therefore found when they are read: a record that was written before the purge is then dropped. A
 * purge is remembered as long as a record older than it may exist, for the last
 * {@value #MAX_PREFIXES} prefixes and {@value #MAX_LABELS} labels. When one must be removed
 * earlier, all older records are dropped with it.
 *
 * <p>While a purge checks the stored responses, those that it matches must not move between memory
 * and disk ({@link #isBeingPurged}). Thread-safe.
 */
final class PurgeHistory {

    static final int MAX_PREFIXES = 256;
    static final int MAX_LABELS = 65_536;

    enum Verdict {
        KEEP,
        SOFTEN,
        DROP
    }

    private record PrefixPurge(DiskPurge order, long place) {}

    private record LabelPurge(long hard, long soft) {
        long latest() {
            return Math.max(hard, soft);
        }
    }

    private final CopyOnWriteArrayList<DiskPurge> active = new CopyOnWriteArrayList<>();
    /** Ordered by age, oldest first. */
    private volatile List<PrefixPurge> prefixes = List.of();

    private final ConcurrentHashMap<String, LabelPurge> labels = new ConcurrentHashMap<>();
    /** Records before this place must not be used. */
    private volatile long floor;

    void begin(DiskPurge order) {
        active.add(order);
    }

    void end(DiskPurge order) {
        active.remove(order);
    }

    /** Reports whether a purge in progress matches the response. */
    boolean isBeingPurged(StoredResponse response) {
        if (active.isEmpty()) {
            return false;
        }
        for (DiskPurge order : active) {
            if (order.matches(response)) {
                return true;
            }
        }
        return false;
    }

    /** Adds a purge of the records written before {@code place}. */
    void add(DiskPurge order, long place) {
        switch (order.kind()) {
            case PREFIX -> addPrefix(order, place);
            case LABEL -> addLabel(order, place);
            case NAME, URI -> {}
        }
    }

    private synchronized void addPrefix(DiskPurge order, long place) {
        List<PrefixPurge> after = new ArrayList<>(prefixes);
        after.removeIf(note -> note.order.soft() == order.soft()
                && Arrays.equals(note.order.text(), order.text()));
        after.add(new PrefixPurge(order, place));
        if (after.size() > MAX_PREFIXES) {
            floor = Math.max(floor, after.removeFirst().place());
        }
        prefixes = List.copyOf(after);
    }

    private synchronized void addLabel(DiskPurge order, long place) {
        labels.merge(
                order.label(),
                order.soft() ? new LabelPurge(0, place) : new LabelPurge(place, 0),
                (first, second) -> new LabelPurge(
                        Math.max(first.hard, second.hard), Math.max(first.soft, second.soft)));
        if (labels.size() > MAX_LABELS) {
            // All labels are removed at once, and rarely: to remove single ones would need a search
            // for the oldest.
            for (LabelPurge stamp : labels.values()) {
                floor = Math.max(floor, stamp.latest());
            }
            labels.clear();
        }
    }

    /**
     * Returns the verdict of all purges on the record at this place.
     *
     * @param name a URI, or a URI followed by the values that select a variant
     */
    Verdict evaluate(long place, CacheKey name, List<String> recordLabels) {
        if (place < floor) {
            return Verdict.DROP;
        }
        boolean soften = false;
        for (PrefixPurge note : prefixes) {
            if (place < note.place && name.startsWith(note.order.text())) {
                if (!note.order.soft()) {
                    return Verdict.DROP;
                }
                soften = true;
            }
        }
        if (!labels.isEmpty()) {
            for (String label : recordLabels) {
                LabelPurge stamp = labels.get(label);
                if (stamp != null && place < stamp.hard) {
                    return Verdict.DROP;
                }
                soften |= stamp != null && place < stamp.soft;
            }
        }
        return soften ? Verdict.SOFTEN : Verdict.KEEP;
    }

    /** Removes the purges that no record precedes: the oldest record lies at this place. */
    synchronized void removeBefore(long place) {
        if (prefixes.stream().anyMatch(note -> note.place <= place)) {
            prefixes = prefixes.stream().filter(note -> note.place > place).toList();
        }
        labels.values().removeIf(stamp -> stamp.latest() <= place);
    }
}
