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
 * The figures of the last hour, one sample a minute, so that averages over five and sixty minutes
 * can be told. Fed once a second by the report's thread; asked by any.
 */
final class FigureHistory {

    private static final long MINUTE_MICROS = 60_000_000;
    private static final int KEPT = 61;

    // Guarded by this; the oldest first.
    private final Deque<Sample> samples = new ArrayDeque<>();
    private @Nullable Sample latest;

    /**
     * @param counters cumulative since the start
     * @param hits durations of hits since the start
     * @param cpuNanos of this process since its start
     * @param swapOuts records written to the disk tier
     * @param swapIns records brought back from there
     */
    record Sample(
            long atMicros,
            LoopTally counters,
            Distribution hits,
            long cpuNanos,
            long swapOuts,
            long swapIns) {}

    static long swapOuts(ProxySnapshot figures) {
        return figures.disk() == null ? 0 : figures.disk().written();
    }

    static long swapIns(ProxySnapshot figures) {
        return figures.disk() == null ? 0 : figures.disk().found();
    }

    /** What happened between two samples. */
    record Span(Sample from, Sample to) {

        double seconds() {
            return Math.max(1, to.atMicros - from.atMicros) / 1e6;
        }

        /** Median duration of hits in seconds; absent when there was none. */
        @Nullable
        Double hitMedianSeconds() {
            Histogram hits = to.hits.toHistogram();
            if (from.hits.count() > 0) {
                hits.subtract(from.hits.toHistogram());
            }
            return hits.getTotalCount() == 0 ? null : hits.getValueAtPercentile(50) / 1e6;
        }
    }

    synchronized void take(ProxySnapshot figures) {
        if (samples.isEmpty()) {
            samples.add(new Sample(
                    figures.startedMicros(), new LoopTally(), Distribution.empty(), 0, 0, 0));
        }
        Sample now = new Sample(
                figures.atMicros(),
                figures.counters(),
                Distribution.of(figures.hitResponse()),
                cpuNanos(),
                swapOuts(figures),
                swapIns(figures));
        latest = now;
        if (now.atMicros - samples.getLast().atMicros >= MINUTE_MICROS) {
            samples.add(now);
            if (samples.size() > KEPT) {
                samples.removeFirst();
            }
        }
    }

    /**
     * The last so many minutes, or less when there were not so many; absent before the first
     * figures.
     */
    synchronized @Nullable Span last(int minutes) {
        Sample to = latest;
        if (to == null) {
            return null;
        }
        Sample from = samples.getFirst();
        for (Iterator<Sample> younger = samples.descendingIterator(); younger.hasNext(); ) {
            Sample sample = younger.next();
            // A second's grace: samples are taken at full seconds, a little early or late.
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
