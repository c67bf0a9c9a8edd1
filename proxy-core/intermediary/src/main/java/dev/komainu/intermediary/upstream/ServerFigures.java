package dev.komainu.intermediary.upstream;

/**
 * How one server that a route names fares, over all event loops.
 *
 * @param server {@code host:port}
 * @param up whether requests are sent to it: neither ejected nor taken out by its checks
 * @param open connections now, parked ones included
 * @param waiting requests that wait for a connection now
 * @param requests sent since start
 * @param failures requests without a whole answer, and connections that could not be had, since
 *     start
 * @param waits requests that had to wait for a connection, since start
 * @param waitedMicros their time together, in microseconds
 * @param ejections times it was left out for failures in a row, since start
 */
public record ServerFigures(
        String server,
        boolean up,
        long open,
        long waiting,
        long requests,
        long failures,
        long waits,
        long waitedMicros,
        long ejections) {}
