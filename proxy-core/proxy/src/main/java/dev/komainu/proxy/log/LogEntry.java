package dev.komainu.proxy.log;

import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.intermediary.upstream.UpstreamInfo;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * What one line tells. One per event loop, filled anew for each line, so that a line costs no
 * object; valid only while the line is being written.
 */
final class LogEntry {

    private static final byte[] NOTHING = new byte[0];

    /** When the exchange ended, since the epoch. */
    long wallMillis;

    long durationMillis;
    byte[] client = NOTHING;
    ResultCode code = ResultCode.NONE_NONE;
    /** The client left, or was left, before its answer was complete. */
    boolean aborted;

    /** 0 when no answer began. */
    int status;

    /** Heads included. */
    long sentBytes;

    /** Absent when no request could be made of what came. */
    @Nullable
    RequestHead head;

    boolean http2;
    boolean secure;
    /** The host that stands in where a request names none. */
    byte[] fallbackAuthority = NOTHING;

    boolean withQuery;
    /** Whom this exchange asked. */
    @Nullable
    InetAddress server;

    /** The member of the cluster this exchange asked. */
    @Nullable
    UpstreamInfo member;

    /** Where the media type stands, without its parameters. */
    byte[] type = NOTHING;

    int typeFrom;
    int typeLength;

    private static final byte[] CONTENT_TYPE = {
        'c', 'o', 'n', 't', 'e', 'n', 't', '-', 't', 'y', 'p', 'e', ':'
    };
    private static final byte[] OWN_TYPE = {'t', 'e', 'x', 't', '/', 'p', 'l', 'a', 'i', 'n'};

    void noType() {
        type = NOTHING;
        typeFrom = 0;
        typeLength = 0;
    }

    /** A page of the proxy's own. */
    void ownType() {
        type = OWN_TYPE;
        typeFrom = 0;
        typeLength = OWN_TYPE.length;
    }

    /**
     * Finds the media type in an encoded head, the first {@code end} bytes: start line, fields,
     * each ended by CRLF.
     */
    void typeOf(byte[] answer, int end) {
        noType();
        int line = lineAfter(answer, 0, end);
        while (line < end && !isContentType(answer, line, end)) {
            line = lineAfter(answer, line, end);
        }
        if (line >= end) {
            return;
        }
        int from = line + CONTENT_TYPE.length;
        while (from < end && (answer[from] == ' ' || answer[from] == '\t')) {
            from++;
        }
        int to = from;
        while (to < end
                && answer[to] != ';'
                && answer[to] != ' '
                && answer[to] != '\t'
                && answer[to] != '\r') {
            to++;
        }
        type = answer;
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
            // Letters differ from their capitals in this bit; the colon and the hyphen have it
            // anyway.
            if ((bytes[from + i] | 0x20) != CONTENT_TYPE[i]) {
                return false;
            }
        }
        return true;
    }
}
