package dev.komainu.central.capacity;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.DoubleStream;

/** The usual load at each hour of the week: medians over the observed weeks. Pure. */
final class WeeklyPattern {

    static final int HOURS = 168;

    private WeeklyPattern() {}

    /**
     * Returns the usual busiest minute of each hour, Monday 00:00 UTC first, in requests a second;
     * {@code NaN} for hours without data.
     */
    static double[] peaks(List<HourlyLoad> hours) {
        List<DoubleStream.Builder> byHour = new ArrayList<>();
        for (int i = 0; i < HOURS; i++) {
            byHour.add(DoubleStream.builder());
        }
        hours.forEach(hour -> byHour.get(hour.ofWeek()).add(hour.peak()));
        return byHour.stream()
                .mapToDouble(values -> LoadStep.median(values.build().toArray()))
                .toArray();
    }
}
