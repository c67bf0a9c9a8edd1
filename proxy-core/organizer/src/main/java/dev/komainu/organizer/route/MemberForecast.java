package dev.komainu.organizer.route;

/**
 * The forecast of a member for the next request.
 *
 * @param inFlight requests in its server, as far as is known here
 * @param serviceMicros mean time of its server for one request; 0: unknown
 * @param certainty certainty of {@code serviceMicros}, 0 to 1: a value from few recent requests has
 *     a low certainty
 * @param delayMicros round trip to the member; 0: unknown
 * @param reach whether the member is reachable from here
 * @param share factor for its share, above 0 to 1; below 1 after it has returned
 */
public record MemberForecast(
        int inFlight,
        long serviceMicros,
        double certainty,
        long delayMicros,
        ServerState state,
        Reach reach,
        double share) {

    /** The reachability of a member from here. */
    public enum Reach {
        /** No failure is known. */
        REACHED,
        /** The last attempt failed and the next is due: one request may try. */
        DUE,
        /** The last attempt failed and the next is not yet due. */
        RESTING
    }

    /** Creates the forecast of a member with enough recent requests: its values are certain. */
    public MemberForecast(
            int inFlight, long serviceMicros, long delayMicros, ServerState state, Reach reach) {
        this(inFlight, serviceMicros, serviceMicros == 0 ? 0 : 1, delayMicros, state, reach, 1);
    }
}
