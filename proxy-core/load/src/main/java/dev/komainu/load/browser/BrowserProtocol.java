package dev.komainu.load.browser;

/** The protocol of a browser, with its usual number of parallel connections. */
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

    /** Returns the text as written in options. */
    public String text() {
        return text;
    }

    /** Returns the default number of parallel connections. */
    public int usualParallel() {
        return usualParallel;
    }

    /**
     * Parses an option.
     *
     * @throws IllegalArgumentException with the text and the possible values
     */
    public static BrowserProtocol parse(String text) {
        for (BrowserProtocol version : values()) {
            if (version.text.equals(text)) {
                return version;
            }
        }
        throw new IllegalArgumentException(text + " (expected: 1.0, 1.1 or 2)");
    }
}
