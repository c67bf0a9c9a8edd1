package dev.komainu.central.api.alert;

import dev.komainu.central.alert.Versioned;
import dev.komainu.central.api.problem.Problem;
import dev.komainu.central.api.problem.ProblemException;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;

/** The versions of edited items as entity tags (RFC 9110 section 8.8.3): {@code "3"}. */
final class Revision {

    private Revision() {}

    /** Returns a response with the version as its entity tag. */
    static <T> ResponseEntity<T> tagged(int status, Versioned<?> versioned, T view) {
        return ResponseEntity.status(status)
                .eTag("\"" + versioned.version() + "\"")
                .body(view);
    }

    /**
     * Returns the version that the client read, from If-Match.
     *
     * @throws ProblemException 428 without one (RFC 6585 section 3), 412 when the value is not an
     *     entity tag of this service
     */
    static long ifMatch(@Nullable String ifMatch, String what, String id) {
        if (ifMatch == null) {
            throw new ProblemException(Problem.of(
                    428,
                    "precondition-required",
                    "The version is missing",
                    "If-Match: absent (expected: the ETag of " + what + " " + id
                            + ", such as \"3\")"));
        }
        if (!ifMatch.matches("\"\\d{1,18}\"")) {
            throw changed(what, id);
        }
        return Long.parseLong(ifMatch.substring(1, ifMatch.length() - 1));
    }

    /** Returns the problem of an edit that another request overtook. */
    static ProblemException changed(String what, String id) {
        return new ProblemException(Problem.of(
                412,
                "precondition-failed",
                "The item was changed meanwhile",
                what + ": " + id
                        + " (changed or removed since you read it; expected: read it again)"));
    }

    static ProblemException keyReused(@Nullable String key) {
        return new ProblemException(Problem.of(
                422,
                "idempotency-key-reused",
                "The Idempotency-Key was used before with another body",
                "Idempotency-Key: " + key + " (expected: a new key for each creation)"));
    }
}
