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
 * Who speaks for a stretch of time when several sources saw one service: two probes never count
 * twice. The rule, each line asked only among those equal before:
 *
 * <ol>
 *   <li>who tells of most of the time;
 *   <li>who lost nothing itself;
 *   <li>who stands beside the server, which also sees what never leaves the host;
 *   <li>who was asked to be preferred (so that one slot does not change its voice without need);
 *   <li>the first by name, so that the choice does not waver.
 * </ol>
 *
 * <p>What sources tell of the same connection may lie in neighbouring seconds when their clocks
 * differ: where the voice changes, a connection that began within that difference of the boundary
 * may be counted by both, or by none.
 */
final class SourceSelection<W extends TelemetryRecord> {

    private final Summation<W> summation;
    private final String id;

    SourceSelection(Summation<W> summation, String id) {
        this.summation = summation;
        this.id = id;
    }

    /** What one source told of a slot, by the names it calls the service. */
    static final class Speech<W extends TelemetryRecord> {
        private final String source;
        private final Summation<W> summation;
        private final Map<String, List<Part<W>>> byName = new TreeMap<>();

        Speech(String source, Summation<W> summation) {
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

        /** Names tell of the same time side by side. */
        long coveredMicros() {
            return byName.values().stream().mapToLong(Summation::covered).max().orElse(0);
        }

        private boolean isLossy() {
            return byName.values().stream()
                    .flatMap(List::stream)
                    .anyMatch(part -> summation.isLossy(part.window()));
        }

        private boolean calls(String name) {
            return byName.containsKey(name);
        }

        /** One part after the other; several names become one part, side by side. */
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

    /** @param preferred a source; null for none */
    Speech<W> best(Collection<Speech<W>> speeches, @Nullable String preferred) {
        if (speeches.size() == 1) {
            return speeches.iterator().next();
        }
        return speeches.stream()
                .min(Comparator.<Speech<W>>comparingLong(speech -> -speech.coveredMicros())
                        .thenComparing(Speech::isLossy)
                        .thenComparing(speech -> !speech.calls(id))
                        .thenComparing(speech -> !speech.source().equals(preferred))
                        .thenComparing(Speech::source))
                .orElseThrow();
    }
}
