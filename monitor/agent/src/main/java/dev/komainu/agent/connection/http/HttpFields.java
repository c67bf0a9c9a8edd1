package dev.komainu.agent.connection.http;

/**
 * Reader of the header lines of a message, byte by byte. It reads only the two fields that define
 * the end of the body, and Retry-After in a 503.
 */
final class HttpFields {

    private static final int LENGTH_NAME = 1;
    private static final int CODING_NAME = 2;
    private static final int RETRY_NAME = 4;
    private static final String CONTENT_LENGTH = "content-length";
    private static final String TRANSFER_ENCODING = "transfer-encoding";
    private static final String RETRY_AFTER = "retry-after";
    private static final String CHUNKED_CODING = "chunked";

    private final HttpMessage message;

    HttpFields(HttpMessage message) {
        this.message = message;
    }

    /** Reads the first byte of a line that is not empty. */
    void begin(int b) {
        message.names =
                LENGTH_NAME | CODING_NAME | (message.is(HttpMessage.UNAVAILABLE) ? RETRY_NAME : 0);
        message.matched = 0;
        message.phase = HttpMessage.NAME;
        name(b);
    }

    /**
     * Reads a line's name at once, when the whole name is present and it is Content-Length or a
     * name that is not needed. Returns the number of bytes read; 0 leaves the line to
     * {@link #begin}.
     */
    int run(byte[] bytes, int from, int end) {
        int first = bytes[from] | 0x20;
        if (bytes[from] <= ' '
                || first == 't'
                || (first == 'r' && message.is(HttpMessage.UNAVAILABLE))) {
            return 0;
        }
        if (first == 'c') {
            if (end - from <= CONTENT_LENGTH.length()) {
                return 0;
            }
            int at = 1;
            while (at < CONTENT_LENGTH.length()
                    && lower(bytes[from + at]) == CONTENT_LENGTH.charAt(at)) {
                at++;
            }
            if (at == CONTENT_LENGTH.length() && bytes[from + at] == ':') {
                message.phase = HttpMessage.LENGTH_VALUE;
                message.number = 0;
                message.matched = 0;
                return lengthRun(bytes, from + at + 1, end) - from;
            }
        }
        message.phase = HttpMessage.SKIP_LINE;
        return 1;
    }

    /** Reads the value of Content-Length, as far as it is present and a plain number. */
    private int lengthRun(byte[] bytes, int from, int end) {
        int at = from;
        while (at < end && bytes[at] == ' ') {
            at++;
        }
        long number = 0;
        int digits = at;
        while (at < end
                && bytes[at] >= '0'
                && bytes[at] <= '9'
                && number <= HttpMessage.LONGEST_BODY) {
            number = number * 10 + bytes[at++] - '0';
        }
        if (at > digits) {
            message.number = number;
            message.marks |= HttpMessage.HAS_LENGTH;
        }
        return at;
    }

    private static int lower(int b) {
        return b >= 'A' && b <= 'Z' ? b + 32 : b;
    }

    /** Reads one character of a name; true when it ends the name of Retry-After in a 503. */
    boolean name(int b) {
        if (b == ':') {
            boolean retry =
                    (message.names & RETRY_NAME) != 0 && message.matched == RETRY_AFTER.length();
            boolean length = (message.names & LENGTH_NAME) != 0
                    && message.matched == CONTENT_LENGTH.length();
            boolean coding = (message.names & CODING_NAME) != 0
                    && message.matched == TRANSFER_ENCODING.length();
            message.phase = length
                    ? HttpMessage.LENGTH_VALUE
                    : coding ? HttpMessage.CODING_VALUE : HttpMessage.SKIP_LINE;
            message.number = length ? 0 : message.number;
            message.matched = 0;
            return retry;
        }
        if (b == '\n') {
            message.phase = HttpMessage.LINE;
        } else {
            int lower = lower(b);
            if (message.matched >= CONTENT_LENGTH.length()
                    || CONTENT_LENGTH.charAt(message.matched) != lower) {
                message.names &= ~LENGTH_NAME;
            }
            if (message.matched >= TRANSFER_ENCODING.length()
                    || TRANSFER_ENCODING.charAt(message.matched) != lower) {
                message.names &= ~CODING_NAME;
            }
            if (message.matched >= RETRY_AFTER.length()
                    || RETRY_AFTER.charAt(message.matched) != lower) {
                message.names &= ~RETRY_NAME;
            }
            message.matched++;
            if (message.names == 0) {
                message.phase = HttpMessage.SKIP_LINE;
            }
        }
        return false;
    }

    void length(int b) {
        if (b >= '0' && b <= '9') {
            long number = message.number;
            message.number = number > HttpMessage.LONGEST_BODY ? number : number * 10 + b - '0';
            message.marks |= HttpMessage.HAS_LENGTH;
        } else if (b == '\n') {
            message.phase = HttpMessage.LINE;
        }
    }

    void coding(int b) {
        int lower = lower(b);
        if (b == '\n') {
            message.phase = HttpMessage.LINE;
        } else if (message.matched < CHUNKED_CODING.length()) {
            message.matched = lower == CHUNKED_CODING.charAt(message.matched)
                    ? message.matched + 1
                    : lower == 'c' ? 1 : 0;
            if (message.matched == CHUNKED_CODING.length()) {
                message.marks |= HttpMessage.CHUNKED;
            }
        }
    }
}
