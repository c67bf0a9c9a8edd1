package dev.komainu.organizer.route;

/** The decision for a request: a member, or none. */
public sealed interface RouteDecision {

    /**
     * The chosen member.
     *
     * @param expectedMicros expected time until the response is complete; 0: unknown
     */
    record Chosen(Candidate candidate, ChoiceReason reason, long expectedMicros)
            implements RouteDecision {}

    /** No member can serve the request. */
    record NoMember(FailureReason reason) implements RouteDecision {}

    /** The reason for the chosen member. */
    enum ChoiceReason {
        /** By expected completion and weight among the members that serve the prefix. */
        BALANCED,
        /** The member is the cache that owns this URL. */
        AFFINITY,
        /** The member was unreachable; one request tries whether it has returned. */
        PROBE,
        /** No other member can serve the request. */
        LAST_RESORT
    }

    /** The reason why no member can serve the request. */
    enum FailureReason {
        /** No member serves this prefix. */
        NO_ROUTE,
        /**
         * All members that serve it are excluded: they failed this request, or have already had it.
         */
        ALL_EXCLUDED,
        /** All members that serve it and are not excluded are stopped or unreachable. */
        ALL_DOWN
    }
}
