package dev.komainu.intermediary.buffer;

import java.util.List;

/**
 * The distribution of the budget, as of the last round. Under {@code kernel} and {@code fixed}
 * nothing is measured: all values but the scheme and the budget are 0.
 *
 * @param inUse connections written to or read from in the last second
 * @param inUseBytes their shares together
 * @param idleBytes shares of idle connections together
 * @param freeBytes bytes that no connection has reserved
 * @param levelBytes level up to which every demand is met
 * @param waiting clients' connections that have used up their shares and wait for acknowledgements
 * @param waits number of such waits since the start
 * @param infoReads number of reads of TCP_INFO for outstanding bytes, since the start
 * @param flows some clients' connections in use
 */
public record BufferFigures(
        BufferScheme scheme,
        long budgetBytes,
        int inUse,
        int idle,
        long inUseBytes,
        long idleBytes,
        long freeBytes,
        long levelBytes,
        int waiting,
        long waits,
        long infoReads,
        List<FlowFigures> flows) {

    /** Connections reported by each event loop, at most. */
    static final int MAX_FLOWS = 64;

    /**
     * The figures of one client's connection.
     *
     * @param bytesPerSecond rate of its path; -1 when no known limit applies
     * @param outstandingBytes upper bound
     */
    public record FlowFigures(
            String client,
            long rttMicros,
            long bytesPerSecond,
            long demandBytes,
            long shareBytes,
            long outstandingBytes) {}

    static BufferFigures none(BufferSettings settings) {
        return new BufferFigures(
                settings.scheme(), settings.budgetBytes(), 0, 0, 0, 0, 0, 0, 0, 0, 0, List.of());
    }
}
