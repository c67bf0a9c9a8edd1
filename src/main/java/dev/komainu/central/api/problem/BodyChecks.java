package dev.komainu.central.api.problem;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The collected mistakes of a request body, so that all fields are reported at once. Not
 * thread-safe.
 */
public final class BodyChecks {

    private final List<Problem.FieldError> errors = new ArrayList<>();

    public BodyChecks that(boolean right, String field, @Nullable Object value, String expected) {
        if (!right) {
            errors.add(new Problem.FieldError(field, value + " (expected: " + expected + ")"));
        }
        return this;
    }

    /** Checks like {@link #that}, for values that must not be repeated in a response or a log. */
    public BodyChecks secret(boolean right, String field, String expected) {
        if (!right) {
            errors.add(new Problem.FieldError(field, "(expected: " + expected + ")"));
        }
        return this;
    }

    /** Checks a text of 1 to {@code most} characters. */
    public BodyChecks text(String field, @Nullable String value, int most) {
        return that(
                value != null && !value.isBlank() && value.length() <= most,
                field,
                shown(value),
                "1 to " + most + " characters");
    }

    /** Checks a text of up to {@code most} characters, or none. */
    public BodyChecks optionalText(String field, @Nullable String value, int most) {
        return that(
                value == null || value.length() <= most,
                field,
                shown(value),
                "at most " + most + " characters");
    }

    /**
     * Throws if a check failed.
     *
     * @throws ProblemException 400 naming every field that was wrong
     */
    public void orRefuse() {
        if (!errors.isEmpty()) {
            throw new ProblemException(problem());
        }
    }

    /** Returns the problem of all failed checks. */
    Problem problem() {
        String detail = errors.stream()
                .map(error -> error.field() + ": " + error.message())
                .collect(Collectors.joining("; "));
        return Problem.invalid(detail, errors.toArray(Problem.FieldError[]::new));
    }

    private static @Nullable String shown(@Nullable String value) {
        return value == null || value.length() <= 60
                ? value
                : value.substring(0, 60) + "… (" + value.length() + " characters)";
    }
}
