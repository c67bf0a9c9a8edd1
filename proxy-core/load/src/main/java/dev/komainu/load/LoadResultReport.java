package dev.komainu.load;

import dev.komainu.load.browser.CacheIndicator;
import dev.komainu.load.browser.RequestFailure;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** The report of a load: lines for users, numbers for programs. Pure functions. */
final class LoadResultReport {

    private static final double[] PERCENTILES = {50, 95, 99};

    private LoadResultReport() {}

    /** Returns a table with a line for each step, followed by remarks. */
    static String text(LoadMeasurements measurements) {
        StringBuilder out = new StringBuilder();
        measurements.read(m -> {
            out.append(String.format(
                    Locale.ROOT,
                    "%-14s %9s %9s %8s %7s %7s  %-21s %-21s %-21s %9s%n",
                    "phase",
                    "wished/s",
                    "answered",
                    "failed",
                    "5xx",
                    "hits",
                    "T_r hit, ms",
                    "T_r miss, ms",
                    "last byte, ms",
                    "Mbit/s"));
            for (int i = 0; i < m.steps().size(); i++) {
                LoadPhases.Phase phase = m.phases().steps().get(i);
                line(out, phase.name(), phase.seconds(), m.steps().get(i));
            }
            if (m.steps().size() > 1) {
                line(out, "all", m.phases().seconds(), m.all());
            }
            out.append("T_r: from the instant of the request to the first byte; p50 / p95 / p99.")
                    .append(System.lineSeparator());
            remarks(out, m.all());
        });
        return out.toString();
    }

    private static void line(StringBuilder out, String name, double seconds, RequestTally tally) {
        long answered = tally.answered();
        long indicated = tally.answered(CacheIndicator.HIT) + tally.answered(CacheIndicator.MISS);
        Histogram misses = tally.responseMicros(CacheIndicator.MISS);
        misses = misses.copy();
        misses.add(tally.responseMicros(CacheIndicator.UNKNOWN));
        out.append(String.format(
                Locale.ROOT,
                "%-14s %9.1f %9d %8d %7d %7s  %-21s %-21s %-21s %9.2f%n",
                name,
                tally.requested() / seconds,
                answered,
                tally.failed() + tally.turnedAway(),
                tally.errors(),
                indicated == 0
                        ? "-"
                        : String.format(
                                Locale.ROOT,
                                "%.1f %%",
                                100.0 * tally.answered(CacheIndicator.HIT) / answered),
                millis(tally.responseMicros(CacheIndicator.HIT)),
                millis(misses),
                millis(tally.wholeMicros()),
                tally.bodyBytes() * 8 / 1e6 / seconds));
    }

    private static String millis(Histogram micros) {
        if (micros.getTotalCount() == 0) {
            return "-";
        }
        List<String> formatted = new ArrayList<>();
        for (double percentile : PERCENTILES) {
            double value = micros.getValueAtPercentile(percentile) / 1e3;
            formatted.add(String.format(Locale.ROOT, value < 10 ? "%.2f" : "%.0f", value));
        }
        return String.join(" / ", formatted);
    }

    private static void remarks(StringBuilder out, RequestTally all) {
        List<String> failures = new ArrayList<>();
        for (RequestFailure failure : RequestFailure.values()) {
            if (all.failed(failure) > 0) {
                failures.add(all.failed(failure) + " " + name(failure.name()));
            }
        }
        if (all.turnedAway() > 0) {
            failures.add(all.turnedAway() + " visitors not sent because of the limit --crowd");
        }
        if (!failures.isEmpty()) {
            out.append("Failed: ")
                    .append(String.join(", ", failures))
                    .append('.')
                    .append(System.lineSeparator());
        }
        if (all.late() * 100 > all.requested()) {
            out.append(String.format(
                    Locale.ROOT,
                    "%d requests were more than 5 ms late (at most %.0f ms): this machine is too busy for this load.%n",
                    all.late(),
                    all.latestMicros() / 1e3));
        }
        if (all.answered() > 0 && all.answered(CacheIndicator.UNKNOWN) == all.answered()) {
            out.append("No response has a field of a cache; all count as misses.")
                    .append(System.lineSeparator());
        }
    }

    /** Returns one line of progress. */
    static String progress(LoadMeasurements measurements, double second) {
        StringBuilder out = new StringBuilder();
        measurements.read(m -> {
            int slice = (int) (second / m.sliceSeconds()) - 1;
            RequestTally last = slice >= 0 && slice < m.slices().size()
                    ? m.slices().get(slice)
                    : new RequestTally(2);
            LoadPhases.Phase phase = m.phases().steps().get(m.phases().stepAt(second));
            out.append(String.format(
                    Locale.ROOT,
                    "%5.0f s  %-12s wished %7.1f/s  answered %7.1f/s  T_r %s ms  failed %d in total%s",
                    second,
                    phase.name(),
                    (double) last.requested() / m.sliceSeconds(),
                    (double) last.answered() / m.sliceSeconds(),
                    millis(last.responseMicros()),
                    m.all().failed() + m.all().turnedAway(),
                    m.all().errors() == 0 ? "" : ", " + m.all().errors() + " responses with 5xx"));
        });
        return out.toString();
    }

    /** Returns all values, for programs: times in µs. */
    static Map<String, Object> figures(LoadMeasurements measurements) {
        Map<String, Object> out = new LinkedHashMap<>();
        measurements.read(m -> {
            List<Object> phases = new ArrayList<>();
            for (int i = 0; i < m.steps().size(); i++) {
                LoadPhases.Phase phase = m.phases().steps().get(i);
                Map<String, Object> members = new LinkedHashMap<>();
                members.put("name", phase.name());
                members.put("seconds", phase.seconds());
                figures(members, m.steps().get(i));
                phases.add(members);
            }
            out.put("phases", phases);
            Map<String, Object> all = new LinkedHashMap<>();
            all.put("seconds", m.phases().seconds());
            figures(all, m.all());
            out.put("all", all);
            List<Object> slices = new ArrayList<>();
            for (int i = 0; i < m.slices().size(); i++) {
                Map<String, Object> members = new LinkedHashMap<>();
                members.put("fromSeconds", i * m.sliceSeconds());
                figures(members, m.slices().get(i));
                slices.add(members);
            }
            out.put("sliceSeconds", m.sliceSeconds());
            out.put("slices", slices);
        });
        return out;
    }

    private static void figures(Map<String, Object> out, RequestTally tally) {
        out.put("wished", tally.requested());
        out.put("answered", tally.answered());
        for (CacheIndicator indicator : CacheIndicator.values()) {
            out.put(name(indicator.name()), tally.answered(indicator));
        }
        out.put("serverErrors", tally.errors());
        out.put("postponed", tally.postponed());
        for (RequestFailure failure : RequestFailure.values()) {
            out.put(name(failure.name()), tally.failed(failure));
        }
        out.put("turnedAway", tally.turnedAway());
        out.put("late", tally.late());
        out.put("latestMicros", tally.latestMicros());
        out.put("connections", tally.connections());
        out.put("bodyBytes", tally.bodyBytes());
        Map<String, Object> response = new LinkedHashMap<>();
        response.put("all", times(tally.responseMicros()));
        for (CacheIndicator indicator : CacheIndicator.values()) {
            response.put(name(indicator.name()), times(tally.responseMicros(indicator)));
        }
        out.put("responseMicros", response);
        out.put("wholeMicros", times(tally.wholeMicros()));
        if (!tally.sizes().isEmpty()) {
            List<Object> sizes = new ArrayList<>();
            for (RequestTally.SizeClass size : tally.sizes()) {
                Map<String, Object> members = new LinkedHashMap<>();
                members.put(
                        "upToBytes", size.upToBytes() == Long.MAX_VALUE ? null : size.upToBytes());
                members.put("wholeMicros", times(size.wholeMicros()));
                sizes.add(members);
            }
            out.put("sizes", sizes);
        }
    }

    private static Map<String, Object> times(Histogram micros) {
        Map<String, Object> out = new LinkedHashMap<>();
        out.put("count", micros.getTotalCount());
        if (micros.getTotalCount() > 0) {
            out.put("mean", Math.round(micros.getMean()));
            out.put("p50", micros.getValueAtPercentile(50));
            out.put("p90", micros.getValueAtPercentile(90));
            out.put("p95", micros.getValueAtPercentile(95));
            out.put("p99", micros.getValueAtPercentile(99));
            out.put("p999", micros.getValueAtPercentile(99.9));
            out.put("max", micros.getMaxValue());
        }
        return out;
    }

    /** Returns a name in the style of JSON: ownLimit. */
    private static String name(String constant) {
        StringBuilder name = new StringBuilder();
        for (String word : constant.toLowerCase(Locale.ROOT).split("_")) {
            name.append(
                    name.isEmpty()
                            ? word
                            : Character.toUpperCase(word.charAt(0)) + word.substring(1));
        }
        return name.toString();
    }
}
