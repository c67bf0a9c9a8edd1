package dev.komainu.telemetry.identity;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** An enrolment that failed for good: another attempt with the same code would fail, too. */
public final class EnrolmentException extends IOException {

    /** Setting that the message begins with. */
    private static final String SETTING = "central.enrolment-code: ";

    EnrolmentException(String message, @Nullable Throwable cause) {
        super(SETTING + message, cause);
    }
}
