package dev.komainu.intermediary.upstream;

/**
 * The health of one of several servers: whether it may be used now, as its responses and its active
 * checks tell. All event loops ask and tell.
 *
 * <pre>
 *   IN ──ejectAfter failures in a row──► OUT for base, 2·base, 4·base … most
 *    ▲                                    │ the time is over: requests may try it again
 *    └──── one good answer ◄──────────────┴──── one failure: OUT again, twice as long
 * </pre>
 *
 * Active checks stand beside it: {@code fall} bad ones take a server out, {@code rise} good ones
 * bring it back.
 *
 * <p>The organizer's record of a server beside it is another thing ({@code ServerObservations}): a
 * state that is announced to members, without ejection and without time.
 */
final class ServerHealth {

    final ServerCounts counts = new ServerCounts();
    private volatile HealthSettings settings;
    private volatile boolean hasFailures;
    private volatile boolean downByChecks;
    private volatile long ejectedUntilNanos;
    // Guarded by this.
    private int failures;
    private int ejections;
    private int goodChecks;
    private int badChecks;

    ServerHealth(HealthSettings settings) {
        this.settings = settings;
    }

    /**
     * Other bounds from now on. Without active checks nothing could bring a server back that they
     * took out.
     */
    synchronized void reload(HealthSettings next) {
        settings = next;
        if (next.checkPath() == null) {
            downByChecks = false;
        }
    }

    boolean isUsable(long nowNanos) {
        return !downByChecks && (!hasFailures || ejectedUntilNanos == 0 || nowNanos - ejectedUntilNanos >= 0);
    }

    /** A whole answer, whatever it said. Costs one volatile read while nothing is wrong. */
    void recordSuccess() {
        if (hasFailures) {
            synchronized (this) {
                failures = 0;
                ejections = 0;
                ejectedUntilNanos = 0;
                hasFailures = false;
            }
        }
    }

    /** No connection, no answer, or a broken one. */
    synchronized void recordFailure(long nowNanos) {
        hasFailures = true;
        failures++;
        if (settings.ejectAfter() > 0 && failures >= settings.ejectAfter() && isUsable(nowNanos)) {
            long base = settings.ejectBase().toNanos() << Math.min(ejections, 30);
            long most = settings.ejectMost().toNanos();
            long until = nowNanos + (base <= 0 || base > most ? most : base);
            ejectedUntilNanos = until == 0 ? 1 : until;
            ejections++;
            counts.ejections.increment();
        }
    }

    /** @return true when this check changed whether the server is used */
    synchronized boolean recordCheck(boolean good) {
        if (settings.checkPath() == null) {
            // The last word of a check that ended meanwhile: nobody would take it back.
            return false;
        }
        goodChecks = good ? goodChecks + 1 : 0;
        badChecks = good ? 0 : badChecks + 1;
        boolean before = downByChecks;
        if (downByChecks && goodChecks >= settings.rise()) {
            downByChecks = false;
            recordSuccess();
        } else if (!downByChecks && badChecks >= settings.fall()) {
            downByChecks = true;
        }
        return before != downByChecks;
    }
}
