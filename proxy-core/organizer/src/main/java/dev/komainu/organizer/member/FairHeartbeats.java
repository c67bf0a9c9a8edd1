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
 * Heartbeats (FD_ALL3) that do not take this process's own lateness for the others' silence: while
 * it is late ({@link ProcessLateness}), nobody's silence is judged, and the time a suspect has to
 * answer and a view to be acknowledged grow. Two things are watched: when the look itself comes,
 * and how long a task given to the transport's threads waits there, behind everything that was
 * received and not handled.
 *
 * <p>Without it, members that start together on few processors suspect each other, part, and pay
 * for each merge by as many TLS handshakes as there are members, late again. A process that is
 * killed is not seen later for it: its connections break.
 *
 * <p>Who has just come into the view has five seconds ({@link NewMembers}) for the first word to
 * each of the others: handshakes with all of them come first.
 *
 * <p>On the wire it is FD_ALL3. JGroups makes it, by its name in the stack.
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
            newcomers.heard(sender);
        }
        super.update(sender, logged, unlessKnown);
    }

    @Override
    protected <T> boolean needsToBeSuspected(Address member, T heard) {
        return !newcomers.isExcused(member) && super.needsToBeSuspected(member, heard);
    }

    @Override
    protected Runnable createTimeoutChecker() {
        return new Look(super.createTimeoutChecker());
    }

    /** On JGroups' timer thread. */
    private final class Look implements Runnable {

        private final Runnable look;
        private final ProcessLateness lateness = new ProcessLateness();
        /** When a task was given away that has not run yet, else {@link #NONE}. */
        private final AtomicLong givenNanos = new AtomicLong(NONE);

        private final AtomicLong waitedNanos = new AtomicLong();

        private final @Nullable VERIFY_SUSPECT2 doubt = stack.findProtocol(VERIFY_SUSPECT2.class);
        private final @Nullable GMS views = stack.findProtocol(GMS.class);
        private final long doubtMillis = doubt == null ? 0 : doubt.getTimeout();
        private final long viewMillis = views == null ? 0 : views.getViewAckCollectionTimeout();
        private final long mergeMillis = views == null ? 0 : views.getMergeTimeout();
        private long lastNanos;
        private boolean began;

        Look(Runnable look) {
            this.look = look;
        }

        @Override
        public void run() {
            long now = System.nanoTime();
            if (began) {
                lateness.late(now - lastNanos - interval * MILLI, now);
            }
            began = true;
            lastNanos = now;
            long given = givenNanos.get();
            lateness.late(given == NONE ? waitedNanos.get() : now - given, now);
            if (given == NONE) {
                givenNanos.set(now);
                getTransport().getThreadPool().execute(() -> {
                    waitedNanos.set(System.nanoTime() - now);
                    givenNanos.set(NONE);
                });
            }
            long patience = lateness.patienceMillis(now);
            if (doubt != null) {
                doubt.setTimeout(doubtMillis + patience);
            }
            if (views != null) {
                // Nobody joins while these are waited for.
                long bounded = Math.min(MOST_FOR_VIEWS_MILLIS, patience);
                views.setViewAckCollectionTimeout(viewMillis + bounded);
                views.setMergeTimeout(mergeMillis + bounded);
            }
            if (patience == 0) {
                look.run();
            }
        }
    }
}
