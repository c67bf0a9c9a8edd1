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
 * The collection of windows, in order of time, into steps. For each slot of time (a second; ten
 * seconds for coarse steps; a minute or an hour where only these are kept, {@link SlotGrid}) the
 * windows of one source count; see {@link SourceSelection}. When the source with the best coverage
 * does not cover the whole ten seconds and other sources report too, the slot is assembled second
 * by second from the raw windows, so that no second is counted twice or lost when one probe takes
 * over from another. The first and the last second of a source's reports may be partial: another
 * source's windows replace them where available. In a minute or an hour no raw windows are left:
 * the source that covers most of it counts. Used for one query by one thread.
 */
final class StepCollector<W extends TelemetryRecord> {

    /**
     * Length of a roll-up slot. Ranges in coarser steps read raw windows only where the source
     * changes.
     */
    static final long SLOT_MICROS = 10_000_000;

    private static final long SECOND_MICROS = 1_000_000;

    /** A window and its source. */
    record SourceWindow<W>(String source, W window) {}

    /** A reader of the raw windows of a short range. */
    @FunctionalInterface
    interface Raw<W> {
        List<SourceWindow<W>> of(TimeRange range) throws SQLException, MalformedBatchException;
    }

    private final Summation<W> summation;
    private final SourceSelection<W> selection;
    private final Raw<W> raw;
    private final long stepMicros;
    private final SlotGrid grid;
    private final List<WindowStep<W>> done = new ArrayList<>();
    private final List<Part<W>> inStep = new ArrayList<>();
    private long step = Long.MIN_VALUE;

    /** The windows of a slot, by source. */
    private record Slot<W extends TelemetryRecord>(
            long fromMicros,
            long lengthMicros,
            Map<String, SourceSelection.SlotWindows<W>> bySource) {

        boolean isAt(long from, long length) {
            return fromMicros == from && lengthMicros == length;
        }
    }

    // A slot is closed when the next one is known: a source that starts or stops may not cover its
    // first or last second.
    private @Nullable Slot<W> before;
    private @Nullable Slot<W> waiting;
    private @Nullable Slot<W> filling;

    /**
     * Creates a collector.
     *
     * @param id the service's own id: a source that uses it runs beside the service
     * @param grid lengths of the slots of a step of ten seconds and more
     */
    StepCollector(Summation<W> summation, Duration step, String id, SlotGrid grid, Raw<W> raw) {
        this.summation = summation;
        this.selection = new SourceSelection<>(id);
        this.raw = raw;
        this.stepMicros = micros(step);
        this.grid = stepMicros < SLOT_MICROS ? SlotGrid.of(SECOND_MICROS) : grid;
    }

    /**
     * Returns the length of a step.
     *
     * @throws IllegalArgumentException when windows cannot be summed to this step
     */
    static long micros(Duration step) {
        long seconds = step.toSeconds();
        if (seconds < 1
                || step.toNanosPart() != 0
                || (seconds > 10 && seconds % 10 != 0)
                || seconds > 40L * 86_400) {
            throw new IllegalArgumentException("step: " + step
                    + " (expected: 1 s to 9 s, or a multiple of 10 s up to 40 days)");
        }
        return seconds * 1_000_000;
    }

    /**
     * Adds a window. Windows must come in order of {@code fromMicros}, at least from slot to slot.
     */
    void add(String source, Part<W> part) throws SQLException, MalformedBatchException {
        long instant = summation.fromMicros(part.window());
        long length = grid.lengthAt(instant);
        long from = Math.floorDiv(instant, length) * length;
        Slot<W> slot = filling;
        if (slot == null || !slot.isAt(from, length)) {
            shift();
            slot = new Slot<>(from, length, new TreeMap<>());
            filling = slot;
        }
        slot.bySource()
                .computeIfAbsent(source, key -> new SourceSelection.SlotWindows<>(key, summation))
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
        Collection<SourceSelection.SlotWindows<W>> candidates = slot.bySource().values();
        long slotMicros = slot.lengthMicros();
        if (slotMicros > SLOT_MICROS) {
            inStep.addAll(selection.mostCovering(candidates).parts());
            return;
        }
        if (candidates.size() > 1 && slotMicros == SECOND_MICROS && !hasUnion(slot)) {
            List<SourceSelection.SlotWindows<W>> complete = candidates.stream()
                    .filter(windows -> isComplete(slot, windows))
                    .toList();
            candidates = complete.isEmpty() ? candidates : complete;
        }
        SourceSelection.SlotWindows<W> best = selection.best(candidates, null);
        if (candidates.size() == 1
                || slotMicros == SECOND_MICROS
                || (hasUnion(slot) && best.coveredMicros() >= slotMicros)
                || (!hasUnion(slot) && isComplete(slot, best))) {
            inStep.addAll(best.parts());
        } else {
            secondBySecond(slot, best);
        }
    }

    private static <W extends TelemetryRecord> boolean hasUnion(Slot<W> slot) {
        return slot.bySource().containsKey(SourceSelection.UNION);
    }

    /**
     * Reports whether the source covered every second of this slot, and the slot's first and last
     * second are not the source's first and last.
     */
    private boolean isComplete(Slot<W> slot, SourceSelection.SlotWindows<W> windows) {
        long length = slot.lengthMicros();
        return windows.coveredMicros() >= length
                && continues(before, slot.fromMicros() - length, length, windows.source())
                && continues(filling, slot.fromMicros() + length, length, windows.source());
    }

    /**
     * Reports whether a source continues into a neighbour slot. An unknown neighbour (the range
     * ends) counts as continued. A neighbour with missing seconds may lack the seconds next to this
     * slot.
     */
    private boolean continues(
            @Nullable Slot<W> neighbour, long fromMicros, long length, String source) {
        if (neighbour == null) {
            return true;
        }
        SourceSelection.SlotWindows<W> neighbourWindows = neighbour.bySource().get(source);
        return neighbour.isAt(fromMicros, length)
                && neighbourWindows != null
                && neighbourWindows.coveredMicros() >= length;
    }

    private void secondBySecond(Slot<W> slot, SourceSelection.SlotWindows<W> best)
            throws SQLException, MalformedBatchException {
        long from = slot.fromMicros();
        long slotMicros = slot.lengthMicros();
        TreeMap<Long, Map<String, SourceSelection.SlotWindows<W>>> seconds = new TreeMap<>();
        // One more second at either side shows which first and last seconds are the source's own.
        for (SourceWindow<W> window :
                raw.of(new TimeRange(from - SECOND_MICROS, from + slotMicros + SECOND_MICROS))) {
            long second = Math.floorDiv(summation.fromMicros(window.window()), SECOND_MICROS);
            seconds.computeIfAbsent(second, key -> new TreeMap<>())
                    .computeIfAbsent(
                            window.source(),
                            key -> new SourceSelection.SlotWindows<>(key, summation))
                    .add(new Part<>(window.window(), summation.lengthMicros(window.window())));
        }
        long first = from / SECOND_MICROS;
        var within = seconds.subMap(first, first + slotMicros / SECOND_MICROS);
        if (within.isEmpty()) {
            inStep.addAll(best.parts());
        }
        within.forEach((second, slots) -> {
            Map<String, SourceSelection.SlotWindows<W>> earlier =
                    seconds.getOrDefault(second - 1, Map.of());
            Map<String, SourceSelection.SlotWindows<W>> later =
                    seconds.getOrDefault(second + 1, Map.of());
            List<SourceSelection.SlotWindows<W>> complete = slots.values().stream()
                    .filter(windows -> !slots.containsKey(SourceSelection.UNION))
                    .filter(windows -> earlier.containsKey(windows.source())
                            && later.containsKey(windows.source()))
                    .toList();
            inStep.addAll(selection
                    .best(complete.isEmpty() ? slots.values() : complete, best.source())
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
