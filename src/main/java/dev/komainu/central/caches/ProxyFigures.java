package dev.komainu.central.caches;

import java.util.List;
import java.util.Map;

/**
 * The figures that a proxy reports; counters are cumulative since its start.
 *
 * @param numbers by name
 * @param origins the servers that its routes name; none from a proxy too old to tell
 */
public record ProxyFigures(Map<String, Double> numbers, List<Origin> origins) {

    public static final ProxyFigures NONE = new ProxyFigures(Map.of(), List.of());

    /**
     * One of them.
     *
     * @param server HOST:PORT
     * @param up whether requests are sent to it
     * @param open connections now
     * @param waiting requests that wait for a connection now
     * @param ejections times it was left out for failures in a row
     */
    public record Origin(
            String server,
            boolean up,
            long open,
            long waiting,
            long requests,
            long failures,
            long ejections) {}
}
