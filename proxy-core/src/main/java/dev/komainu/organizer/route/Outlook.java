package dev.komainu.organizer.route;

/**
 * What is to be expected of a member now.
 *
 * @param inFlight requests its server has, as far as is known here
 * @param serviceMicros what its server takes for one; 0: unknown
 * @param delayMicros round trip to it; 0: unknown
 * @param reach whether it was reached from here of late
 */
public record Outlook(int inFlight, long serviceMicros, long delayMicros, ServerState state, Reach reach) {

    /** Whether a member was reached from here. */
    public enum Reach {
        /** As far as is known. */
        REACHED,
        /** Not at the last attempt, and the next is due: one request may try. */
        DUE,
        /** Not at the last attempt: none before the next is due. */
        RESTING
    }

    /** Of a member nothing is known of. */
    public static final Outlook UNKNOWN = new Outlook(0, 0, 0, ServerState.UP, Reach.REACHED);
}
