package dev.komainu.agent.accesslog;

import org.jspecify.annotations.Nullable;

/**
 * One variable of a log format: its value and its resolution.
 *
 * @param kind kind of the value
 * @param stepMicros smallest step of a time or a duration, microseconds; 0 for all other values
 * @param atBegin for a time: whether it is that of the request's begin, not of its end
 * @param pattern format of a time in parts, in strftime's letters
 * @param list whether it may contain several values separated by a comma and a space, as nginx's
 *     upstream variables do
 */
record LogField(
        Kind kind,
        long stepMicros,
        boolean atBegin,
        @Nullable String pattern,
        boolean list) {

    static final LogField SKIPPED = new LogField(Kind.SKIPPED, 0, false, null, false);
    static final LogField SKIPPED_LIST = new LogField(Kind.SKIPPED, 0, false, null, true);

    enum Kind {
        /** A value that is not read. */
        SKIPPED,
        /** {@code 10/Oct/2000:13:55:36 -0700}. */
        COMMON_TIME,
        /** {@code 2000-10-10T13:55:36-07:00}. */
        ISO_TIME,
        /**
         * {@code 971211336} or {@code 971211336.123}; scaled by the step of its last digit before
         * the point.
         */
        EPOCH_SECONDS,
        EPOCH_MILLIS,
        EPOCH_MICROS,
        /** A time in strftime's format. */
        PATTERN_TIME,
        /** The fraction of a second, to be added to another time. */
        FRACTION_MILLIS,
        FRACTION_MICROS,
        DURATION_SECONDS,
        DURATION_MILLIS,
        DURATION_MICROS,
        STATUS,
        BYTES,
        PORT,
        /** The request's line or target; its hash is read. */
        REQUEST;

        boolean isTime() {
            return this == COMMON_TIME
                    || this == ISO_TIME
                    || this == EPOCH_SECONDS
                    || this == EPOCH_MILLIS
                    || this == EPOCH_MICROS
                    || this == PATTERN_TIME;
        }

        boolean isFraction() {
            return this == FRACTION_MILLIS || this == FRACTION_MICROS;
        }

        boolean isDuration() {
            return this == DURATION_SECONDS || this == DURATION_MILLIS || this == DURATION_MICROS;
        }
    }

    static LogField of(Kind kind) {
        return new LogField(kind, 0, false, null, false);
    }

    static LogField timed(Kind kind, long stepMicros, boolean atBegin) {
        return new LogField(kind, stepMicros, atBegin, null, false);
    }
}
