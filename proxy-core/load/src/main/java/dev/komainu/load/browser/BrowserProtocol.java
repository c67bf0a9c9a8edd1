package dev.komainu.load.browser;

/** What a browser speaks, and how many connections it holds for that by itself. */
public enum BrowserProtocol {
    /** A connection for each object, four at a time, as Netscape did. */
    HTTP_1_0("1.0", 4),
    /** Persistent connections, six at a time, as browsers do today; no pipelining. */
    HTTP_1_1("1.1", 6),
    /**
     * One connection, a stream for each object (RFC 9113): over TLS by ALPN, else with prior
     * knowledge.
     */
    HTTP_2("2", 1);

    private final String text;
    private final int usualParallel;

    BrowserProtocol(String text, int usualParallel) {
        this.text = text;
        this.usualParallel = usualParallel;
    }

    /** As options write it. */
    public String text() {
        return text;
    }

    /** Connections at a time, where nothing else is said. */
    public int usualParallel() {
        return usualParallel;
    }

    /** @throws IllegalArgumentException naming what there is */
    public static BrowserProtocol parse(String text) {
        for (BrowserProtocol version : values()) {
            if (version.text.equals(text)) {
                return version;
            }
        }
        throw new IllegalArgumentException(text + " (expected: 1.0, 1.1 or 2)");
    }
}
