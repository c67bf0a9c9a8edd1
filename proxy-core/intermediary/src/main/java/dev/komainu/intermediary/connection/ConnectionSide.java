package dev.komainu.intermediary.connection;

/** Which of the proxy's two sides a connection is on. */
public enum ConnectionSide {
    CLIENT("client"),
    ORIGIN("origin");

    private final String text;

    ConnectionSide(String text) {
        this.text = text;
    }

    /** As metrics name it. */
    public String text() {
        return text;
    }
}
