package dev.komainu.central.indices;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One index measured over one window.
 *
 * @param value in the index's unit; absent when nothing could be seen
 * @param seconds length of the window
 * @param present seconds of it that were heard of
 * @param samples answers counted where the index is a percentile, else the seconds present
 * @param underLoss whether the monitor lost packets in the window, and the figure was taken from
 *     packets
 * @param sparkline one value a second, newest last, {@code null} for a gap
 */
public record IndexReading(
        IndexDefinition index,
        @Nullable Double value,
        int seconds,
        int present,
        long samples,
        boolean underLoss,
        List<@Nullable Double> sparkline) {

    public IndexReading {
        sparkline = java.util.Collections.unmodifiableList(sparkline);
    }
}
