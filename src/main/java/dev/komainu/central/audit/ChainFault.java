package dev.komainu.central.audit;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/**
 * The first fault of an audit log.
 *
 * @param sequence the row that the fault concerns
 * @param text description in English
 */
public record ChainFault(Kind kind, long sequence, String text) {

    /** The kind of a fault, each a different change of the log. */
    public enum Kind {
        /** The row is not as it was written. */
        CHANGED,
        /** The row is not there. */
        REMOVED,
        /** The row was not written by the service at this place. */
        INSERTED,
        /** The row and the next one changed places. */
        REORDERED,
        /** The row and all after it are not there, although a head names them. */
        CUT_OFF,
        /**
         * The log is consistent in itself, but a head names another row here: the end was replaced
         * and its hashes were computed again.
         */
        REWRITTEN,
        /** All known heads are older than the rows that are there, so nothing could be compared. */
        NOT_COMPARED;

        @JsonValue
        public String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    @Override
    public String toString() {
        return "#" + sequence + " " + kind.text() + ": " + text;
    }
}
