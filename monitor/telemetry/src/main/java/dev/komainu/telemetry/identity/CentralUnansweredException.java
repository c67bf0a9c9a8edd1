package dev.komainu.telemetry.identity;

import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A request that none of several addresses of the central service answered. */
final class CentralUnansweredException extends IOException {

    private static final long serialVersionUID = 1;

    private final boolean isLasting;
    private final transient Duration after;

    /**
     * Creates the exception.
     *
     * @param reasons each address with the reason why it did not answer
     * @param isLasting whether no address is trusted, which another attempt does not change
     * @param after time until one of them may be asked again; zero: now
     */
    CentralUnansweredException(
            String reasons, boolean isLasting, Duration after, @Nullable IOException last) {
        super(reasons, last);
        this.isLasting = isLasting;
        this.after = after;
    }

    boolean isLasting() {
        return isLasting;
    }

    Duration after() {
        return after;
    }
}
