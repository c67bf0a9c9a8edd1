package dev.komainu.telemetry.metrics;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.AbstractHistogram;
import org.jspecify.annotations.Nullable;

/**
 * One metric with its samples, for metrics whose labels come and go, and for histograms that exist.
 * Not thread-safe; built for one page.
 */
public final class MetricFamily {

    /** Upper bounds of the buckets, in seconds. */
    private static final double[] BOUNDS = {
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
        10
    };

    private enum Type {
        COUNTER,
        GAUGE,
        INFO,
        HISTOGRAM
    }

    private record Sample(
            Labels labels, double value, @Nullable AbstractHistogram micros) {}

    private final Type type;
    private final String name;
    private final String help;
    private final List<Sample> samples = new ArrayList<>();

    private MetricFamily(Type type, String name, String help) {
        this.type = type;
        this.name = name;
        this.help = help;
    }

    /** Returns a counter; its name is without {@code _total}. */
    public static MetricFamily counter(String name, String help) {
        return new MetricFamily(Type.COUNTER, name, help);
    }

    public static MetricFamily gauge(String name, String help) {
        return new MetricFamily(Type.GAUGE, name, help);
    }

    /** Returns a metric whose labels are the message; its name is without {@code _info}. */
    public static MetricFamily info(String name, String help, String... labels) {
        return new MetricFamily(Type.INFO, name, help).sample(1L, labels);
    }

    /**
     * Returns a histogram of durations in seconds.
     *
     * @param micros the durations in microseconds
     */
    public static MetricFamily histogram(String name, String help, AbstractHistogram micros) {
        MetricFamily family = new MetricFamily(Type.HISTOGRAM, name, help);
        family.samples.add(new Sample(Labels.EMPTY, 0, micros));
        return family;
    }

    /**
     * Adds a sample.
     *
     * @param labels names and values in turn
     */
    public MetricFamily sample(double value, String... labels) {
        samples.add(new Sample(Labels.of(labels), value, null));
        return this;
    }

    /**
     * Adds a sample.
     *
     * @param labels names and values in turn
     */
    public MetricFamily sample(long value, String... labels) {
        return sample((double) value, labels);
    }

    /**
     * Returns the families that have samples, for a registry of the Prometheus client.
     *
     * @param prefix begins each name
     */
    public static List<MetricSnapshot> snapshots(String prefix, List<MetricFamily> families) {
        return families.stream()
                .filter(family -> !family.samples.isEmpty())
                .map(family -> family.snapshot(prefix))
                .toList();
    }

    private MetricSnapshot snapshot(String prefix) {
        return switch (type) {
            case COUNTER -> counters(prefix);
            case GAUGE -> gauges(prefix);
            case INFO -> infos(prefix);
            case HISTOGRAM -> histograms(prefix);
        };
    }

    private CounterSnapshot counters(String prefix) {
        CounterSnapshot.Builder all =
                CounterSnapshot.builder().name(prefix + name).help(help);
        for (Sample sample : samples) {
            all.dataPoint(CounterSnapshot.CounterDataPointSnapshot.builder()
                    .labels(sample.labels())
                    .value(sample.value())
                    .build());
        }
        return all.build();
    }

    private GaugeSnapshot gauges(String prefix) {
        GaugeSnapshot.Builder all = GaugeSnapshot.builder().name(prefix + name).help(help);
        for (Sample sample : samples) {
            all.dataPoint(GaugeSnapshot.GaugeDataPointSnapshot.builder()
                    .labels(sample.labels())
                    .value(sample.value())
                    .build());
        }
        return all.build();
    }

    private InfoSnapshot infos(String prefix) {
        InfoSnapshot.Builder all = InfoSnapshot.builder().name(prefix + name).help(help);
        for (Sample sample : samples) {
            all.dataPoint(InfoSnapshot.InfoDataPointSnapshot.builder()
                    .labels(sample.labels())
                    .build());
        }
        return all.build();
    }

    private HistogramSnapshot histograms(String prefix) {
        HistogramSnapshot.Builder all =
                HistogramSnapshot.builder().name(prefix + name).help(help);
        for (Sample sample : samples) {
            AbstractHistogram micros = sample.micros();
            if (micros != null) {
                all.dataPoint(HistogramSnapshot.HistogramDataPointSnapshot.builder()
                        .labels(sample.labels())
                        .classicHistogramBuckets(buckets(micros))
                        .sum(sum(micros))
                        .build());
            }
        }
        return all.build();
    }

    private static ClassicHistogramBuckets buckets(AbstractHistogram micros) {
        ClassicHistogramBuckets.Builder buckets = ClassicHistogramBuckets.builder();
        long total = micros.getTotalCount();
        long below = 0;
        for (double bound : BOUNDS) {
            // An empty histogram has no range to count in.
            long upTo = total == 0 ? 0 : micros.getCountBetweenValues(0, Math.round(bound * 1e6));
            buckets.bucket(bound, upTo - below);
            below = upTo;
        }
        return buckets.bucket(Double.POSITIVE_INFINITY, total - below).build();
    }

    private static double sum(AbstractHistogram micros) {
        long total = micros.getTotalCount();
        return total == 0 ? 0 : micros.getMean() * total / 1e6;
    }
}
