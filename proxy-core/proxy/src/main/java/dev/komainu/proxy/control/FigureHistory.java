package dev.komainu.proxy.control;

import com.sun.management.OperatingSystemMXBean;
import dev.komainu.proxy.report.ProxySnapshot;
import dev.komainu.proxy.tally.LoopTally;
import dev.komainu.telemetry.record.Distribution;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The readings of the last hour, one sample a minute, for averages over five and sixty minutes. Fed
 * once a second by the report's thread; read by any thread.
 */
final class FigureHistory {

    private static final long MINUTE_MICROS = 60_000_000;
    private static final int MAX_SAMPLES = 61;

    // Guarded by this; the oldest first.
    private final Deque<Sample> samples = new ArrayDeque<>();
    private @Nullable Sample latest;

    /**
     * The readings at one instant.
     *
     * @param counters cumulative since the start, without durations
     * @param hits durations of hits since the start
     * @param cpuNanos CPU time of this process since its start
     * @param swapOuts records written to the disk tier
     * @param swapIns records restored from the disk tier
     */
    record Sample(
            long atMicros,
            LoopTally counters,
            Distribution hits,
            long cpuNanos,
            long swapOuts,
            long swapIns) {}

    static long swapOuts(ProxySnapshot figures) {
        return figures.cache().disk() == null
                ? 0
                : figures.cache().disk().writes().written();
    }

    static long swapIns(ProxySnapshot figures) {
        return figures.cache().disk() == null
                ? 0
                : figures.cache().disk().reads().found();
    }

    /** The time between two samples. */
    record Span(Sample from, Sample to) {

        double seconds() {
            return Math.max(1, to.atMicros - from.atMicros) / 1e6;
        }

        /** Returns the median duration of hits in seconds; null when there was none. */
        @Nullable
        Double hitMedianSeconds() {
            Histogram hits = to.hits.toHistogram();
            if (from.hits.count() > 0) {
                hits.subtract(from.hits.toHistogram());
            }
            return hits.getTotalCount() == 0 ? null : hits.getValueAtPercentile(50) / 1e6;
        }
    }

    synchronized void add(ProxySnapshot figures) {
        if (samples.isEmpty()) {
            samples.add(new Sample(
                    figures.startedMicros(), new LoopTally(), Distribution.empty(), 0, 0, 0));
        }
        Sample now = new Sample(
                figures.atMicros(),
                figures.counters().counters(),
                Distribution.of(figures.times().hitResponse()),
                cpuNanos(),
                swapOuts(figures),
                swapIns(figures));
        latest = now;
        if (now.atMicros - samples.getLast().atMicros >= MINUTE_MICROS) {
            samples.add(now);
            if (samples.size() > MAX_SAMPLES) {
                samples.removeFirst();
            }
        }
    }

    /**
     * Returns the last so many minutes, or less when there are fewer samples; null before the
     * first.
     */
    synchronized @Nullable Span last(int minutes) {
        Sample to = latest;
        if (to == null) {
            return null;
        }
        Sample from = samples.getFirst();
        for (Iterator<Sample> samplesFromLatest = samples.descendingIterator();
                samplesFromLatest.hasNext(); ) {
            Sample sample = samplesFromLatest.next();
            // Tolerance of a second: samples are taken at full seconds, slightly early or late.
            if (to.atMicros - sample.atMicros >= minutes * MINUTE_MICROS - 1_000_000) {
                from = sample;
                break;
            }
        }
        return new Span(from, to);
    }

    private static long cpuNanos() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
                ? system.getProcessCpuTime()
                : 0;
    }
}
