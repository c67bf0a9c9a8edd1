package dev.komainu.central.store;

import dev.komainu.central.store.Summation.Part;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Windows of one kind that are not yet rolled up, by slot of time. A slot may be rolled up in
 * several pieces, which queries add up. Not thread-safe.
 *
 * <p>With slots of ten seconds these are the windows that are stored raw only: they and the rows of
 * the roll-up table together are complete. After a crash they are filled again from the raw windows
 * of the batches after the last roll-up's mark; the store's roll-up lock guards them. With longer
 * slots they are the windows of a closed day that {@link DayRollUp} rolls up.
 */
final class RollUps<W extends TelemetryRecord> {

    /** A piece of a slot. */
    record Piece<W>(String source, Part<W> part) {}

    private record Slot(String source, String service, long fromMicros) {}

    private final Summation<W> summation;
    private final long slotMicros;
    private final Map<Slot, List<Part<W>>> slots = new HashMap<>();
    private int windows;

    /**
     * Creates roll-ups without windows.
     *
     * @param slotMicros length of a slot
     */
    RollUps(Summation<W> summation, long slotMicros) {
        this.summation = summation;
        this.slotMicros = slotMicros;
    }

    void add(String source, W window) {
        add(source, new Part<>(window, summation.lengthMicros(window)));
    }

    /** Adds a window that may have gaps. */
    void add(String source, Part<W> part) {
        W window = part.window();
        long from = Math.floorDiv(summation.fromMicros(window), slotMicros) * slotMicros;
        slots.computeIfAbsent(
                        new Slot(source, summation.service(window), from), key -> new ArrayList<>())
                .add(part);
        windows++;
    }

    /** Returns the number of windows that are not yet rolled up. */
    int size() {
        return windows;
    }

    boolean isEmpty() {
        return slots.isEmpty();
    }

    /** Returns all slots, each summed to one piece; the slots stay here until {@link #clear}. */
    List<Piece<W>> pieces() {
        List<Piece<W>> pieces = new ArrayList<>(slots.size());
        slots.forEach((slot, parts) -> pieces.add(piece(slot, parts)));
        return pieces;
    }

    /** Returns the slots of these services that begin within a range, each summed to one piece. */
    List<Piece<W>> pieces(Collection<String> services, TimeRange range) {
        List<Piece<W>> pieces = new ArrayList<>();
        slots.forEach((slot, parts) -> {
            if (services.contains(slot.service()) && range.contains(slot.fromMicros())) {
                pieces.add(piece(slot, parts));
            }
        });
        return pieces;
    }

    private Piece<W> piece(Slot slot, List<Part<W>> parts) {
        List<Part<W>> ordered = new ArrayList<>(parts);
        ordered.sort((a, b) ->
                Long.compare(summation.fromMicros(a.window()), summation.fromMicros(b.window())));
        return new Piece<>(
                slot.source(),
                new Part<>(
                        summation.sum(ordered, slot.fromMicros(), slotMicros),
                        Summation.covered(ordered)));
    }

    void clear() {
        slots.clear();
        windows = 0;
    }
}
