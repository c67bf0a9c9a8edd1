package dev.komainu.proxy.log;

import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.intermediary.upstream.UpstreamInfo;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * The contents of one line. One instance per event loop, filled for each line, so that a line
 * allocates no object; valid only while the line is being written.
 */
final class LogEntry {

    private static final byte[] NO_BYTES = new byte[0];

    /** End of the exchange, since the epoch. */
    long wallMillis;

    long durationMillis;
    byte[] client = NO_BYTES;
    ResultCode code = ResultCode.NONE_NONE;
    /** True when the exchange was aborted before its response was complete. */
    boolean aborted;

    /** 0 when no response started. */
    int status;

    /** Heads included. */
    long sentBytes;

    /** Null when no request could be parsed. */
    @Nullable
    RequestHead head;

    boolean http2;
    boolean secure;
    /** The host used where a request has none. */
    byte[] fallbackAuthority = NO_BYTES;

    boolean withQuery;
    /** Address of the server that this exchange used; null: none. */
    @Nullable
    InetAddress server;

    /** The member of the cluster that this exchange used; null: none. */
    @Nullable
    UpstreamInfo member;

    /** Bytes with the media type, without its parameters. */
    byte[] type = NO_BYTES;

    int typeFrom;
    int typeLength;

    private static final byte[] CONTENT_TYPE = {
        'c', 'o', 'n', 't', 'e', 'n', 't', '-', 't', 'y', 'p', 'e', ':'
    };
    private static final byte[] OWN_TYPE = {'t', 'e', 'x', 't', '/', 'p', 'l', 'a', 'i', 'n'};

    void clearType() {
        type = NO_BYTES;
        typeFrom = 0;
        typeLength = 0;
    }

    /** Sets the media type of the proxy's own pages. */
    void setOwnType() {
        type = OWN_TYPE;
        typeFrom = 0;
        typeLength = OWN_TYPE.length;
    }

    /**
     * Finds the media type in an encoded head, the first {@code end} bytes: start line and fields,
     * each terminated by CRLF.
     */
    void findType(byte[] encodedHead, int end) {
        clearType();
        int line = lineAfter(encodedHead, 0, end);
        while (line < end && !isContentType(encodedHead, line, end)) {
            line = lineAfter(encodedHead, line, end);
        }
        if (line >= end) {
            return;
        }
        int from = line + CONTENT_TYPE.length;
        while (from < end && (encodedHead[from] == ' ' || encodedHead[from] == '\t')) {
            from++;
        }
        int to = from;
        while (to < end
                && encodedHead[to] != ';'
                && encodedHead[to] != ' '
                && encodedHead[to] != '\t'
                && encodedHead[to] != '\r') {
            to++;
        }
        type = encodedHead;
        typeFrom = from;
        typeLength = to - from;
    }

    private static int lineAfter(byte[] bytes, int from, int end) {
        int i = from;
        while (i < end && bytes[i] != '\n') {
            i++;
        }
        return i + 1;
    }

    private static boolean isContentType(byte[] bytes, int from, int end) {
        if (end - from < CONTENT_TYPE.length) {
            return false;
        }
        for (int i = 0; i < CONTENT_TYPE.length; i++) {
            // Letters differ from their capitals in this bit; the colon and the hyphen have it set.
            if ((bytes[from + i] | 0x20) != CONTENT_TYPE[i]) {
                return false;
            }
        }
        return true;
    }
}
