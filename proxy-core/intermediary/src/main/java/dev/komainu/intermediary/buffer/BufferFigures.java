package dev.komainu.intermediary.buffer;

import java.util.List;

/**
 * How the budget is shared, as of the last second. Under {@code kernel} and {@code fixed} nothing
 * of it is looked at: all but the scheme and the budget are 0 then.
 *
 * @param inUse connections that something was written to or read from in the last second
 * @param inUseBytes their shares together
 * @param idleBytes held by idle ones
 * @param freeBytes held by nobody
 * @param levelBytes up to which every want is met
 * @param waiting clients' connections that have used up their shares and wait for acknowledgements
 * @param waits how often one did, since start
 * @param infoReads how often one was asked what is outstanding, since start
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

    /** Of each event loop. */
    static final int MAX_FLOWS = 64;

    /**
     * One client's connection.
     *
     * @param bytesPerSecond its path's, -1 when nothing that is known bounds it
     * @param outstandingBytes at most so many
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
