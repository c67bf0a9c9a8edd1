package dev.komainu.central.alert;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** The reason for a notice. */
public enum NoticeReason {
    FIRING,
    /** The alert still fires, in another state. */
    UPDATED,
    /** The alert still fires, and the rule's time since the last notice has passed. */
    REPEATED,
    RESOLVED,
    /** A user requested a test. */
    TEST;

    @JsonValue
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    @JsonCreator
    static NoticeReason ofText(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }
}
