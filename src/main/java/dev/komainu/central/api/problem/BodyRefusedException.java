package dev.komainu.central.api.problem;

import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The refusal of a request's body while it is read. */
public final class BodyRefusedException extends IOException {

    private static final long serialVersionUID = 1;

    private final transient Problem problem;
    private final transient @Nullable Duration retryAfter;

    public BodyRefusedException(Problem problem, @Nullable Duration retryAfter) {
        super(problem.detail());
        this.problem = problem;
        this.retryAfter = retryAfter;
    }

    public Problem problem() {
        return problem;
    }

    public @Nullable Duration retryAfter() {
        return retryAfter;
    }
}
