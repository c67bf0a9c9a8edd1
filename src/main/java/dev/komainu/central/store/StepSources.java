package dev.komainu.central.store;

import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The files that a query for steps reads of each day: its roll-ups of ten seconds, of a minute or
 * of an hour, never two of them. This is the only place that decides it.
 *
 * <ul>
 *   <li>Only lengths that divide the step can be read. A day of which only longer ones are kept is
 *       left out; {@link #fittingStep} returns a step for which none is.
 *   <li>Of these, the shortest is read, unless the range has more than {@value #MOST_SLOTS} of
 *       them: then the next longer one, so that a query for a year does not read a million rows.
 *   <li>Where a day lacks this length, the next shorter one is read, else the next longer one.
 * </ul>
 *
 * <p>Pure.
 *
 * @param raw days whose roll-ups of ten seconds are read
 * @param rolled files that are read
 * @param grid the slots of both
 * @param wantedMicros length of the roll-ups of most days
 */
record StepSources(List<DayFile> raw, List<RollUpFile> rolled, SlotGrid grid, long wantedMicros) {

    /** Slots of a range above which a query reads longer roll-ups, for each service and source. */
    static final long MOST_SLOTS = 20_000;

    /**
     * Slots of a range that are read and sorted at once. DuckDB sorts a result in its memory, and
     * three years of hours of one service have 50 MB: they would leave none for a checkpoint.
     */
    private static final long PART_SLOTS = 1_024;

    /** Parts above which a range is not bounded in earnest, and is read as a whole. */
    private static final long MOST_PARTS = 1_000;

    private record Made(LocalDate day, long generation) {}

    /** The stored forms of one day. Roll-ups that lack batches of their day file do not count. */
    private static final class Day {

        private @Nullable DayFile raw;
        private final List<RollUpFile> rolled = new ArrayList<>();

        /** Returns the length of the shortest form in microseconds. */
        long shortest() {
            return raw != null
                    ? StepCollector.SLOT_MICROS
                    : rolled.stream()
                            .mapToLong(file -> file.level().micros())
                            .min()
                            .orElse(0);
        }

        boolean overlaps(TimeRange range) {
            return (raw != null && raw.overlaps(range))
                    || rolled.stream().anyMatch(file -> file.overlaps(range));
        }

        /** Returns the lengths that divide a step, shortest first. */
        List<Long> lengths(long step) {
            List<Long> lengths = new ArrayList<>();
            if (raw != null) {
                lengths.add(StepCollector.SLOT_MICROS);
            }
            rolled.stream()
                    .map(file -> file.level().micros())
                    .filter(length -> step % length == 0)
                    .sorted()
                    .forEach(lengths::add);
            return lengths;
        }

        @Nullable
        RollUpFile rolled(long length) {
            return rolled.stream()
                    .filter(file -> file.level().micros() == length)
                    .findFirst()
                    .orElse(null);
        }
    }

    /**
     * Chooses what is read.
     *
     * @param step length of a step in microseconds, a multiple of ten seconds
     */
    static StepSources of(List<DayFile> raw, List<RollUpFile> rolled, TimeRange range, long step) {
        long wanted = wanted(range, step);
        List<DayFile> days = new ArrayList<>();
        List<RollUpFile> files = new ArrayList<>();
        long hoursBefore = Long.MIN_VALUE;
        long minutesBefore = Long.MIN_VALUE;
        for (Map.Entry<Made, Day> each : byDay(raw, rolled).entrySet()) {
            Day day = each.getValue();
            Long length = nearest(day.lengths(step), wanted);
            if (length == null) {
                continue;
            }
            RollUpFile file = length == StepCollector.SLOT_MICROS ? null : day.rolled(length);
            if (file == null) {
                DayFile dayFile = day.raw;
                if (dayFile != null && dayFile.overlaps(range.widened(RollUpLevel.HOUR.micros()))) {
                    days.add(dayFile);
                }
            } else if (file.overlaps(range)) {
                files.add(file);
                long end = end(each.getKey());
                if (file.level() == RollUpLevel.HOUR) {
                    hoursBefore = Math.max(hoursBefore, end);
                } else {
                    minutesBefore = Math.max(minutesBefore, end);
                }
            }
        }
        return new StepSources(
                List.copyOf(days),
                List.copyOf(files),
                new SlotGrid(hoursBefore, minutesBefore, StepCollector.SLOT_MICROS),
                wanted);
    }

    /** Returns the tables in SQL that have roll-ups of a range. */
    List<String> tables(TimeRange range) {
        List<String> tables = new ArrayList<>();
        for (DayFile file : raw) {
            if (file.overlaps(range)) {
                tables.add(file.name() + ".rollups");
            }
        }
        List<RollUpFile> files =
                rolled.stream().filter(file -> file.overlaps(range)).toList();
        if (!files.isEmpty()) {
            tables.add("read_parquet(" + RollUpFiles.list(files) + ")");
        }
        return tables;
    }

    /** Divides a range into parts of whole slots, in order of time. */
    List<TimeRange> parts(TimeRange range) {
        double slots = ((double) range.toMicros() - (double) range.fromMicros()) / wantedMicros;
        if (slots <= PART_SLOTS || slots > MOST_PARTS * PART_SLOTS) {
            return List.of(range);
        }
        // Whole hours, so that no slot of any length is divided.
        long hour = RollUpLevel.HOUR.micros();
        long length = Math.ceilDiv(PART_SLOTS * wantedMicros, hour) * hour;
        List<TimeRange> parts = new ArrayList<>();
        long from = range.fromMicros();
        while (from < range.toMicros()) {
            long to = Math.min(RollUpLevel.HOUR.startOf(from) + length, range.toMicros());
            parts.add(new TimeRange(from, to));
            from = to;
        }
        return parts;
    }

    private static Map<Made, Day> byDay(List<DayFile> raw, List<RollUpFile> rolled) {
        Map<Made, Day> days = new HashMap<>();
        for (DayFile file : raw) {
            days.computeIfAbsent(new Made(file.day(), file.generation()), key -> new Day()).raw =
                    file;
        }
        for (RollUpFile file : rolled) {
            Day day =
                    days.computeIfAbsent(new Made(file.day(), file.generation()), key -> new Day());
            if (day.raw == null || file.isComplete(day.raw)) {
                day.rolled.add(file);
            }
        }
        return days;
    }

    private static long end(Made made) {
        return made.day().plusDays(1).atStartOfDay(ZoneOffset.UTC).toEpochSecond() * 1_000_000;
    }

    /** Returns the shortest length that divides a step and of which a range has not too many. */
    private static long wanted(TimeRange range, long step) {
        long wanted = StepCollector.SLOT_MICROS;
        for (RollUpLevel level : RollUpLevel.values()) {
            if (step % level.micros() == 0 && isTooLongFor(range, wanted)) {
                wanted = level.micros();
            }
        }
        return wanted;
    }

    private static boolean isTooLongFor(TimeRange range, long length) {
        double slots = ((double) range.toMicros() - (double) range.fromMicros()) / length;
        return slots > MOST_SLOTS;
    }

    /** Returns the wanted length, else the next shorter one, else the next longer one. */
    private static @Nullable Long nearest(List<Long> lengths, long wanted) {
        return lengths.stream()
                .filter(length -> length <= wanted)
                .max(Comparator.naturalOrder())
                .orElse(lengths.isEmpty() ? null : lengths.getFirst());
    }

    /**
     * Returns the shortest step of at least the wished length in which every kept day of the range
     * can be shown. Long ranges get a multiple of a minute or an hour if that is shorter than the
     * wished step, because their roll-ups are read faster.
     */
    static Duration fittingStep(
            List<DayFile> raw, List<RollUpFile> rolled, TimeRange range, Duration wished) {
        long step = wished.toSeconds() * 1_000_000;
        long unit = step < StepCollector.SLOT_MICROS ? 1_000_000 : StepCollector.SLOT_MICROS;
        for (RollUpLevel level : RollUpLevel.values()) {
            if (level.micros() <= step && isTooLongFor(range, unit)) {
                unit = level.micros();
            }
        }
        for (Day day : byDay(raw, rolled).values()) {
            if (day.raw == null && day.overlaps(range)) {
                unit = Math.max(unit, day.shortest());
            }
        }
        long fitting = Math.ceilDiv(Math.max(step, unit), unit) * unit;
        return Duration.ofSeconds(fitting / 1_000_000);
    }
}
