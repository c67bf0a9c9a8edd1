package dev.komainu.central.enrolment;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** The kind of a part. */
public enum PartKind {
    AGENT("agent@"),
    /** An agent that watches other hosts, for instance at a mirror port. */
    PROBE("agent@"),
    PROXY("proxy@"),
    ORGANIZER("organizer@");

    private final String sourcePrefix;

    PartKind(String sourcePrefix) {
        this.sourcePrefix = sourcePrefix;
    }

    /** Returns the name in requests and on command lines. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Reports whether a part of this kind reports as this source. */
    boolean mayBe(String source) {
        return source.startsWith(sourcePrefix) && source.length() > sourcePrefix.length();
    }

    /** Reports whether a part of this kind cannot be without the name of a host. */
    boolean needsNode() {
        return this != PROBE;
    }

    public static Optional<PartKind> of(String text) {
        return Arrays.stream(values()).filter(kind -> kind.text().equals(text)).findFirst();
    }

    /** Returns all names as one phrase, for messages. */
    public static String choices() {
        return Arrays.stream(values()).map(PartKind::text).collect(Collectors.joining(", "));
    }
}
