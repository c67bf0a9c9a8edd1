package dev.komainu.organizer.member;

import java.util.concurrent.atomic.AtomicLong;
import org.jgroups.Address;
import org.jgroups.View;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.FD_ALL3;
import org.jgroups.protocols.VERIFY_SUSPECT2;
import org.jgroups.protocols.pbcast.GMS;
import org.jspecify.annotations.Nullable;

/**
 * Heartbeats (FD_ALL3) that do not mistake this process's own lateness for the silence of other
 * members. While this process is late ({@link ProcessLateness}), no member is suspected, and two
 * timeouts grow: for the answer of a suspect and for the acknowledgement of a view. Two values are
 * measured: the lateness of the check itself, and the time that a task of the transport's thread
 * pool waits behind all received messages.
 *
 * <p>Without this, members that start together on few processors suspect each other and split. Each
 * merge then costs as many TLS handshakes as there are members, which makes them late again. A
 * killed process is detected as early as before: its connections break.
 *
 * <p>A member that has just joined the view has five seconds ({@link NewMembers}) for its first
 * message to each other member: it needs handshakes with all of them first.
 *
 * <p>On the wire this is FD_ALL3. JGroups creates it by its name in the stack.
 */
public final class FairHeartbeats extends FD_ALL3 {

    private static final long MILLI = 1_000_000L;
    private static final long MOST_FOR_VIEWS_MILLIS = 2_000;
    private static final long NONE = Long.MIN_VALUE;

    private final NewMembers newcomers = new NewMembers(System::nanoTime);

    public FairHeartbeats() {
        setId(ClassConfigurator.getProtocolId(FD_ALL3.class));
    }

    @Override
    protected void handleViewChange(View next) {
        newcomers.view(
                next.getMembers(),
                member -> timestamps.containsKey(member) || member.equals(local_addr));
        super.handleViewChange(next);
    }

    @Override
    protected void update(Address sender, boolean logged, boolean unlessKnown) {
        if (!unlessKnown) {
            newcomers.received(sender);
        }
        super.update(sender, logged, unlessKnown);
    }

    @Override
    protected <T> boolean needsToBeSuspected(Address member, T lastHeartbeat) {
        return !newcomers.isExcused(member) && super.needsToBeSuspected(member, lastHeartbeat);
    }

    @Override
    protected Runnable createTimeoutChecker() {
        return new Check(super.createTimeoutChecker());
    }

    /** The check of heartbeats. On JGroups' timer thread. */
    private final class Check implements Runnable {

        private final Runnable check;
        private final ProcessLateness lateness = new ProcessLateness();
        /**
         * Start time of the task in the thread pool that has not run yet; {@link #NONE}: no task.
         */
        private final AtomicLong submittedNanos = new AtomicLong(NONE);

        private final AtomicLong waitedNanos = new AtomicLong();

        private final @Nullable VERIFY_SUSPECT2 verification =
                stack.findProtocol(VERIFY_SUSPECT2.class);
        private final @Nullable GMS membership = stack.findProtocol(GMS.class);
        private final long verificationMillis =
                verification == null ? 0 : verification.getTimeout();
        private final long viewMillis =
                membership == null ? 0 : membership.getViewAckCollectionTimeout();
        private final long mergeMillis = membership == null ? 0 : membership.getMergeTimeout();
        private long lastNanos;
        private boolean hasRun;

        Check(Runnable check) {
            this.check = check;
        }

        @Override
        public void run() {
            long now = System.nanoTime();
            if (hasRun) {
                lateness.late(now - lastNanos - interval * MILLI, now);
            }
            hasRun = true;
            lastNanos = now;
            long submitted = submittedNanos.get();
            lateness.late(submitted == NONE ? waitedNanos.get() : now - submitted, now);
            if (submitted == NONE) {
                submittedNanos.set(now);
                getTransport().getThreadPool().execute(() -> {
                    waitedNanos.set(System.nanoTime() - now);
                    submittedNanos.set(NONE);
                });
            }
            long patience = lateness.patienceMillis(now);
            if (verification != null) {
                verification.setTimeout(verificationMillis + patience);
            }
            if (membership != null) {
                // No member can join while these timeouts run.
                long bounded = Math.min(MOST_FOR_VIEWS_MILLIS, patience);
                membership.setViewAckCollectionTimeout(viewMillis + bounded);
                membership.setMergeTimeout(mergeMillis + bounded);
            }
            if (patience == 0) {
                check.run();
            }
        }
    }
}
