package dev.komainu.agent.connection.tcp;

/**
 * Counts of packets and state that the analyzer had to leave out, by reason. Written by the
 * source's thread; other threads see a recent value.
 */
// One thread writes; volatile only publishes the values.
@SuppressWarnings("NonAtomicVolatileUpdate")
public final class AnalyzerCounts {

    private volatile long evicted;
    private volatile long strays;
    private volatile long unwatched;
    private volatile long wild;
    private volatile long unseen;
    private volatile long forgottenExchanges;
    private volatile long forgottenGaps;
    private volatile long notHeld;

    public AnalyzerCounts() {}

    /**
     * Counts a connection that was written early. Like every counting method: the source's thread
     * only.
     */
    public void countEvicted() {
        evicted++;
    }

    public void countStray() {
        strays++;
    }

    public void countUnwatched() {
        unwatched++;
    }

    public void countWild() {
        wild++;
    }

    public void countForgottenExchange() {
        forgottenExchanges++;
    }

    void countForgottenGap() {
        forgottenGaps++;
    }

    void countNotHeld() {
        notHeld++;
    }

    void countUnseen(int gaps) {
        unseen += gaps;
    }

    /** Returns the connections written early because the table was full. */
    public long evicted() {
        return evicted;
    }

    /**
     * Returns the packets of unknown connections that may not open one: late acknowledgements,
     * resets.
     */
    public long strays() {
        return strays;
    }

    /** Returns the packets of servers that are not watched. */
    public long unwatched() {
        return unwatched;
    }

    /** Returns the packets whose sequence numbers lie beyond any window. */
    public long wild() {
        return wild;
    }

    /** Returns the gaps that were acknowledged but never captured. */
    public long unseen() {
        return unseen;
    }

    /**
     * Returns the gaps not kept because there was no room: if their bytes come later, they count as
     * seen before.
     */
    public long forgottenGaps() {
        return forgottenGaps;
    }

    /**
     * Returns the stream pieces that came too early and were not kept because there was no room:
     * they are read as unknown bytes.
     */
    public long notHeld() {
        return notHeld;
    }

    /**
     * Returns the exchanges not kept one by one because there was no room; the windows include
     * them.
     */
    public long forgottenExchanges() {
        return forgottenExchanges;
    }
}
