package dev.komainu.central.store;

import dev.komainu.central.store.Summation.Part;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Collects windows in order of time into steps. Within a step each (source, service name) is a series of its own; the
 * one that covers most of the step speaks for it, so that two probes on one server never count twice. Among equals the
 * first by name, so that the choice does not waver. One question's, one thread's.
 */
final class Steps<W extends TelemetryRecord> {

    /** Windows roll up to this; ranges in coarser steps never read raw windows. */
    static final long SLOT_MICROS = 10_000_000;

    private final Summation<W> summation;
    private final long stepMicros;
    private final List<WindowStep<W>> done = new ArrayList<>();
    private final Map<String, List<Part<W>>> series = new TreeMap<>();
    private long current = Long.MIN_VALUE;

    Steps(Summation<W> summation, Duration step) {
        this.summation = summation;
        this.stepMicros = micros(step);
    }

    /** @throws IllegalArgumentException when windows cannot be summed to this step */
    static long micros(Duration step) {
        long seconds = step.toSeconds();
        if (seconds < 1 || step.getNano() != 0 || (seconds > 10 && seconds % 10 != 0) || seconds > 40L * 86_400) {
            throw new IllegalArgumentException(
                    "step: " + step + " (expected: 1 s to 9 s, or a multiple of 10 s up to 40 days)");
        }
        return seconds * 1_000_000;
    }

    /** Windows must come in order of {@code fromMicros}. */
    void add(String source, Part<W> part) {
        long step = Math.floorDiv(summation.fromMicros(part.window()), stepMicros) * stepMicros;
        if (step != current) {
            finishStep();
            current = step;
        }
        series.computeIfAbsent(source + '\n' + summation.service(part.window()), key -> new ArrayList<>())
                .add(part);
    }

    List<WindowStep<W>> finish() {
        finishStep();
        return done;
    }

    private void finishStep() {
        if (series.isEmpty()) {
            return;
        }
        // TreeMap order and a strict comparison: the first by name wins among equals.
        List<Part<W>> best = series.values().stream()
                .reduce((a, b) -> Comparator.<List<Part<W>>>comparingLong(Summation::covered)
                                        .compare(b, a)
                                > 0
                        ? b
                        : a)
                .orElseThrow();
        done.add(new WindowStep<>(
                current, stepMicros, Summation.covered(best), summation.sum(best, current, stepMicros)));
        series.clear();
    }
}
