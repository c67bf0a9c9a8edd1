package dev.komainu.intermediary.connection;

import java.util.concurrent.atomic.LongAdder;

/**
 * The idle connections that the proxy has closed since its start, by side and reason. Connections
 * closed by their peers are not counted. All loops add, any thread reads.
 */
public final class IdleCounts {

    private final LongAdder[] closed =
            new LongAdder[ConnectionSide.values().length * CloseReason.values().length];

    public IdleCounts() {
        for (int i = 0; i < closed.length; i++) {
            closed[i] = new LongAdder();
        }
    }

    private LongAdder counter(ConnectionSide side, CloseReason reason) {
        return closed[side.ordinal() * CloseReason.values().length + reason.ordinal()];
    }

    public void closed(ConnectionSide side, CloseReason reason) {
        counter(side, reason).increment();
    }

    /** Returns the number of connections closed since the start. Any thread. */
    public long closedSoFar(ConnectionSide side, CloseReason reason) {
        return counter(side, reason).sum();
    }
}
