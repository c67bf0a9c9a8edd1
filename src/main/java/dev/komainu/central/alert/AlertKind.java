package dev.komainu.central.alert;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/** The kind of condition that an alert reports. */
public enum AlertKind {
    /** A watched service is in a state that a rule names. */
    SERVICE("service", Severity.WARNING),
    /** An agent or a proxy no longer reports. */
    SOURCE_SILENT("source-silent", Severity.WARNING),
    /** The kernel dropped packets before an agent read them; counted per minute. */
    PROBE_LOSS("probe-loss", Severity.WARNING),
    /** A source dropped records; counted per minute. */
    RECORD_DROPS("record-drops", Severity.WARNING),
    /** The file system of the telemetry store is nearly full; measured as the used share. */
    STORE_FULL("store-full", Severity.CRITICAL),
    /**
     * A disk has no room: batches are refused, or the reserve for control data was given back, or
     * PostgreSQL has no space.
     */
    DISK_FULL("disk-full", Severity.CRITICAL),
    /**
     * The server of the telemetry is away or does not store, batches wait long to be stored, or its
     * tables have too many parts.
     */
    RECORD_SERVER("record-server", Severity.CRITICAL),
    /** A limit of the fleet is reached: names or settings are refused. */
    QUOTA("quota", Severity.WARNING),
    /** A credential reports in the names of another source, host or service. */
    FOREIGN_REPORT("foreign-report", Severity.CRITICAL),
    /** Two processes use one identity, or a certificate ends without being renewed. */
    IDENTITY("identity", Severity.CRITICAL),
    /** Members of one cluster use different route tables. */
    CLUSTER_PARTED("cluster-parted", Severity.CRITICAL),
    /** Members declare different contents for one URL prefix. */
    CLUSTER_CONFLICT("cluster-conflict", Severity.WARNING),
    /** A member joins and leaves too often. */
    MEMBER_FLAPPING("member-flapping", Severity.WARNING),
    /**
     * A token that can change this service or a server was created. An event: no rule decides, and
     * every receiver is told.
     */
    TOKEN_CREATED("token-created", Severity.WARNING),
    /** The file of the control data was damaged and a copy took its place. An event, as above. */
    CONTROL_MENDED("control-mended", Severity.CRITICAL);

    private final String text;
    private final Severity usual;

    AlertKind(String text, Severity usual) {
        this.text = text;
        this.usual = usual;
    }

    @JsonValue
    public String text() {
        return text;
    }

    /** Returns the default severity, for a rule and a state that define none. */
    Severity usual() {
        return usual;
    }

    public static Optional<AlertKind> of(String text) {
        return Arrays.stream(values()).filter(kind -> kind.text.equals(text)).findFirst();
    }

    /** Reports whether rules decide when an alert of this kind fires. */
    public boolean hasRules() {
        return this != TOKEN_CREATED && this != CONTROL_MENDED;
    }

    /** Returns all kinds of rules as one phrase, for messages: {@code a, b or c}. */
    public static String choices() {
        String all = Arrays.stream(values())
                .filter(AlertKind::hasRules)
                .map(AlertKind::text)
                .collect(Collectors.joining(", "));
        int last = all.lastIndexOf(", ");
        return all.substring(0, last) + " or " + all.substring(last + 2);
    }

    @JsonCreator
    static AlertKind ofText(String text) {
        return of(text).orElseThrow(
                        () -> new IllegalArgumentException("kind: " + text + " (expected: one of "
                                + Arrays.stream(values()).map(AlertKind::text).toList() + ")"));
    }
}
