package dev.komainu.central.audit;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The newest row of the audit log at some time, written {@code SEQUENCE:HASH}. It fixes all rows up
 * to it: none of them can be changed without another hash here.
 */
public record AuditHead(long sequence, String hash) {

    /** The head of an empty log. */
    public static final AuditHead EMPTY = new AuditHead(0, AuditHash.NONE);

    private static final Pattern FORM = Pattern.compile("([0-9]{1,18}):([0-9a-f]{64})");

    /** Returns the head in a text; empty when the text is none. */
    public static Optional<AuditHead> of(String text) {
        Matcher form = FORM.matcher(text);
        return form.matches()
                ? Optional.of(new AuditHead(Long.parseLong(form.group(1)), form.group(2)))
                : Optional.empty();
    }

    @Override
    public String toString() {
        return sequence + ":" + hash;
    }
}
