package dev.komainu.intermediary.message;

import java.util.Locale;

/** The fields that this proxy processes; all others are forwarded unread. */
public enum Field {
    HOST("Host"),
    CONNECTION("Connection"),
    CONTENT_LENGTH("Content-Length"),
    TRANSFER_ENCODING("Transfer-Encoding"),
    EXPECT("Expect"),
    CACHE_CONTROL("Cache-Control"),
    PRAGMA("Pragma"),
    AUTHORIZATION("Authorization"),
    RANGE("Range"),
    IF_RANGE("If-Range"),
    IF_NONE_MATCH("If-None-Match"),
    IF_MODIFIED_SINCE("If-Modified-Since"),
    IF_MATCH("If-Match"),
    IF_UNMODIFIED_SINCE("If-Unmodified-Since"),
    VIA("Via"),
    UPGRADE("Upgrade"),
    TE("TE"),
    TRAILER("Trailer"),
    KEEP_ALIVE("Keep-Alive"),
    PROXY_CONNECTION("Proxy-Connection"),
    PROXY_AUTHORIZATION("Proxy-Authorization"),
    PROXY_AUTHENTICATE("Proxy-Authenticate"),
    PROXY_AUTHENTICATION_INFO("Proxy-Authentication-Info"),
    MAX_FORWARDS("Max-Forwards"),
    ETAG("ETag"),
    LAST_MODIFIED("Last-Modified"),
    DATE("Date"),
    EXPIRES("Expires"),
    AGE("Age"),
    VARY("Vary"),
    SET_COOKIE("Set-Cookie"),
    LOCATION("Location"),
    CONTENT_LOCATION("Content-Location"),
    CONTENT_RANGE("Content-Range"),
    WARNING("Warning"),
    FORWARDED("Forwarded"),
    X_FORWARDED_FOR("X-Forwarded-For"),
    X_FORWARDED_HOST("X-Forwarded-Host"),
    X_FORWARDED_PROTO("X-Forwarded-Proto"),
    X_FORWARDED_PORT("X-Forwarded-Port"),
    X_FORWARDED_SERVER("X-Forwarded-Server"),
    X_FORWARDED_PREFIX("X-Forwarded-Prefix"),
    X_FORWARDED_SCHEME("X-Forwarded-Scheme"),
    X_ORIGINAL_URL("X-Original-URL"),
    X_REWRITE_URL("X-Rewrite-URL"),
    SURROGATE_KEY("Surrogate-Key"),
    CACHE_TAG("Cache-Tag");

    private static final Field[][] BY_HASH = new Field[256][];

    static {
        for (int i = 0; i < BY_HASH.length; i++) {
            BY_HASH[i] = new Field[0];
        }
        for (Field field : values()) {
            int slot = slot(field.lower, 0, field.lower.length);
            Field[] before = BY_HASH[slot];
            Field[] after = java.util.Arrays.copyOf(before, before.length + 1);
            after[before.length] = field;
            BY_HASH[slot] = after;
        }
    }

    private final String text;
    private final byte[] lower;
    final long bit;

    Field(String text) {
        this.text = text;
        this.lower = Ascii.bytes(text.toLowerCase(Locale.ROOT));
        this.bit = 1L << ordinal();
    }

    /** Returns the name as it is written. */
    public String text() {
        return text;
    }

    /**
     * Finds a field by its name, without regard to case.
     *
     * @return the ordinal, or -1 for a field that this proxy does not process
     */
    static int ordinalOf(byte[] bytes, int from, int length) {
        for (Field field : BY_HASH[slot(bytes, from, length)]) {
            if (Ascii.equalsLower(bytes, from, length, field.lower)) {
                return field.ordinal();
            }
        }
        return -1;
    }

    private static int slot(byte[] bytes, int from, int length) {
        int first = Ascii.lower(bytes[from]);
        int last = Ascii.lower(bytes[from + length - 1]);
        int middle = Ascii.lower(bytes[from + length / 2]);
        return (length * 37 + first * 7 + middle * 3 + last) & 255;
    }
}
