package dev.komainu.central.enrolment;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The refusal of an enrolment or a renewal; the message names what was wrong and expected. */
public final class EnrolmentRefusedException extends Exception {

    private static final long serialVersionUID = 1L;

    /** The reason of a refusal, with the HTTP status and problem type of its response. */
    public enum Reason {
        TLS_REQUIRED(409, "tls-required", "The service has no TLS"),
        CODE_UNKNOWN(403, "enrolment-code-unknown", "The enrolment code is unknown"),
        CODE_EXPIRED(403, "enrolment-code-expired", "The enrolment code has expired"),
        CODE_USED(403, "enrolment-code-used", "The enrolment code is used up"),
        OUTSIDE_CODE(403, "enrolment-outside-code", "The enrolment code does not allow this"),
        SOURCE_TAKEN(409, "source-taken", "Another part has this name"),
        PROOF_WRONG(400, "proof-wrong", "The proof of the key is wrong"),
        TOO_MANY(429, "too-many-attempts", "Too many refused enrolments");

        private final int status;
        private final String type;
        private final String title;

        Reason(int status, String type, String title) {
            this.status = status;
            this.type = type;
            this.title = title;
        }

        public int status() {
            return status;
        }

        public String type() {
            return type;
        }

        public String title() {
            return title;
        }
    }

    private final Reason reason;
    private final transient @Nullable Duration retryAfter;

    EnrolmentRefusedException(Reason reason, String message) {
        this(reason, message, null);
    }

    EnrolmentRefusedException(Reason reason, String message, @Nullable Duration retryAfter) {
        super(message);
        this.reason = reason;
        this.retryAfter = retryAfter;
    }

    public Reason reason() {
        return reason;
    }

    /** Returns the time until the next attempt; absent: it does not help to wait. */
    public @Nullable Duration retryAfter() {
        return retryAfter;
    }
}
