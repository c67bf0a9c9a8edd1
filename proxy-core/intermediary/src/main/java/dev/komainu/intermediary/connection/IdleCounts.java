package dev.komainu.intermediary.connection;

import java.util.concurrent.atomic.LongAdder;

/**
 * Idle connections that the proxy closed since its start, by side and reason. Those that their
 * peers closed are not here. All loops add, anybody reads.
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

    public long closedSoFar(ConnectionSide side, CloseReason reason) {
        return counter(side, reason).sum();
    }
}
