package dev.komainu.intermediary.buffer;

import java.util.List;
import java.util.concurrent.Executor;

/**
 * An event loop as the budget sees it: asked once a second, and told up to where wants are met.
 * Called on {@link #loop} only.
 */
interface BufferLoop {

    /**
     * What a loop wants at one look.
     *
     * @param wants of connections in use, in bytes
     * @param idleBytes held by idle ones
     * @param flows clients' connections in use, most outstanding first, a few of them
     */
    record Survey(
            long[] demands,
            long idleBytes,
            int idle,
            int waiting,
            long waits,
            long infoReads,
            List<BufferFigures.FlowFigures> flows) {}

    /** The loop itself; for tasks of any thread. */
    Executor loop();

    /** Looks at every connection in use, and at those whose idle shares are due to be halved. */
    Survey survey();

    /**
     * Idle ones, where their shares decay at all, keep the least from now on. Before
     * {@link #setLevel}.
     */
    void shrinkIdle();

    /** Every want is met up to here. */
    void setLevel(long bytes);
}
