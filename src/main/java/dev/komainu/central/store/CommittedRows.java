package dev.komainu.central.store;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The rows in ClickHouse that count at one instant: those of all ordinals up to the last committed
 * one, except the voided. Immutable.
 *
 * @param last the last ordinal that was committed
 * @param voided ranges of ordinals that do not count, both ends included, ascending
 * @param days the days with batches
 * @param rollUpDays the days with roll-ups
 */
record CommittedRows(
        long last,
        List<Ordinals> voided,
        NavigableMap<LocalDate, Day> days,
        NavigableMap<LocalDate, Day> rollUpDays) {

    static final CommittedRows NONE =
            new CommittedRows(0, List.of(), new TreeMap<>(), new TreeMap<>());

    /** A range of ordinals, both ends included. */
    record Ordinals(long first, long last) {}

    /**
     * A day of arrival.
     *
     * @param batches number of batches, or of roll-ups
     * @param first earliest instant among its records, in microseconds
     * @param last latest instant
     */
    record Day(long batches, long first, long last) {

        static final Day EMPTY = new Day(0, Long.MAX_VALUE, Long.MIN_VALUE);

        Day with(long count, long from, long to) {
            return new Day(batches + count, Math.min(first, from), Math.max(last, to));
        }

        private boolean overlaps(TimeRange range) {
            return last >= range.fromMicros() && first < range.toMicros();
        }
    }

    CommittedRows {
        voided = List.copyOf(voided);
    }

    /** Returns the condition that a row of single records counts, within the days of a range. */
    String condition(TimeRange range) {
        return condition(days, range);
    }

    /** Returns the condition that a roll-up counts, within the days of a range. */
    String rollUpCondition(TimeRange range) {
        return condition(rollUpDays, range);
    }

    private String condition(NavigableMap<LocalDate, Day> of, TimeRange range) {
        List<String> parts = new ArrayList<>();
        List<LocalDate> in = of.keySet().stream()
                .filter(day -> of.getOrDefault(day, Day.EMPTY).overlaps(range))
                .toList();
        if (in.isEmpty()) {
            return "0";
        }
        parts.add("day IN ('"
                + String.join("', '", in.stream().map(LocalDate::toString).toList()) + "')");
        parts.add("key < " + ((last + 1) << Rows.KEY_BITS));
        for (Ordinals each : voided) {
            parts.add("NOT (key >= " + (each.first() << Rows.KEY_BITS) + " AND key < "
                    + ((each.last() + 1) << Rows.KEY_BITS) + ")");
        }
        return String.join(" AND ", parts);
    }

    /** Returns the condition that a row with an ordinal of its own counts. */
    static String ofOrdinal(Collection<Ordinals> voided) {
        List<String> parts = new ArrayList<>(List.of("1"));
        for (Ordinals each : voided) {
            parts.add("NOT (ordinal >= " + each.first() + " AND ordinal <= " + each.last() + ")");
        }
        return String.join(" AND ", parts);
    }

    /** Returns the same rows and those of another commit. */
    CommittedRows committed(long ordinal, LocalDate day, Day added) {
        NavigableMap<LocalDate, Day> more = new TreeMap<>(days);
        Day before = more.getOrDefault(day, Day.EMPTY);
        more.put(day, before.with(added.batches(), added.first(), added.last()));
        return new CommittedRows(ordinal, voided, more, rollUpDays);
    }

    /** Returns the same rows and the roll-ups of another commit. */
    CommittedRows rolledUp(long ordinal, LocalDate day, Day added) {
        NavigableMap<LocalDate, Day> more = new TreeMap<>(rollUpDays);
        Day before = more.getOrDefault(day, Day.EMPTY);
        more.put(day, before.with(added.batches(), added.first(), added.last()));
        return new CommittedRows(ordinal, voided, days, more);
    }

    /** Returns the rows without those of a range of ordinals. */
    CommittedRows without(Ordinals range) {
        List<Ordinals> all = new ArrayList<>(voided);
        Ordinals newest = all.isEmpty() ? null : all.getLast();
        if (newest != null && newest.last() + 1 == range.first()) {
            all.set(all.size() - 1, new Ordinals(newest.first(), range.last()));
        } else {
            all.add(range);
        }
        return new CommittedRows(last, all, days, rollUpDays);
    }

    /** Returns the rows without those of a day that was deleted. */
    CommittedRows withoutDay(LocalDate day) {
        NavigableMap<LocalDate, Day> fewer = new TreeMap<>(days);
        fewer.remove(day);
        return new CommittedRows(last, voided, fewer, rollUpDays);
    }

    /** Returns the rows without the roll-ups of a day that were deleted. */
    CommittedRows withoutRollUpsOf(LocalDate day) {
        NavigableMap<LocalDate, Day> fewer = new TreeMap<>(rollUpDays);
        fewer.remove(day);
        return new CommittedRows(last, voided, days, fewer);
    }

    long batches() {
        return days.values().stream().mapToLong(Day::batches).sum();
    }
}
