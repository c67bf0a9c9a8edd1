package dev.komainu.telemetry.record;

/**
 * The end of a connection, or the part of it that was seen. The store keeps the position of a state
 * in this list: the order is part of its format, and a new state comes last.
 */
public enum ConnectionState {
    /** FIN both ways. */
    NORMAL("normal"),
    /** The client reset an established connection. */
    RST_CLIENT("rst-client"),
    /** The server reset an established connection. */
    RST_SERVER("rst-server"),
    /** RST answered the SYN. */
    REFUSED("refused"),
    /** Only SYNs were seen. */
    NO_ANSWER("no-answer"),
    /** SYN and SYN/ACK, but the handshake was never finished. */
    HALF_OPEN("half-open"),
    /** FIN one way only, then silence. */
    HALF_CLOSED("half-closed"),
    /** Still open when the capture ended, or evicted while open. */
    OPEN("open"),
    /** No SYN was seen: the capture began in the middle. */
    MIDSTREAM("midstream");

    private final String label;

    ConnectionState(String label) {
        this.label = label;
    }

    /** The name used in JSON and on the console. */
    public String label() {
        return label;
    }
}
