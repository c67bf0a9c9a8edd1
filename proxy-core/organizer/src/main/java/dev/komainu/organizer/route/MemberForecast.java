package dev.komainu.organizer.route;

/**
 * What is to be expected of a member now.
 *
 * @param inFlight requests its server has, as far as is known here
 * @param serviceMicros what its server takes for one; 0: unknown
 * @param certainty how far that holds, 0 to 1: what few requests of late have shown says little of
 *     the next
 * @param delayMicros round trip to it; 0: unknown
 * @param reach whether it was reached from here of late
 * @param share what it may have of its share, above 0 to 1: less than all while it is newly back
 */
public record MemberForecast(
        int inFlight,
        long serviceMicros,
        double certainty,
        long delayMicros,
        ServerState state,
        Reach reach,
        double share) {

    /** Whether a member was reached from here. */
    public enum Reach {
        /** As far as is known. */
        REACHED,
        /** Not at the last attempt, and the next is due: one request may try. */
        DUE,
        /** Not at the last attempt: none before the next is due. */
        RESTING
    }

    /** Of a member that has long been asked: what is known holds. */
    public MemberForecast(
            int inFlight, long serviceMicros, long delayMicros, ServerState state, Reach reach) {
        this(inFlight, serviceMicros, serviceMicros == 0 ? 0 : 1, delayMicros, state, reach, 1);
    }
}
