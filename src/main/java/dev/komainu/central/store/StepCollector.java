package dev.komainu.central.store;

import dev.komainu.central.store.Summation.Part;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.wire.MalformedBatchException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Collects windows in order of time into steps. One source speaks for each slot of time (a second,
 * or ten seconds where steps are coarse); see {@link SourceSelection}. Where the one that tells
 * most of a slot does not tell all of it and others speak too, the slot is put together second by
 * second from the windows as they came, so that no second is counted twice or lost when one probe
 * takes over from another. The first and the last second a source tells of it may have seen only in
 * part: they are taken from another where there is one. One question's, one thread's.
 */
final class StepCollector<W extends TelemetryRecord> {

    /**
     * Windows roll up to this; ranges in coarser steps read raw windows only where sources take
     * turns.
     */
    static final long SLOT_MICROS = 10_000_000;

    private static final long SECOND_MICROS = 1_000_000;

    /** A window and who told it. */
    record Told<W>(String source, W window) {}

    /** Gives the windows of a stretch as they came. */
    @FunctionalInterface
    interface Raw<W> {
        List<Told<W>> of(TimeRange range) throws SQLException, MalformedBatchException;
    }

    private final Summation<W> summation;
    private final SourceSelection<W> speakers;
    private final Raw<W> raw;
    private final long stepMicros;
    private final long slotMicros;
    private final List<WindowStep<W>> done = new ArrayList<>();
    private final List<Part<W>> inStep = new ArrayList<>();
    private long step = Long.MIN_VALUE;

    /** The windows of a slot, by source. */
    private record Slot<W extends TelemetryRecord>(
            long fromMicros, Map<String, SourceSelection.Speech<W>> speeches) {}

    // A slot is decided when the next one is known: who begins or ends to speak may not know its
    // first or last second.
    private @Nullable Slot<W> before;
    private @Nullable Slot<W> waiting;
    private @Nullable Slot<W> filling;

    /** @param id the service's own id: who calls it so stands beside it */
    StepCollector(Summation<W> summation, Duration step, String id, Raw<W> raw) {
        this.summation = summation;
        this.speakers = new SourceSelection<>(summation, id);
        this.raw = raw;
        this.stepMicros = micros(step);
        this.slotMicros = stepMicros < SLOT_MICROS ? SECOND_MICROS : SLOT_MICROS;
    }

    /** @throws IllegalArgumentException when windows cannot be summed to this step */
    static long micros(Duration step) {
        long seconds = step.toSeconds();
        if (seconds < 1
                || step.getNano() != 0
                || (seconds > 10 && seconds % 10 != 0)
                || seconds > 40L * 86_400) {
            throw new IllegalArgumentException("step: " + step
                    + " (expected: 1 s to 9 s, or a multiple of 10 s up to 40 days)");
        }
        return seconds * 1_000_000;
    }

    /** Windows must come in order of {@code fromMicros}, at least from slot to slot. */
    void add(String source, Part<W> part) throws SQLException, MalformedBatchException {
        long from = Math.floorDiv(summation.fromMicros(part.window()), slotMicros) * slotMicros;
        Slot<W> slot = filling;
        if (slot == null || slot.fromMicros() != from) {
            shift();
            slot = new Slot<>(from, new TreeMap<>());
            filling = slot;
        }
        slot.speeches()
                .computeIfAbsent(source, key -> new SourceSelection.Speech<>(key, summation))
                .add(part);
    }

    List<WindowStep<W>> finish() throws SQLException, MalformedBatchException {
        shift();
        shift();
        finishStep();
        return done;
    }

    private void shift() throws SQLException, MalformedBatchException {
        Slot<W> settled = waiting;
        if (settled != null) {
            settle(settled);
            before = settled;
        }
        waiting = filling;
        filling = null;
    }

    private void settle(Slot<W> slot) throws SQLException, MalformedBatchException {
        long newStep = Math.floorDiv(slot.fromMicros(), stepMicros) * stepMicros;
        if (newStep != step) {
            finishStep();
            step = newStep;
        }
        Collection<SourceSelection.Speech<W>> told = slot.speeches().values();
        if (told.size() > 1 && slotMicros == SECOND_MICROS) {
            List<SourceSelection.Speech<W>> sure =
                    told.stream().filter(speech -> isWhole(slot, speech)).toList();
            told = sure.isEmpty() ? told : sure;
        }
        SourceSelection.Speech<W> best = speakers.best(told, null);
        if (told.size() == 1 || slotMicros == SECOND_MICROS || isWhole(slot, best)) {
            inStep.addAll(best.parts());
        } else {
            secondBySecond(slot.fromMicros(), best);
        }
    }

    /**
     * Whether it told of every second of this slot, and the first and last of them were not its
     * first and last at all.
     */
    private boolean isWhole(Slot<W> slot, SourceSelection.Speech<W> speech) {
        return speech.coveredMicros() >= slotMicros
                && goesOn(before, slot.fromMicros() - slotMicros, speech.source())
                && goesOn(filling, slot.fromMicros() + slotMicros, speech.source());
    }

    /**
     * Where nothing is known of the neighbour (the range ends), nothing speaks against it. A
     * neighbour with seconds missing may lack those beside this slot.
     */
    private boolean goesOn(@Nullable Slot<W> neighbour, long fromMicros, String source) {
        if (neighbour == null) {
            return true;
        }
        SourceSelection.Speech<W> there = neighbour.speeches().get(source);
        return neighbour.fromMicros() == fromMicros
                && there != null
                && there.coveredMicros() >= slotMicros;
    }

    private void secondBySecond(long from, SourceSelection.Speech<W> mostly)
            throws SQLException, MalformedBatchException {
        TreeMap<Long, Map<String, SourceSelection.Speech<W>>> seconds = new TreeMap<>();
        // One more at either side tells whose first and last seconds these are.
        for (Told<W> told :
                raw.of(new TimeRange(from - SECOND_MICROS, from + slotMicros + SECOND_MICROS))) {
            long second = Math.floorDiv(summation.fromMicros(told.window()), SECOND_MICROS);
            seconds.computeIfAbsent(second, key -> new TreeMap<>())
                    .computeIfAbsent(
                            told.source(), key -> new SourceSelection.Speech<>(key, summation))
                    .add(new Part<>(told.window(), summation.lengthMicros(told.window())));
        }
        long first = from / SECOND_MICROS;
        var within = seconds.subMap(first, first + slotMicros / SECOND_MICROS);
        if (within.isEmpty()) {
            inStep.addAll(mostly.parts());
        }
        within.forEach((second, voices) -> {
            Map<String, SourceSelection.Speech<W>> earlier =
                    seconds.getOrDefault(second - 1, Map.of());
            Map<String, SourceSelection.Speech<W>> later =
                    seconds.getOrDefault(second + 1, Map.of());
            List<SourceSelection.Speech<W>> sure = voices.values().stream()
                    .filter(voice -> earlier.containsKey(voice.source())
                            && later.containsKey(voice.source()))
                    .toList();
            inStep.addAll(speakers.best(sure.isEmpty() ? voices.values() : sure, mostly.source())
                    .parts());
        });
    }

    private void finishStep() {
        if (!inStep.isEmpty()) {
            done.add(new WindowStep<>(
                    step,
                    stepMicros,
                    Summation.covered(inStep),
                    summation.sum(inStep, step, stepMicros)));
            inStep.clear();
        }
    }
}
