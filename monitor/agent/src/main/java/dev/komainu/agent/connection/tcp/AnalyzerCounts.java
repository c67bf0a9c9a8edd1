package dev.komainu.agent.connection.tcp;

/**
 * What the analyzer had to leave out, by reason. Written by the source's thread; others see a
 * recent value.
 */
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

    /** The source's thread only, as every method that counts. */
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

    /** Connections written early because the table was full. */
    public long evicted() {
        return evicted;
    }

    /** Packets of no known connection that may not open one: late acknowledgements, resets. */
    public long strays() {
        return strays;
    }

    /** Packets of servers that are not watched. */
    public long unwatched() {
        return unwatched;
    }

    /** Packets whose sequence numbers lie beyond any window. */
    public long wild() {
        return wild;
    }

    /** Gaps that were acknowledged but never captured. */
    public long unseen() {
        return unseen;
    }

    /**
     * Gaps not remembered for want of room: should their bytes still come, they count as seen
     * before.
     */
    public long forgottenGaps() {
        return forgottenGaps;
    }

    /**
     * Pieces of streams that came too early and were not held back for want of room: they are read
     * as unknown bytes.
     */
    public long notHeld() {
        return notHeld;
    }

    /** Exchanges not remembered one by one for want of room; they are in the windows. */
    public long forgottenExchanges() {
        return forgottenExchanges;
    }
}
