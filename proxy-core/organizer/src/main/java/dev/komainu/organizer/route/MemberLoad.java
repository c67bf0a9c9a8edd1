package dev.komainu.organizer.route;

import java.util.Map;

/**
 * The load report of a member, sent once a second while it changes.
 *
 * @param incarnation of the member
 * @param announced version of its newest announcement, so that a receiver that missed it can
 *     request it
 * @param sequence number of the report within the incarnation, from 1
 * @param inFlight requests in its server now
 * @param serviceMicros moving mean of the service time, in microseconds; 0: no request yet
 * @param served requests answered by its server since the start
 * @param faults requests refused or broken off by its server since the start
 * @param delayMicros round trips to other members, measured by this member, in microseconds
 */
public record MemberLoad(
        MemberId member,
        long incarnation,
        long announced,
        long sequence,
        int inFlight,
        long serviceMicros,
        long served,
        long faults,
        ServerState state,
        Map<MemberId, Long> delayMicros) {

    public static final int MAX_DELAYS = 1000;

    /**
     * Validates the report.
     *
     * @throws IllegalArgumentException naming the expected value
     */
    public MemberLoad {
        if (incarnation < 1 || announced < 0 || sequence < 1) {
            throw new IllegalArgumentException("incarnation " + incarnation + ", announced "
                    + announced + ", sequence " + sequence + " (expected: from 1, 0 and 1 on)");
        }
        if (inFlight < 0 || serviceMicros < 0 || served < 0 || faults < 0) {
            throw new IllegalArgumentException(
                    "in flight " + inFlight + ", service " + serviceMicros + ", served " + served
                            + ", faults " + faults + " (expected: none below 0)");
        }
        if (delayMicros.size() > MAX_DELAYS
                || delayMicros.values().stream().anyMatch(delay -> delay < 0)) {
            throw new IllegalArgumentException("delays: " + delayMicros.size()
                    + " (expected: at most " + MAX_DELAYS + ", none below 0)");
        }
        delayMicros = Map.copyOf(delayMicros);
    }

    /** Reports whether this replaces another report of the same member. */
    public boolean isNewerThan(MemberLoad other) {
        return incarnation != other.incarnation
                ? incarnation > other.incarnation
                : sequence > other.sequence;
    }

    /** Reports whether all values except the incarnation and the sequence are equal. */
    public boolean hasSameValues(MemberLoad other) {
        return announced == other.announced
                && inFlight == other.inFlight
                && serviceMicros == other.serviceMicros
                && served == other.served
                && faults == other.faults
                && state == other.state
                && delayMicros.equals(other.delayMicros);
    }
}
