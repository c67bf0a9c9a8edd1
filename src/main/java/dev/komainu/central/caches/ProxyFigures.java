package dev.komainu.central.caches;

import java.util.List;
import java.util.Map;

/**
 * The figures that a proxy reports; counters are cumulative since its start.
 *
 * @param numbers by name
 * @param origins the servers that its routes name; empty when the proxy is too old to report them
 */
public record ProxyFigures(Map<String, Double> numbers, List<Origin> origins) {

    public static final ProxyFigures NONE = new ProxyFigures(Map.of(), List.of());

    /**
     * One origin server.
     *
     * @param server HOST:PORT
     * @param up whether requests are sent to it
     * @param open connections now
     * @param waiting requests that wait for a connection now
     * @param ejections number of times it was excluded after consecutive failures
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
