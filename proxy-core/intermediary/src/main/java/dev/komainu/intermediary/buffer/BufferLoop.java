package dev.komainu.intermediary.buffer;

import java.util.List;
import java.util.concurrent.Executor;

/**
 * An event loop as seen by the budget: it reports once a second and receives the level. Called on
 * {@link #loop} only.
 */
interface BufferLoop {

    /**
     * The report of one loop.
     *
     * @param demands of connections in use, in bytes
     * @param idleBytes shares of idle connections together
     * @param flows clients' connections in use, a few of them
     */
    record Survey(
            long[] demands,
            long idleBytes,
            int idle,
            int waiting,
            long waits,
            long infoReads,
            List<BufferFigures.FlowFigures> flows) {}

    /** Returns the loop itself, for tasks of any thread. */
    Executor loop();

    /** Measures every connection in use, and the idle ones whose shares are due to be halved. */
    Survey survey();

    /** Reduces idle shares that decay to the minimum. Called before {@link #setLevel}. */
    void shrinkIdle();

    /** Sets the level up to which every demand is met. */
    void setLevel(long bytes);
}
