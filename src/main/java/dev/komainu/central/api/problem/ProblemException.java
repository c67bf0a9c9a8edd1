package dev.komainu.central.api.problem;

import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The exception that carries a problem out of a controller. It has no stack trace, since it is
 * expected.
 */
public final class ProblemException extends RuntimeException {

    private final transient Problem problem;
    private final transient @Nullable Duration retryAfter;

    public ProblemException(Problem problem) {
        this(problem, null);
    }

    /**
     * Creates the exception.
     *
     * @param retryAfter time until a retry, sent in the header Retry-After (RFC 9110 section
     *     10.2.3)
     */
    public ProblemException(Problem problem, @Nullable Duration retryAfter) {
        super(problem.detail(), null, false, false);
        this.problem = problem;
        this.retryAfter = retryAfter;
    }

    /** Returns a supplier of a 404 problem for {@code orElseThrow}. */
    public static Supplier<ProblemException> notFound(String what, String name) {
        return () -> new ProblemException(Problem.notFound(what, name));
    }

    public static ProblemException invalidField(
            String field, @Nullable Object value, String expected) {
        return new ProblemException(Problem.invalidField(field, value, expected));
    }

    public Problem problem() {
        return problem;
    }

    /** Returns the time until a retry; {@code null} without a header Retry-After. */
    public @Nullable Duration retryAfter() {
        return retryAfter;
    }
}
