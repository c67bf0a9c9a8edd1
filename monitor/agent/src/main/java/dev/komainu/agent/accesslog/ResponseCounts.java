package dev.komainu.agent.accesslog;

/**
 * Responses in a service's access logs.
 *
 * @param all all responses
 * @param serverErrors responses with status 500 to 599 without 503
 * @param unavailable responses with status 503: a log does not tell whether that is meant
 * @param lostPages responses with status 403, 404 or 410 to a request that got a good response
 *     within the last hour
 */
public record ResponseCounts(long all, long serverErrors, long unavailable, long lostPages) {

    /** No response. */
    public static final ResponseCounts NONE = new ResponseCounts(0, 0, 0, 0);

    /** Returns the sum of both. */
    public ResponseCounts plus(ResponseCounts other) {
        return new ResponseCounts(
                all + other.all,
                serverErrors + other.serverErrors,
                unavailable + other.unavailable,
                lostPages + other.lostPages);
    }

    /** Returns the responses that failed. */
    public long failed() {
        return serverErrors + lostPages;
    }
}
