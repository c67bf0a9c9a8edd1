package dev.komainu.proxy.tally;

import dev.komainu.telemetry.record.Distribution;
import org.HdrHistogram.Histogram;

/**
 * The sum of all loops' tallies at one instant, with the histograms of the window that just ended.
 *
 * @param counters the cumulative counters and current gauges; their histograms are this window's
 */
public record Totals(LoopTally counters) {

    public Distribution hits() {
        return Distribution.of(counters.hitResponse);
    }

    public Distribution misses() {
        return Distribution.of(counters.missResponse);
    }

    public Distribution origins() {
        return Distribution.of(counters.originResponse);
    }

    /** Adds this window's durations to histograms kept since the start. */
    public void addTo(Histogram hits, Histogram misses, Histogram origins) {
        hits.add(counters.hitResponse);
        misses.add(counters.missResponse);
        origins.add(counters.originResponse);
    }
}
