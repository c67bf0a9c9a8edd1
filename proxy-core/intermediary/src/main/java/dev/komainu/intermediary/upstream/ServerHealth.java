package dev.komainu.intermediary.upstream;

/**
 * The health of one of several servers, from its responses and its active checks. Accessed by all
 * event loops.
 *
 * <pre>
 *   IN ──ejectAfter failures in a row──► OUT for base, 2·base, 4·base … most
 *    ▲                                    │ the time is over: requests are sent again
 *    └──── one good response ◄────────────┴──── one failure: OUT again, twice as long
 * </pre>
 *
 * Active checks are independent of it: {@code fall} bad checks take a server out, {@code rise} good
 * checks bring it back.
 *
 * <p>The organizer's record of a local server is different ({@code ServerObservations}): a state
 * that is announced to members, without ejection and without a time.
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
     * Puts new limits in force. Without active checks, a server that they took out becomes usable
     * again.
     */
    synchronized void reload(HealthSettings next) {
        settings = next;
        if (next.checkPath() == null) {
            downByChecks = false;
        }
    }

    boolean isUsable(long nowNanos) {
        return !downByChecks
                && (!hasFailures || ejectedUntilNanos == 0 || nowNanos - ejectedUntilNanos >= 0);
    }

    /**
     * Records a complete response with any status. Costs one volatile read while nothing is wrong.
     */
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

    /** Records a failed connection, a missing response or a broken one. */
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

    /**
     * Records an active check.
     *
     * @return true when this check changed whether the server is used
     */
    synchronized boolean recordCheck(boolean good) {
        if (settings.checkPath() == null) {
            // A check that ended after checks were switched off: nothing would bring the server
            // back.
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
