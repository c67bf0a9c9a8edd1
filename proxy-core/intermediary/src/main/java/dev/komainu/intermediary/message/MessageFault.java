package dev.komainu.intermediary.message;

/**
 * The reason why a message is rejected. A fault always ends its connection: after an ambiguity the
 * beginning of the next message is unknown (RFC 9112 section 11.2).
 *
 * @param status of the response to the client: 400, 408, 413, 414, 417, 431, 501 or 505
 * @param reason one short sentence, safe to show: it never repeats bytes of the message
 * @param section the rule, such as {@code RFC 9112 5.1}
 */
public record MessageFault(int status, String reason, String section) {

    static final MessageFault BARE_LF =
            new MessageFault(400, "line ends without CR", "RFC 9112 2.2");
    static final MessageFault BARE_CR = new MessageFault(400, "CR without LF", "RFC 9112 2.2");
    static final MessageFault CONTROL =
            new MessageFault(400, "control byte in a field value", "RFC 9110 5.5");
    static final MessageFault FOLD =
            new MessageFault(400, "folded or indented field line", "RFC 9112 5.2");
    static final MessageFault SPACE_BEFORE_COLON =
            new MessageFault(400, "whitespace before the colon", "RFC 9112 5.1");
    static final MessageFault FIELD_NAME =
            new MessageFault(400, "malformed field name", "RFC 9110 5.1");
    static final MessageFault TOO_MANY_FIELDS =
            new MessageFault(431, "more than 100 fields", "RFC 6585 5");
    static final MessageFault HEAD_TOO_LARGE =
            new MessageFault(431, "head exceeds 32 KB", "RFC 6585 5");
    static final MessageFault METHOD = new MessageFault(400, "malformed method", "RFC 9110 9.1");
    static final MessageFault TARGET =
            new MessageFault(400, "malformed request target", "RFC 9112 3.2");
    static final MessageFault TARGET_TOO_LONG =
            new MessageFault(414, "target exceeds 16 KB", "RFC 9110 15.5.15");
    static final MessageFault START_LINE =
            new MessageFault(400, "malformed start line", "RFC 9112 3");
    static final MessageFault VERSION =
            new MessageFault(505, "neither HTTP/1.0 nor HTTP/1.1", "RFC 9110 15.6.6");
    static final MessageFault HOST_MISSING =
            new MessageFault(400, "Host is missing", "RFC 9112 3.2");
    static final MessageFault HOST_REPEATED =
            new MessageFault(400, "Host is repeated", "RFC 9112 3.2");
    static final MessageFault HOST_MALFORMED =
            new MessageFault(400, "Host is malformed", "RFC 9110 7.2");
    static final MessageFault LENGTH =
            new MessageFault(400, "Content-Length is not a number", "RFC 9110 8.6");
    static final MessageFault LENGTH_REPEATED =
            new MessageFault(400, "Content-Length is repeated", "RFC 9112 6.3");
    static final MessageFault LENGTH_AND_CODING =
            new MessageFault(400, "Content-Length together with Transfer-Encoding", "RFC 9112 6.3");
    static final MessageFault CODING_IN_HTTP10 =
            new MessageFault(400, "Transfer-Encoding in HTTP/1.0", "RFC 9112 6.1");
    static final MessageFault CODING_UNKNOWN =
            new MessageFault(501, "unknown transfer coding", "RFC 9112 6.1");
    static final MessageFault CODING_MALFORMED = new MessageFault(
            400, "chunked is repeated, or not the last transfer coding", "RFC 9112 6.3");
    static final MessageFault CONNECT_BODY =
            new MessageFault(400, "CONNECT with a body", "RFC 9110 9.3.6");
    static final MessageFault MAX_FORWARDS =
            new MessageFault(400, "Max-Forwards is not a number", "RFC 9110 7.6.2");
    static final MessageFault FORBIDDEN_BODY =
            new MessageFault(400, "a body is announced where none is permitted", "RFC 9110 8.6");
    static final MessageFault EXPECTATION =
            new MessageFault(417, "unknown expectation", "RFC 9110 10.1.1");
    static final MessageFault CHUNK_SIZE =
            new MessageFault(400, "malformed chunk size", "RFC 9112 7.1");
    static final MessageFault CHUNK_EXTENSION =
            new MessageFault(400, "malformed or oversize chunk extension", "RFC 9112 7.1.1");
    static final MessageFault CHUNK_END =
            new MessageFault(400, "no CRLF after the chunk data", "RFC 9112 7.1");
    static final MessageFault TRAILER_TOO_LARGE =
            new MessageFault(431, "trailers exceed 8 KB", "RFC 9112 7.1.2");
    /** The client sends its body more slowly than {@code connections.min-body-rate}. */
    public static final MessageFault SLOW_BODY =
            new MessageFault(408, "the body arrives too slowly", "RFC 9110 15.5.9");

    static final MessageFault STATUS_LINE =
            new MessageFault(400, "malformed status line", "RFC 9112 4");
}
