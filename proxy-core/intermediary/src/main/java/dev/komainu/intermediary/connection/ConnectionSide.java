package dev.komainu.intermediary.connection;

/** The side of the proxy that a connection is on. */
public enum ConnectionSide {
    CLIENT("client"),
    ORIGIN("origin");

    private final String text;

    ConnectionSide(String text) {
        this.text = text;
    }

    /** Returns the name in metrics. */
    public String text() {
        return text;
    }
}
