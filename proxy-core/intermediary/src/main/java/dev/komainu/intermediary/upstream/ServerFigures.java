package dev.komainu.intermediary.upstream;

/**
 * The state of one server that a route names, over all event loops.
 *
 * @param server {@code host:port}
 * @param up true when requests are sent to it: it is neither ejected nor down by its checks
 * @param open connections now, parked ones included
 * @param waiting requests that wait for a connection now
 * @param requests sent since the start
 * @param failures requests without a complete response, and connections that could not be opened,
 *     since the start
 * @param waits requests that had to wait for a connection, since the start
 * @param waitedMicros total time of these waits, in microseconds
 * @param ejections times it was ejected after failures in a row, since the start
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
