package dev.komainu.organizer.route;

/** What becomes of a request. */
public sealed interface RouteDecision {

    /**
     * Ask this member.
     *
     * @param expectedMicros until the answer is complete, as far as can be known; 0: unknown
     */
    record Ask(Candidate candidate, Why why, long expectedMicros) implements RouteDecision {}

    /** Ask nobody. */
    record Nobody(WhyNot why) implements RouteDecision {}

    /** Why this member. */
    enum Why {
        /** Among those that serve it, by expected completion and weight. */
        BALANCED,
        /** It is the cache that this URL belongs to. */
        AFFINITY,
        /** It was not reached; one request tries whether it is back. */
        PROBE,
        /** Nobody else can. */
        LAST_RESORT
    }

    /** Why nobody. */
    enum WhyNot {
        /** Nobody serves this prefix. */
        NO_ROUTE,
        /** All who serve it are excluded: they failed this request, or had it already. */
        ALL_EXCLUDED,
        /** All who serve it, and are not excluded, are stopped or cannot be reached. */
        ALL_DOWN
    }
}
