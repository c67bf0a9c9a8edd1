package dev.komainu.telemetry.record;

/** The end of a connection, or its last state seen, according to its packets. */
public enum ConnectionState {
    /** FIN in both directions. */
    NORMAL("normal"),
    /** The client reset an established connection. */
    RST_CLIENT("rst-client"),
    /** The server reset an established connection. */
    RST_SERVER("rst-server"),
    /** RST in response to the SYN. */
    REFUSED("refused"),
    /** SYNs without a response. */
    NO_ANSWER("no-answer"),
    /** SYN and SYN/ACK without the end of the handshake. */
    HALF_OPEN("half-open"),
    /** FIN in one direction only, then no more packets. */
    HALF_CLOSED("half-closed"),
    /** Still open when the capture ended, or evicted while open. */
    OPEN("open"),
    /** No SYN was seen: the capture began in the middle of the connection. */
    MIDSTREAM("midstream");

    private final String label;

    ConnectionState(String label) {
        this.label = label;
    }

    /** Returns the name used in JSON and on the console. */
    public String label() {
        return label;
    }

    /**
     * Returns the state with a label.
     *
     * @throws IllegalArgumentException when no state has this label
     */
    public static ConnectionState ofLabel(String label) {
        for (ConnectionState state : values()) {
            if (state.label.equals(label)) {
                return state;
            }
        }
        throw new IllegalArgumentException(
                "state: " + label + " (expected: one of normal, rst-client, rst-server, "
                        + "refused, no-answer, half-open, half-closed, open, midstream)");
    }
}
