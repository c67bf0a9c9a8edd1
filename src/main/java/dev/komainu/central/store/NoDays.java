package dev.komainu.central.store;

import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The day files of a store that has none, and their exports. */
enum NoDays implements DayCopies, DayExports {
    NONE;

    @Override
    public List<LocalDate> days() {
        return List.of();
    }

    @Override
    public List<RollUpCopy> rollUps() {
        return List.of();
    }

    @Override
    public Path file(LocalDate day) {
        throw notStored(day);
    }

    @Override
    public Optional<String> settled(LocalDate day) {
        return Optional.empty();
    }

    @Override
    public Map<String, Long> copy(LocalDate day, Path to) {
        throw notStored(day);
    }

    @Override
    public Map<String, Long> rows(LocalDate day) {
        throw notStored(day);
    }

    @Override
    public List<StoredDay> storedDays() {
        return List.of();
    }

    @Override
    public void export(LocalDate day, ExportKind kind, Target target) throws RefusedException {
        throw new RefusedException(
                RefusedException.Reason.UNKNOWN,
                day + " is in no file; the telemetry is on a server");
    }

    private static StoreException notStored(LocalDate day) {
        return new StoreException("store: " + day + " is in no file", null);
    }
}
