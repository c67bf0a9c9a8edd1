package dev.komainu.central.ingest;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The refusal of a batch, with the response for its sender. */
final class RefusedBatchException extends Exception {

    private static final long serialVersionUID = 1;

    /** The reason of a refusal, as the counter's label and as the problem's type. */
    enum Reason {
        MALFORMED(400, "malformed-batch", "The batch cannot be read"),
        TOO_LARGE(413, "batch-too-large", "The batch is too large"),
        MEDIA_TYPE(415, "unsupported-media-type", "Not a content type of this resource"),
        FOREIGN_SOURCE(403, "foreign-source", "The credential is another source's"),
        QUOTA(429, "quota", "A limit of the fleet is reached"),
        BUSY(503, "busy", "Not now"),
        DISK_FULL(503, "disk-full", "The disk is full"),
        STORE(503, "store-failed", "The batch could not be stored");

        private final int status;
        private final String type;
        private final String title;

        Reason(int status, String type, String title) {
            this.status = status;
            this.type = type;
            this.title = title;
        }

        int status() {
            return status;
        }

        String type() {
            return type;
        }

        String title() {
            return title;
        }
    }

    private final Reason reason;
    private final transient @Nullable Duration retryAfter;

    RefusedBatchException(Reason reason, @Nullable String detail, @Nullable Duration retryAfter) {
        super(detail);
        this.reason = reason;
        this.retryAfter = retryAfter;
    }

    Reason reason() {
        return reason;
    }

    @Nullable
    Duration retryAfter() {
        return retryAfter;
    }
}
