package dev.komainu.organizer.route;

import java.util.Map;

/**
 * How a member does, as it says itself once a second while that changes.
 *
 * @param incarnation of the member
 * @param announced version of its newest announcement, so that whoever missed it may ask
 * @param sequence counts its reports of this life, from 1
 * @param inFlight requests its server has now
 * @param serviceMicros moving mean of what its server takes for one, in microseconds; 0: none seen
 *     yet
 * @param served requests its server answered since it began
 * @param faults requests its server refused or broke off since then
 * @param delayMicros round trips to others, measured by it, in microseconds
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

    public static final int MOST_DELAYS = 1000;

    /** @throws IllegalArgumentException naming what was expected */
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
        if (delayMicros.size() > MOST_DELAYS
                || delayMicros.values().stream().anyMatch(delay -> delay < 0)) {
            throw new IllegalArgumentException("delays: " + delayMicros.size()
                    + " (expected: at most " + MOST_DELAYS + ", none below 0)");
        }
        delayMicros = Map.copyOf(delayMicros);
    }

    /** Whether this replaces another of the same member. */
    public boolean isNewerThan(MemberLoad other) {
        return incarnation != other.incarnation
                ? incarnation > other.incarnation
                : sequence > other.sequence;
    }

    /**
     * Whether it says the same of the server and the way to it; counts of what is long over do not
     * matter.
     */
    public boolean saysAs(MemberLoad other) {
        return announced == other.announced
                && inFlight == other.inFlight
                && serviceMicros == other.serviceMicros
                && served == other.served
                && faults == other.faults
                && state == other.state
                && delayMicros.equals(other.delayMicros);
    }
}
