package dev.komainu.central.indices;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One index measured over one window.
 *
 * @param value in the index's unit; absent when nothing was observed
 * @param seconds length of the window
 * @param present seconds of the window with data
 * @param samples responses counted where the index is a percentile, else the seconds present
 * @param underLoss whether the monitor lost packets in the window and the figure comes from packets
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
