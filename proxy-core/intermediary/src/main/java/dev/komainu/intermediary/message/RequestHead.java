package dev.komainu.intermediary.message;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A request's head, parsed strictly: its end, the length of its body, and whether the connection
 * persists.
 *
 * <p>Each event loop has one and reuses it for every request, so that a cache hit allocates nothing
 * for it. Code that needs a head beyond the call takes a {@link #detached} copy.
 *
 * <pre>
 *   GET /path?query HTTP/1.1 CRLF  name: value CRLF …  CRLF  (body)
 *   |m| |target   |                |fields           |       ^ length()
 * </pre>
 *
 * <table><caption>Limits</caption>
 * <tr><td>head</td><td>32 KB</td><td>431</td></tr>
 * <tr><td>fields</td><td>100</td><td>431</td></tr>
 * <tr><td>target</td><td>16 KB</td><td>414</td></tr>
 * <tr><td>method</td><td>32 bytes</td><td>400</td></tr>
 * </table>
 */
public final class RequestHead {

    /** Largest head, start line and empty line included. */
    public static final int MAX_BYTES = 32 * 1024;

    private static final int MAX_TARGET = 16 * 1024;
    private static final int MAX_METHOD = 32;
    private static final int FIRST_READ = 2048;
    private static final byte[] VERSION = Ascii.bytes("HTTP/1.");
    private static final long FRAMING = Fields.mask(Field.CONTENT_LENGTH, Field.TRANSFER_ENCODING);
    private static final long RARE = FRAMING | Fields.mask(Field.EXPECT, Field.MAX_FORWARDS);
    private static final byte[] CONTINUE = Ascii.bytes("100-continue");

    private final byte[] scratch;
    private final Fields fields;
    private final RequestTarget target = new RequestTarget();
    private final RequestFraming framing = new RequestFraming();
    private int start;
    private int length;
    private int methodLength;
    private int minor;
    private boolean keepAlive;
    private boolean overTls;
    private boolean http2;
    private @Nullable MessageFault fault;

    public RequestHead() {
        this(new byte[MAX_BYTES], new Fields());
    }

    private RequestHead(byte[] bytes, Fields fields) {
        this.scratch = bytes;
        this.fields = fields;
    }

    /** Returns a copy that stays valid when this one reads the next head. */
    public RequestHead detached() {
        byte[] ownBytes = Arrays.copyOf(scratch, length);
        RequestHead copy = new RequestHead(ownBytes, fields.detached(ownBytes));
        copy.start = start;
        copy.length = length;
        copy.methodLength = methodLength;
        copy.minor = minor;
        copy.target.copy(target);
        copy.framing.copy(framing);
        copy.keepAlive = keepAlive;
        copy.overTls = overTls;
        copy.http2 = http2;
        return copy;
    }

    /** The result of {@link #read}. */
    public enum Outcome {
        /** The head is complete and has {@link #length()} bytes. Nothing was consumed. */
        COMPLETE,
        /** More bytes are needed; the bytes so far are valid. */
        INCOMPLETE,
        /** The head is invalid; see {@link #fault()}. */
        FAULT
    }

    /**
     * Sets the transport of the next heads. Called before each {@link #read}.
     *
     * @param tls the bytes were received over TLS (RFC 9110 section 7.1)
     * @param http2 the head was received as HTTP/2 fields and written as text
     */
    public void setReceivedOver(boolean tls, boolean http2) {
        this.overTls = tls;
        this.http2 = http2;
    }

    /** Reports whether it was received over HTTP/2; {@link #minorVersion} is 1 then. */
    public boolean isHttp2() {
        return http2;
    }

    boolean isOverTls() {
        return overTls;
    }

    /** Reports whether the effective URI is an https URI (RFC 9110 section 7.1). */
    public boolean isSecure() {
        return target.secure;
    }

    /** Reads a head from the buffer's readable bytes without moving its reader index. */
    public Outcome read(ByteBuf in) {
        int readable = Math.min(in.readableBytes(), MAX_BYTES);
        int look = Math.min(readable, FIRST_READ);
        in.getBytes(in.readerIndex(), scratch, 0, look);
        Outcome outcome = scan(look);
        if (outcome == Outcome.INCOMPLETE && look < readable) {
            in.getBytes(in.readerIndex() + look, scratch, look, readable - look);
            outcome = scan(readable);
        }
        if (outcome == Outcome.INCOMPLETE && readable == MAX_BYTES) {
            return refuse(MessageFault.HEAD_TOO_LARGE);
        }
        return outcome;
    }

    private Outcome scan(int end) {
        byte[] b = scratch;
        int p = 0;
        // RFC 9112 2.2: one empty line before the request line is ignored; old clients send it
        // after a body.
        if (end > 0 && b[0] == '\r') {
            if (end == 1) {
                return Outcome.INCOMPLETE;
            }
            if (b[1] != '\n') {
                return refuse(MessageFault.BARE_CR);
            }
            p = 2;
        }
        start = p;
        while (p < end && Ascii.token(b[p])) {
            p++;
        }
        methodLength = p - start;
        if (methodLength > MAX_METHOD) {
            return refuse(MessageFault.METHOD);
        }
        if (p == end) {
            return Outcome.INCOMPLETE;
        }
        if (b[p] != ' ' || methodLength == 0) {
            return refuse(MessageFault.METHOD);
        }
        target.from = ++p;
        while (p < end && Ascii.target(b[p])) {
            p++;
        }
        target.length = p - target.from;
        if (target.length > MAX_TARGET) {
            return refuse(MessageFault.TARGET_TOO_LONG);
        }
        if (p == end) {
            return Outcome.INCOMPLETE;
        }
        if (b[p] != ' ' || target.length == 0) {
            return refuse(MessageFault.TARGET);
        }
        p++;
        if (p + 10 > end) {
            return scanShortVersion(p, end);
        }
        for (int i = 0; i < 7; i++) {
            if (b[p + i] != VERSION[i]) {
                boolean other = i == 5 && b[p + 5] >= '0' && b[p + 5] <= '9' && b[p + 6] == '.';
                return refuse(other ? MessageFault.VERSION : MessageFault.START_LINE);
            }
        }
        minor = b[p + 7] - '0';
        if (minor != 0 && minor != 1) {
            return refuse(minor > 1 && minor < 10 ? MessageFault.VERSION : MessageFault.START_LINE);
        }
        if (b[p + 8] != '\r' || b[p + 9] != '\n') {
            return refuse(b[p + 8] == '\n' ? MessageFault.BARE_LF : MessageFault.START_LINE);
        }
        int after = fields.scan(b, p + 10, end);
        if (after == Fields.INCOMPLETE) {
            return Outcome.INCOMPLETE;
        }
        if (after == Fields.FAULT) {
            fault = fields.fault();
            return Outcome.FAULT;
        }
        length = after;
        return conclude();
    }

    /**
     * Parses a version that is incomplete. Bytes that cannot become a version are rejected early,
     * so that the connection does not wait for more of them.
     */
    private Outcome scanShortVersion(int p, int end) {
        for (int i = 0; p + i < end && i < 5; i++) {
            if (scratch[p + i] != VERSION[i]) {
                return refuse(MessageFault.START_LINE);
            }
        }
        for (int i = p; i < end; i++) {
            if (scratch[i] == '\n') {
                return refuse(
                        scratch[i - 1] == '\r' ? MessageFault.START_LINE : MessageFault.BARE_LF);
            }
        }
        return Outcome.INCOMPLETE;
    }

    private Outcome conclude() {
        MessageFault wrong = framing.read(scratch, fields, minor);
        if (wrong == null) {
            wrong = target.read(this, scratch, fields);
        }
        if (wrong == null && fields.hasAny(RARE)) {
            wrong = rareFault();
        }
        if (wrong != null) {
            return refuse(wrong);
        }
        // After a rejected CONNECT, bytes for its tunnel may follow: they must not be parsed as
        // requests.
        keepAlive = !closes() && !methodIs("CONNECT");
        return Outcome.COMPLETE;
    }

    private @Nullable MessageFault rareFault() {
        // RFC 9110 section 10.1.1.
        if (fields.has(Field.EXPECT) && !expectsContinue()) {
            return MessageFault.EXPECTATION;
        }
        if (methodIs("CONNECT") && fields.hasAny(FRAMING)) {
            return MessageFault.CONNECT_BODY;
        }
        // RFC 9110 section 7.6.2: the field has a meaning for these two methods only.
        if (fields.has(Field.MAX_FORWARDS)
                && maxForwards() < 0
                && (methodIs("OPTIONS") || methodIs("TRACE"))) {
            return MessageFault.MAX_FORWARDS;
        }
        return null;
    }

    /** Returns the hops left; -1 when the field is absent, repeated or not a number. */
    public long maxForwards() {
        int index = fields.indexOf(Field.MAX_FORWARDS);
        return index < 0 || fields.isRepeated(Field.MAX_FORWARDS)
                ? -1
                : Ascii.decimal(scratch, fields.valueFrom(index), fields.valueLength(index));
    }

    /** Reports whether the connection closes after this request (RFC 9112 section 9.3). */
    private boolean closes() {
        if (!fields.has(Field.CONNECTION)) {
            return minor == 0;
        }
        String tokens = String.valueOf(fields.joined(Field.CONNECTION));
        return TokenList.contains(tokens, "close")
                || (minor == 0 && !TokenList.contains(tokens, "keep-alive"));
    }

    private Outcome refuse(MessageFault found) {
        fault = found;
        return Outcome.FAULT;
    }

    /** Returns the fault after {@link Outcome#FAULT}. */
    public MessageFault fault() {
        return fault == null ? MessageFault.START_LINE : fault;
    }

    /** Returns the bytes of the head, an ignored empty line before it included. */
    public int length() {
        return length;
    }

    public Fields fields() {
        return fields;
    }

    /** Compares the method; methods are case-sensitive (RFC 9110 section 9.1). */
    public boolean methodIs(String method) {
        if (methodLength != method.length()) {
            return false;
        }
        for (int i = 0; i < methodLength; i++) {
            if (scratch[start + i] != method.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    public String method() {
        return methodIs("GET")
                ? "GET"
                : new String(scratch, start, methodLength, StandardCharsets.ISO_8859_1);
    }

    /** Returns the index of the method; see {@link #methodLength}. */
    public int methodFrom() {
        return start;
    }

    public int methodLength() {
        return methodLength;
    }

    /** Returns 0 or 1: the digit after {@code HTTP/1.} */
    public int minorVersion() {
        return minor;
    }

    /** Returns the announced body bytes; 0 for none, -1 when chunked. */
    public long contentLength() {
        return framing.contentLength;
    }

    public boolean isChunked() {
        return framing.chunked;
    }

    public boolean hasBody() {
        return framing.contentLength != 0;
    }

    public boolean expectsContinue() {
        int index = fields.indexOf(Field.EXPECT);
        return index >= 0
                && !fields.isRepeated(Field.EXPECT)
                && Ascii.equalsLower(
                        scratch, fields.valueFrom(index), fields.valueLength(index), CONTINUE);
    }

    /** Reports whether the connection persists after this request. */
    public boolean keepAlive() {
        return keepAlive;
    }

    /**
     * Reports whether the target was {@code cache_object://authority/path}: a request to this
     * proxy, which is never forwarded.
     */
    public boolean isManager() {
        return target.manager;
    }

    /** Reports whether the target was {@code http://authority/path}, or https. */
    public boolean isAbsolute() {
        return target.pathFrom != target.from;
    }

    /**
     * Returns Host, or the authority that overrides it, as written; empty for HTTP/1.0 without
     * Host.
     */
    public String authority() {
        return new String(
                scratch, target.authorityFrom, target.authorityLength, StandardCharsets.ISO_8859_1);
    }

    /**
     * Returns path and query as they are requested of the origin; {@code *} for {@code OPTIONS *}.
     */
    public String pathAndQuery() {
        return target.pathAndQuery(scratch);
    }

    /** Returns the bytes that all indices refer to, without a copy. */
    public byte[] bytes() {
        return scratch;
    }

    public int authorityFrom() {
        return target.authorityFrom;
    }

    public int authorityLength() {
        return target.authorityLength;
    }

    /** Returns the index of path and query; see {@link #pathLength}. */
    public int pathFrom() {
        return target.pathFrom;
    }

    /**
     * Returns the length of path and query; 0 when an absolute target has no path, which stands for
     * {@code /} (RFC 9110 section 4.2.3).
     */
    public int pathLength() {
        return target.pathLength();
    }
}
