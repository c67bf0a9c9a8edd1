package dev.komainu.intermediary.message;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * An origin's response head, parsed as strictly as a client's request. A response with ambiguous
 * framing becomes a 502; its meaning is never guessed (RFC 9112 section 11.1, response splitting).
 *
 * <p>Belongs to one origin connection and is reused; {@link #detached} to keep.
 */
public final class ResponseHead {

    private static final int MAX_BYTES = 64 * 1024;
    private static final byte[] VERSION = Ascii.bytes("HTTP/1.");

    private byte[] scratch;
    private Fields fields;
    private int length;
    private int minor;
    private int status;
    private int reasonFrom;
    private int reasonLength;
    private long contentLength;
    private boolean chunked;
    private boolean keepAlive;
    private @Nullable MessageFault fault;

    public ResponseHead() {
        this(new byte[1024], new Fields());
    }

    private ResponseHead(byte[] bytes, Fields fields) {
        this.scratch = bytes;
        this.fields = fields;
    }

    /**
     * Returns a copy that stays valid when this one reads the next head; any thread may read it.
     */
    public ResponseHead detached() {
        byte[] ownBytes = Arrays.copyOf(scratch, length);
        ResponseHead copy = new ResponseHead(ownBytes, fields.detached(ownBytes));
        copy.length = length;
        copy.minor = minor;
        copy.status = status;
        copy.reasonFrom = reasonFrom;
        copy.reasonLength = reasonLength;
        copy.contentLength = contentLength;
        copy.chunked = chunked;
        copy.keepAlive = keepAlive;
        return copy;
    }

    /** Reads a head from the buffer's readable bytes without moving its reader index. */
    public RequestHead.Outcome read(ByteBuf in) {
        int readable = Math.min(in.readableBytes(), MAX_BYTES);
        // A body often follows in the same buffer: no room is allocated for it here.
        int look = Math.min(readable, scratch.length);
        in.getBytes(in.readerIndex(), scratch, 0, look);
        RequestHead.Outcome outcome = scan(look);
        while (outcome == RequestHead.Outcome.INCOMPLETE && look < readable) {
            int seen = look;
            look = Math.min(readable, Math.max(1024, seen * 4));
            scratch = Arrays.copyOf(scratch, Math.max(scratch.length, look));
            in.getBytes(in.readerIndex() + seen, scratch, seen, look - seen);
            outcome = scan(look);
        }
        if (outcome == RequestHead.Outcome.INCOMPLETE && readable == MAX_BYTES) {
            return refuse(MessageFault.HEAD_TOO_LARGE);
        }
        return outcome;
    }

    private RequestHead.Outcome scan(int end) {
        byte[] b = scratch;
        for (int i = 0; i < 7 && i < end; i++) {
            if (b[i] != VERSION[i]) {
                return refuse(MessageFault.STATUS_LINE);
            }
        }
        if (end < 14) {
            return RequestHead.Outcome.INCOMPLETE;
        }
        minor = b[7] - '0';
        long code = Ascii.decimal(b, 9, 3);
        if (minor < 0 || minor > 1 || b[8] != ' ' || code < 100 || code > 599) {
            return refuse(MessageFault.STATUS_LINE);
        }
        status = (int) code;
        int p = 12;
        if (b[p] != ' ' && b[p] != '\r') {
            return refuse(b[p] == '\n' ? MessageFault.BARE_LF : MessageFault.STATUS_LINE);
        }
        reasonFrom = b[p] == ' ' ? p + 1 : p;
        p = reasonFrom;
        while (p < end && Ascii.value(b[p])) {
            p++;
        }
        if (p + 1 >= end) {
            return RequestHead.Outcome.INCOMPLETE;
        }
        if (b[p] != '\r' || b[p + 1] != '\n') {
            return refuse(b[p] == '\n' ? MessageFault.BARE_LF : MessageFault.STATUS_LINE);
        }
        reasonLength = p - reasonFrom;
        int after = fields.scan(b, p + 2, end);
        if (after == Fields.INCOMPLETE) {
            return RequestHead.Outcome.INCOMPLETE;
        }
        if (after == Fields.FAULT) {
            fault = fields.fault();
            return RequestHead.Outcome.FAULT;
        }
        length = after;
        MessageFault wrong = framing();
        return wrong == null ? RequestHead.Outcome.COMPLETE : refuse(wrong);
    }

    /** Reads the framing fields (RFC 9112 section 6.3). */
    private @Nullable MessageFault framing() {
        contentLength = -1;
        chunked = false;
        boolean counted = fields.has(Field.CONTENT_LENGTH);
        if (fields.has(Field.TRANSFER_ENCODING)) {
            if (minor == 0) {
                return MessageFault.CODING_IN_HTTP10;
            }
            if (counted) {
                return MessageFault.LENGTH_AND_CODING;
            }
            MessageFault wrong = TransferCoding.chunkedOnly(fields);
            if (wrong != null) {
                return wrong;
            }
            chunked = true;
        } else if (counted) {
            if (fields.isRepeated(Field.CONTENT_LENGTH)) {
                return MessageFault.LENGTH_REPEATED;
            }
            int index = fields.indexOf(Field.CONTENT_LENGTH);
            contentLength =
                    Ascii.decimal(scratch, fields.valueFrom(index), fields.valueLength(index));
            if (contentLength < 0) {
                return MessageFault.LENGTH;
            }
        }
        // RFC 9112 section 6.1, RFC 9110 section 8.6. A length of 0 is forbidden too, but all
        // recipients interpret it alike.
        if ((status < 200 || status == 204) && (chunked || contentLength > 0)) {
            return MessageFault.FORBIDDEN_BODY;
        }
        String connection = fields.joined(Field.CONNECTION);
        keepAlive = connection == null
                ? minor > 0
                : !TokenList.contains(connection, "close")
                        && (minor > 0 || TokenList.contains(connection, "keep-alive"));
        return null;
    }

    private RequestHead.Outcome refuse(MessageFault found) {
        fault = found;
        return RequestHead.Outcome.FAULT;
    }

    /** Returns the fault after {@link RequestHead.Outcome#FAULT}. */
    public MessageFault fault() {
        return fault == null ? MessageFault.STATUS_LINE : fault;
    }

    /** Returns the bytes of the head, the empty line included. */
    public int length() {
        return length;
    }

    public Fields fields() {
        return fields;
    }

    /** Returns 0 or 1: the digit after {@code HTTP/1.} */
    public int minorVersion() {
        return minor;
    }

    public int status() {
        return status;
    }

    public String reason() {
        return new String(scratch, reasonFrom, reasonLength, StandardCharsets.ISO_8859_1);
    }

    /** Returns the announced length; -1 when there is none. */
    public long contentLength() {
        return contentLength;
    }

    public boolean isChunked() {
        return chunked;
    }

    /** Reports whether the connection persists after this response. */
    public boolean keepAlive() {
        return keepAlive;
    }

    /**
     * Reports whether a body follows the head of a response to {@code headRequest} (RFC 9112
     * section 6.3, rules 1 and 2).
     */
    public boolean hasBody(boolean headRequest) {
        return !headRequest
                && status >= 200
                && status != 204
                && status != 304
                && contentLength != 0;
    }
}
