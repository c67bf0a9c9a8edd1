package dev.komainu.intermediary.message;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The target of a request and its authority, as spans over the bytes of the {@link RequestHead}
 * that it belongs to.
 *
 * <pre>
 *   http://authority/path?query      Host: authority
 *   |from  |authority|path     |
 * </pre>
 */
final class RequestTarget {

    private static final byte[] HTTP = Ascii.bytes("http://");
    /** The scheme that older clients of Squid's cache manager use; never forwarded. */
    private static final byte[] MANAGER = Ascii.bytes("cache_object://");

    private static final byte[] HTTPS = Ascii.bytes("https://");

    /** The start of the whole target as written; set while the start line is read. */
    int from;

    int length;
    int authorityFrom;
    int authorityLength;
    int pathFrom;
    /** True when the effective URI is an https URI. */
    boolean secure;
    /**
     * True for {@code OPTIONS http://authority}: a request about the whole server (RFC 9112 section
     * 3.2.4).
     */
    private boolean server;
    /** True for {@code cache_object://host/page}. */
    boolean manager;

    /** Reads the target (RFC 9112 sections 3.2 and 3.3); its absolute form overrides Host. */
    @Nullable
    MessageFault read(RequestHead head, byte[] scratch, Fields fields) {
        if (fields.isRepeated(Field.HOST)) {
            return MessageFault.HOST_REPEATED;
        }
        int index = fields.indexOf(Field.HOST);
        if (index < 0) {
            if (head.minorVersion() > 0) {
                return MessageFault.HOST_MISSING;
            }
            authorityFrom = 0;
            authorityLength = 0;
        } else {
            authorityFrom = fields.valueFrom(index);
            authorityLength = fields.valueLength(index);
            if (!AuthorityGrammar.valid(scratch, authorityFrom, authorityLength)) {
                return MessageFault.HOST_MALFORMED;
            }
        }
        pathFrom = from;
        server = false;
        manager = false;
        secure = head.isOverTls();
        if (head.methodIs("CONNECT")) {
            authorityFrom = from;
            authorityLength = length;
            return AuthorityGrammar.valid(scratch, from, length)
                            && AuthorityGrammar.hasPort(scratch, from, length)
                    ? null
                    : MessageFault.TARGET;
        }
        byte first = scratch[from];
        if (first == '/' || (first == '*' && length == 1 && head.methodIs("OPTIONS"))) {
            return null;
        }
        byte[] scheme = HTTP;
        if (first == MANAGER[0] && head.methodIs("GET")) {
            scheme = MANAGER;
            manager = true;
        }
        // The owner of an https URI never vouches for one requested without TLS (RFC 9110 section
        // 4.2.2).
        secure = secure
                && length > HTTPS.length
                && Ascii.equalsLower(scratch, from, HTTPS.length, HTTPS);
        if (secure) {
            scheme = HTTPS;
        }
        if (length <= scheme.length || !Ascii.equalsLower(scratch, from, scheme.length, scheme)) {
            return MessageFault.TARGET;
        }
        authorityFrom = from + scheme.length;
        int end = from + length;
        int p = authorityFrom;
        while (p < end && scratch[p] != '/' && scratch[p] != '?') {
            p++;
        }
        authorityLength = p - authorityFrom;
        pathFrom = p;
        server = p == end && head.methodIs("OPTIONS");
        return AuthorityGrammar.valid(scratch, authorityFrom, authorityLength)
                ? null
                : MessageFault.TARGET;
    }

    /**
     * Returns path and query as they are requested of the origin; {@code *} for {@code OPTIONS *}.
     */
    String pathAndQuery(byte[] scratch) {
        int count = pathLength();
        if (count == 0) {
            return server ? "*" : "/";
        }
        String text = new String(scratch, pathFrom, count, StandardCharsets.ISO_8859_1);
        return text.charAt(0) == '?' ? "/" + text : text;
    }

    int pathLength() {
        return from + length - pathFrom;
    }

    void copy(RequestTarget other) {
        from = other.from;
        length = other.length;
        authorityFrom = other.authorityFrom;
        authorityLength = other.authorityLength;
        pathFrom = other.pathFrom;
        server = other.server;
        manager = other.manager;
        secure = other.secure;
    }
}
