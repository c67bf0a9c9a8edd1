package dev.komainu.load;

import dev.komainu.load.browser.CacheIndicator;
import dev.komainu.load.browser.RequestFailure;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** Writes what a load measured: lines for people, numbers for programs. Pure. */
final class LoadResultReport {

    private static final double[] SHOWN = {50, 95, 99};

    private LoadResultReport() {}

    /** A table with a line for each step, and what there is to say about it. */
    static String text(LoadMeasurements measured) {
        StringBuilder out = new StringBuilder();
        measured.show(m -> {
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
            out.append("T_r: from the instant of the wish to the first byte; p50 / p95 / p99.")
                    .append(System.lineSeparator());
            remarks(out, m.all());
        });
        return out.toString();
    }

    private static void line(StringBuilder out, String name, double seconds, RequestTally tally) {
        long answered = tally.answered();
        long signs = tally.answered(CacheIndicator.HIT) + tally.answered(CacheIndicator.MISS);
        Histogram misses = tally.responseMicros(CacheIndicator.MISS);
        misses = misses.copy();
        misses.add(tally.responseMicros(CacheIndicator.UNKNOWN));
        out.append(String.format(
                Locale.ROOT,
                "%-14s %9.1f %9d %8d %7d %7s  %-21s %-21s %-21s %9.2f%n",
                name,
                tally.wished() / seconds,
                answered,
                tally.failed() + tally.turnedAway(),
                tally.errors(),
                signs == 0
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
        List<String> shown = new ArrayList<>();
        for (double percentile : SHOWN) {
            double value = micros.getValueAtPercentile(percentile) / 1e3;
            shown.add(String.format(Locale.ROOT, value < 10 ? "%.2f" : "%.0f", value));
        }
        return String.join(" / ", shown);
    }

    private static void remarks(StringBuilder out, RequestTally all) {
        List<String> failures = new ArrayList<>();
        for (RequestFailure why : RequestFailure.values()) {
            if (all.failed(why) > 0) {
                failures.add(all.failed(why) + " " + name(why.name()));
            }
        }
        if (all.turnedAway() > 0) {
            failures.add(
                    all.turnedAway() + " visitors not sent, because --crowd were there already");
        }
        if (!failures.isEmpty()) {
            out.append("Failed: ")
                    .append(String.join(", ", failures))
                    .append('.')
                    .append(System.lineSeparator());
        }
        if (all.late() * 100 > all.wished()) {
            out.append(String.format(
                    Locale.ROOT,
                    "%d wishes were more than 5 ms late (the worst %.0f ms): this machine is too busy for this load.%n",
                    all.late(),
                    all.latestMicros() / 1e3));
        }
        if (all.answered() > 0 && all.answered(CacheIndicator.UNKNOWN) == all.answered()) {
            out.append("No answer tells whether a cache gave it; all count as misses.")
                    .append(System.lineSeparator());
        }
    }

    /** One line while it goes on. */
    static String progress(LoadMeasurements measured, double second) {
        StringBuilder out = new StringBuilder();
        measured.show(m -> {
            int slice = (int) (second / m.sliceSeconds()) - 1;
            RequestTally last = slice >= 0 && slice < m.slices().size()
                    ? m.slices().get(slice)
                    : new RequestTally(2);
            LoadPhases.Phase phase = m.phases().steps().get(m.phases().stepAt(second));
            out.append(String.format(
                    Locale.ROOT,
                    "%5.0f s  %-12s wished %7.1f/s  answered %7.1f/s  T_r %s ms  failed %d in all%s",
                    second,
                    phase.name(),
                    (double) last.wished() / m.sliceSeconds(),
                    (double) last.answered() / m.sliceSeconds(),
                    millis(last.responseMicros()),
                    m.all().failed() + m.all().turnedAway(),
                    m.all().errors() == 0 ? "" : ", " + m.all().errors() + " answers with 5xx"));
        });
        return out.toString();
    }

    /** Everything, for programs: times in µs. */
    static Map<String, Object> figures(LoadMeasurements measured) {
        Map<String, Object> out = new LinkedHashMap<>();
        measured.show(m -> {
            List<Object> phases = new ArrayList<>();
            for (int i = 0; i < m.steps().size(); i++) {
                LoadPhases.Phase phase = m.phases().steps().get(i);
                Map<String, Object> one = new LinkedHashMap<>();
                one.put("name", phase.name());
                one.put("seconds", phase.seconds());
                figures(one, m.steps().get(i));
                phases.add(one);
            }
            out.put("phases", phases);
            Map<String, Object> all = new LinkedHashMap<>();
            all.put("seconds", m.phases().seconds());
            figures(all, m.all());
            out.put("all", all);
            List<Object> slices = new ArrayList<>();
            for (int i = 0; i < m.slices().size(); i++) {
                Map<String, Object> one = new LinkedHashMap<>();
                one.put("fromSeconds", i * m.sliceSeconds());
                figures(one, m.slices().get(i));
                slices.add(one);
            }
            out.put("sliceSeconds", m.sliceSeconds());
            out.put("slices", slices);
        });
        return out;
    }

    private static void figures(Map<String, Object> out, RequestTally tally) {
        out.put("wished", tally.wished());
        out.put("answered", tally.answered());
        for (CacheIndicator sign : CacheIndicator.values()) {
            out.put(name(sign.name()), tally.answered(sign));
        }
        out.put("serverErrors", tally.errors());
        out.put("postponed", tally.postponed());
        for (RequestFailure why : RequestFailure.values()) {
            out.put(name(why.name()), tally.failed(why));
        }
        out.put("turnedAway", tally.turnedAway());
        out.put("late", tally.late());
        out.put("latestMicros", tally.latestMicros());
        out.put("connections", tally.connections());
        out.put("bodyBytes", tally.bodyBytes());
        Map<String, Object> response = new LinkedHashMap<>();
        response.put("all", times(tally.responseMicros()));
        for (CacheIndicator sign : CacheIndicator.values()) {
            response.put(name(sign.name()), times(tally.responseMicros(sign)));
        }
        out.put("responseMicros", response);
        out.put("wholeMicros", times(tally.wholeMicros()));
        if (!tally.sizes().isEmpty()) {
            List<Object> sizes = new ArrayList<>();
            for (RequestTally.SizeClass size : tally.sizes()) {
                Map<String, Object> one = new LinkedHashMap<>();
                one.put("upToBytes", size.upToBytes() == Long.MAX_VALUE ? null : size.upToBytes());
                one.put("wholeMicros", times(size.wholeMicros()));
                sizes.add(one);
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

    /** As JSON names things: ownLimit. */
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
