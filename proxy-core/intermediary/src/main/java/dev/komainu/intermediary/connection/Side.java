package dev.komainu.intermediary.connection;

/** Which of the proxy's two sides a connection is on. */
public enum Side {
    CLIENT("client"),
    ORIGIN("origin");

    private final String text;

    Side(String text) {
        this.text = text;
    }

    /** As metrics name it. */
    public String text() {
        return text;
    }
}
