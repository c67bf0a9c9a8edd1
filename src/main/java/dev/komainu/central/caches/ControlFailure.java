package dev.komainu.central.caches;

/** A proxy did not do what it was asked. Expected, so without a stack trace. */
public final class ControlFailure extends Exception {

    private static final long serialVersionUID = 1;

    /** The reason of a failure. */
    public enum Kind {
        /** No connection, no answer in time, or one that cannot be read. */
        UNREACHABLE,
        /** It does not accept this service's token. */
        TOKEN,
        /** It found the order wrong; its own words say how. */
        ORDER,
        /** It does not know what was asked about, or is too old to know the question. */
        UNKNOWN,
        /** Anything else it answered. */
        OTHER
    }

    private final Kind kind;

    ControlFailure(Kind kind, String message) {
        super(message, null, false, false);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
