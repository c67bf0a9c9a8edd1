package dev.komainu.central.store;

import dev.komainu.central.store.Summation.Part;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The selection of one source for a period in which several sources observed one service, so that
 * two probes never count twice. Windows of the union of all sources ({@link #UNION}) are selected
 * first. Of the following criteria each applies only among sources that are equal by the previous
 * ones:
 *
 * <ol>
 *   <li>the source that covers most of the time;
 *   <li>the source that lost nothing itself;
 *   <li>the agent beside the server, which also captures packets that never leave the host;
 *   <li>the preferred source (so that a slot keeps its source if possible);
 *   <li>the first by name, so that the selection is stable.
 * </ol>
 *
 * <p>Two sources may report the same connection in neighbouring seconds when their clocks differ:
 * where the selected source changes, a connection that began within that difference of the boundary
 * may be counted by both, or by none.
 */
public final class SourceSelection<W extends TelemetryRecord> {

    /** Source of the windows that the central service adds up from several sources. */
    public static final String UNION = "komainu/union";

    /** Share of the best coverage at which the union is selected in a long slot. */
    private static final double ALMOST = 0.95;

    private final String id;

    SourceSelection(String id) {
        this.id = id;
    }

    /** The windows of one source for a slot, by the names that it uses for the service. */
    static final class SlotWindows<W extends TelemetryRecord> {
        private final String source;
        private final Summation<W> summation;
        private final Map<String, List<Part<W>>> byName = new TreeMap<>();

        SlotWindows(String source, Summation<W> summation) {
            this.source = source;
            this.summation = summation;
        }

        void add(Part<W> part) {
            byName.computeIfAbsent(summation.service(part.window()), key -> new ArrayList<>())
                    .add(part);
        }

        String source() {
            return source;
        }

        /**
         * Returns the covered time of the slot: the longest among the names, because names cover
         * the same time side by side.
         */
        long coveredMicros() {
            return byName.values().stream().mapToLong(Summation::covered).max().orElse(0);
        }

        private boolean isLossy() {
            return byName.values().stream()
                    .flatMap(List::stream)
                    .anyMatch(part -> summation.isLossy(part.window()));
        }

        private boolean hasName(String name) {
            return byName.containsKey(name);
        }

        /** Returns the parts in order of time; parts of several names are merged to one. */
        List<Part<W>> parts() {
            if (byName.size() == 1) {
                return byName.values().iterator().next();
            }
            W all = null;
            for (List<Part<W>> parts : byName.values()) {
                W first = parts.getFirst().window();
                W sum = parts.size() == 1
                        ? first
                        : summation.sum(
                                parts, summation.fromMicros(first), summation.lengthMicros(first));
                all = all == null ? sum : summation.beside(all, sum);
            }
            return all == null ? List.of() : List.of(new Part<>(all, coveredMicros()));
        }
    }

    /**
     * Returns the source for a slot whose seconds are not stored any more: the union if it covers
     * almost as much as the source that covers most. It covers less where it began within the slot.
     */
    SlotWindows<W> mostCovering(Collection<SlotWindows<W>> candidates) {
        long most =
                candidates.stream().mapToLong(SlotWindows::coveredMicros).max().orElse(0);
        List<SlotWindows<W>> covering = candidates.stream()
                .filter(windows -> !isUnion(windows) || windows.coveredMicros() >= ALMOST * most)
                .toList();
        return best(covering, null);
    }

    private static boolean isUnion(SlotWindows<?> windows) {
        return windows.source().equals(UNION);
    }

    /**
     * Returns the selected source.
     *
     * @param preferred a source; null for none
     */
    SlotWindows<W> best(Collection<SlotWindows<W>> candidates, @Nullable String preferred) {
        if (candidates.size() == 1) {
            return candidates.iterator().next();
        }
        return candidates.stream()
                .min(Comparator.<SlotWindows<W>, Boolean>comparing(windows -> !isUnion(windows))
                        .thenComparingLong(windows -> -windows.coveredMicros())
                        .thenComparing(SlotWindows::isLossy)
                        .thenComparing(windows -> !windows.hasName(id))
                        .thenComparing(windows -> !windows.source().equals(preferred))
                        .thenComparing(SlotWindows::source))
                .orElseThrow();
    }
}
