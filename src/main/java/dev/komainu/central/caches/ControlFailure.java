package dev.komainu.central.caches;

/** The failure of a request to a proxy. Expected, so without a stack trace. */
public final class ControlFailure extends Exception {

    private static final long serialVersionUID = 1;

    /** The reason of a failure. */
    public enum Kind {
        /** No connection, no response in time, or a response that cannot be read. */
        UNREACHABLE,
        /** The proxy does not accept this service's token. */
        TOKEN,
        /** The proxy refused the order; its message contains the reason. */
        ORDER,
        /** The proxy does not know the subject of the request, or is too old for this request. */
        UNKNOWN,
        /** Any other response. */
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
