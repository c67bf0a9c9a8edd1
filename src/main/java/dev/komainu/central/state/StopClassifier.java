package dev.komainu.central.state;

import dev.komainu.central.indices.MeasurementView;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The classification of a stop as crash, restart or dead link, by the order of events (thesis
 * 3.6.2.1: processed falls to 0, then normal again) and by what is left of the server: a process
 * that starts, a supervisor, its earlier restarts.
 *
 * <pre>
 *   answering ──refused──▶ gap ──4 s, or 2 s when connections were cut or no process is left──▶ unclear
 *                           │                                                                    │
 *                           ├── a process of a new start ──▶ restarting ◀────────────────────────┤
 *                           ├── no process, no new start, no supervisor ──▶ crashed ◀─────────────┤
 *                           │                     longer than its restarts took, at latest 10 s ──┘
 *                           └──────────── answers again within 30 s ──▶ restarting (10 s) ◀── crashed
 *   answering ──refused and answered within the same second or two, then only answered──▶ restarting (10 s)
 *                                                                             └──▶ answering
 *   answering ──SYNs, no packet back for 5 s, no full listen queue──▶ unreachable ──any packet──▶ answering
 * </pre>
 *
 * One per service; used by the assessment's thread only.
 */
final class StopClassifier {

    /**
     * Limits of the classification, in whole seconds except {@code fullShare} and
     * {@code cutConnections}.
     *
     * @param crashedAfter duration of refusals after which a stop is named. The thesis observed a
     *     restart of three (3.6.2.1), and a stop must be reported within five
     * @param cutCrashedAfter the same limit when connections were cut too or no process is left
     * @param unclear time after which a stop of which nothing more is known is a crash. With the
     *     delay of measurements, such a crash is named within 15 s
     * @param starting time that a process of a new start may need until it listens
     * @param cutConnections resets by the server in the three seconds up to a refusal that indicate
     *     a killed process
     * @param restart a shorter stop is a restart, a longer one an outage that ended (spec: answers
     *     again within 30 s)
     * @param restartShown time for which a finished restart stays visible to people
     * @param brief refusals beside responses for longer are no restart: a firewall, or one of
     *     several addresses
     * @param fullShare lowest share of an overflowing listen queue that one sample a second shows
     * @param unreachable time without a packet from the server. Linux repeats a SYN every second
     *     four times first: five seconds contain at least four unanswered ones
     * @param withSyn seconds of those that must contain a SYN: without SYNs the server had nothing
     *     to respond to
     * @param clouded time after a dead link in which clients still repeat SYNs from before (after
     *     1, 3, 7, 15 s) and measuring windows still cover the outage
     */
    record Limits(
            int crashedAfter,
            int cutCrashedAfter,
            int unclear,
            int starting,
            int cutConnections,
            int restart,
            int restartShown,
            int brief,
            double fullShare,
            int unreachable,
            int withSyn,
            int clouded) {

        static final Limits USUAL = new Limits(4, 2, 10, 90, 1, 30, 10, 2, 0.5, 5, 3, 20);
    }

    private static final int RESTARTS_KEPT = 5;

    /** A restart that takes longer than the earlier ones by this factor is none. */
    private static final double LONGER = 1.5;

    private final Limits limits;
    private long judged = Long.MIN_VALUE;
    private long gapSince = Long.MIN_VALUE;
    private long shownUntil = Long.MIN_VALUE;
    private long goneSince = Long.MIN_VALUE;
    private boolean cut;
    /** Number of seconds in a row, up to now, with both refusals and responses. */
    private int refusedBeside;

    /** Durations of the last restarts, in seconds, newest last. */
    private final Deque<Integer> restarts = new ArrayDeque<>();

    StopClassifier(Limits limits) {
        this.limits = limits;
    }

    /** Adds an earlier restart of this service. */
    void restarted(int seconds) {
        restarts.addLast(seconds);
        if (restarts.size() > RESTARTS_KEPT) {
            restarts.removeFirst();
        }
    }

    /**
     * Returns the mark of this second from packets and processes; null when the server is not
     * stopped.
     */
    @Nullable
    Mark watch(MeasurementView view) {
        long now = view.second();
        long from = judged == Long.MIN_VALUE ? now : Math.max(judged + 1, now - 60);
        for (long second = from; second <= now; second++) {
            step(view, second);
        }
        judged = Math.max(judged, now);
        return mark(view, now);
    }

    /**
     * Handles a clock that was set back to this second. A gap continues; a restart is no longer
     * shown.
     */
    void setBack(long second) {
        judged = Math.min(judged, second);
        gapSince = inGap() ? Math.min(gapSince, second) : gapSince;
        goneSince = goneSince == Long.MIN_VALUE ? goneSince : Math.min(goneSince, second);
        shownUntil = Long.MIN_VALUE;
    }

    private void step(MeasurementView view, long second) {
        double refused = view.at("refusedPerSecond", second, 1);
        double processed = view.at("processedPerSecond", second, 1);
        if (processed > 0) {
            if (inGap() && second - gapSince <= limits.restart) {
                shownUntil = second + limits.restartShown;
                restarted((int) (second - gapSince));
            } else if (refused == 0 && refusedBeside > 0 && refusedBeside <= limits.brief) {
                shownUntil = second + limits.restartShown;
            }
            // A full listen queue also refuses connections where tcp_abort_on_overflow is set.
            refusedBeside = refused > 0 && !overflowed(view, second) ? refusedBeside + 1 : 0;
            gapSince = Long.MIN_VALUE;
            cut = false;
        } else if (refused > 0) {
            refusedBeside = 0;
            if (!inGap()) {
                gapSince = second;
                shownUntil = Long.MIN_VALUE;
            }
            cut |= view.at("serverResetsPerSecond", second, 3) * 3 >= limits.cutConnections;
        }
    }

    private @Nullable Mark mark(MeasurementView view, long now) {
        boolean noProcess = view.at("serverProcesses", now, 1) == 0;
        if (!noProcess) {
            goneSince = Long.MIN_VALUE;
        } else if (goneSince == Long.MIN_VALUE) {
            goneSince = now;
        }
        if (inGap()) {
            long length = now - gapSince + 1;
            if (length < (noProcess || cut ? limits.cutCrashedAfter : limits.crashedAfter)) {
                return Mark.GAP;
            }
            return stopped(view, now, length, noProcess, Mark.CRASHED);
        }
        if (noProcess && !(view.at("processedPerSecond", now, 10) > 0)) {
            return stopped(view, now, now - goneSince + 1, true, Mark.NO_PROCESS);
        }
        if (now <= shownUntil) {
            return Mark.RESTARTING;
        }
        return unreachable(view, now) ? Mark.UNREACHABLE : null;
    }

    /** Returns the mark of a stop: a new start, a crash where it is known, else unclear. */
    private Mark stopped(
            MeasurementView view, long now, long length, boolean noProcess, Mark crash) {
        double successors = view.at("successorProcesses", now, 1);
        if (noProcess && successors > 0) {
            return length <= limits.starting ? Mark.STARTING : crash;
        }
        boolean nobodyStartsIt = noProcess && successors == 0 && view.at("supervised", now, 1) == 0;
        return length > longest(nobodyStartsIt) ? crash : Mark.UNCLEAR;
    }

    /** Returns the length up to which a stop can still be a restart. */
    private int longest(boolean nobodyStartsIt) {
        int earlier = restarts.stream().mapToInt(Integer::intValue).max().orElse(-1);
        if (earlier < 0) {
            return nobodyStartsIt ? 0 : limits.unclear;
        }
        int expected = (int) Math.ceil(earlier * LONGER);
        return Math.min(limits.unclear, Math.max(limits.crashedAfter, expected));
    }

    private boolean unreachable(MeasurementView view, long now) {
        int withSyn = 0;
        for (long second = now - limits.unreachable + 1; second <= now; second++) {
            // A full listen queue drops SYNs without a response; the link works.
            if (view.at("serverPacketsPerSecond", second, 1) != 0 || overflowed(view, second)) {
                return false;
            }
            boolean syns = view.at("synRepeatsPerSecond", second, 1) > 0
                    || view.at("connectionsPerSecond", second, 1) > 0;
            withSyn += syns ? 1 : 0;
        }
        return withSyn >= limits.withSyn;
    }

    /** Drops alone do not prove that a listen queue is full: another reason may cause them. */
    private boolean overflowed(MeasurementView view, long second) {
        return view.at("serverListenDropsPerSecond", second, 3) > 0
                && !(view.at("acceptQueueShare", second, 3) < limits.fullShare);
    }

    private boolean inGap() {
        return gapSince != Long.MIN_VALUE;
    }

    /** The conclusion from the order of events. */
    enum Mark {
        /** Refused just now: too early for a conclusion. The previous state is kept. */
        GAP,
        /** Stopped; nothing tells yet whether it was meant. */
        UNCLEAR,
        /** Stopped, and a process of a new start exists. */
        STARTING,
        CRASHED,
        NO_PROCESS,
        RESTARTING,
        UNREACHABLE
    }
}
