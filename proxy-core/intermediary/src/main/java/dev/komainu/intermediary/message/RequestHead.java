package dev.komainu.intermediary.message;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A request's head, read strictly, and what follows from it: where it ends, how long its body is,
 * whether the connection may stay.
 *
 * <p>One of these belongs to each event loop and is read into again and again, so that a cache hit
 * allocates nothing for it; whoever must remember a head beyond the call takes a {@link #detached}
 * copy.
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

    /** A copy that stays valid when this one reads the next head. */
    public RequestHead detached() {
        byte[] own = Arrays.copyOf(scratch, length);
        RequestHead copy = new RequestHead(own, fields.detached(own));
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

    /** What {@link #read} found. */
    public enum Outcome {
        /** The head is complete; {@link #length()} bytes belong to it. Nothing was consumed. */
        COMPLETE,
        /** More bytes are needed; what is here is no fault so far. */
        INCOMPLETE,
        /** See {@link #fault()}. */
        FAULT
    }

    /**
     * How the next heads came; to be told before each {@link #read}.
     *
     * @param tls their bytes come out of TLS (RFC 9110 section 7.1)
     * @param http2 they are HTTP/2's fields, written as text
     */
    public void setReceivedOver(boolean tls, boolean http2) {
        this.overTls = tls;
        this.http2 = http2;
    }

    /** Whether HTTP/2 brought it; {@link #minorVersion} is 1 then. */
    public boolean isHttp2() {
        return http2;
    }

    boolean isOverTls() {
        return overTls;
    }

    /** Whether the effective URI is an https one (RFC 9110 section 7.1). */
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
        // RFC 9112 2.2: one empty line before the request line is ignored, as old clients send it
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
     * Fewer bytes than a whole version are here: refuse early what can never become one, so that
     * junk is not waited for.
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
        // Behind a CONNECT that is refused, bytes meant for its tunnel may follow: they must not be
        // read as requests.
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
        // RFC 9110 section 7.6.2: it means something for these two methods only.
        if (fields.has(Field.MAX_FORWARDS)
                && maxForwards() < 0
                && (methodIs("OPTIONS") || methodIs("TRACE"))) {
            return MessageFault.MAX_FORWARDS;
        }
        return null;
    }

    /** Hops that are left; -1 when it is absent, repeated or no number. */
    public long maxForwards() {
        int at = fields.indexOf(Field.MAX_FORWARDS);
        return at < 0 || fields.isRepeated(Field.MAX_FORWARDS)
                ? -1
                : Ascii.decimal(scratch, fields.valueFrom(at), fields.valueLength(at));
    }

    /** RFC 9112 section 9.3. */
    private boolean closes() {
        if (!fields.has(Field.CONNECTION)) {
            return minor == 0;
        }
        String tokens = String.valueOf(fields.joined(Field.CONNECTION));
        return TokenList.contains(tokens, "close")
                || minor == 0 && !TokenList.contains(tokens, "keep-alive");
    }

    private Outcome refuse(MessageFault why) {
        fault = why;
        return Outcome.FAULT;
    }

    /** After {@link Outcome#FAULT}: why. */
    public MessageFault fault() {
        return fault == null ? MessageFault.START_LINE : fault;
    }

    /** Bytes of the head, an ignored empty line before it included. */
    public int length() {
        return length;
    }

    public Fields fields() {
        return fields;
    }

    /** Case matters in methods (RFC 9110 section 9.1). */
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

    /** Where the method begins; see {@link #methodLength}. */
    public int methodFrom() {
        return start;
    }

    public int methodLength() {
        return methodLength;
    }

    /** 0 or 1: the digit after {@code HTTP/1.} */
    public int minorVersion() {
        return minor;
    }

    /** Body bytes announced; 0 for none, -1 when chunked. */
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
        int at = fields.indexOf(Field.EXPECT);
        return at >= 0
                && !fields.isRepeated(Field.EXPECT)
                && Ascii.equalsLower(
                        scratch, fields.valueFrom(at), fields.valueLength(at), CONTINUE);
    }

    public boolean keepAlive() {
        return keepAlive;
    }

    /**
     * The target came as {@code cache_object://authority/path}: meant for this proxy, and for
     * nobody behind it.
     */
    public boolean isManager() {
        return target.manager;
    }

    /** The target came as {@code http://authority/path}, or https. */
    public boolean isAbsolute() {
        return target.pathFrom != target.from;
    }

    /** Host, or what overrides it, as written; empty for HTTP/1.0 without Host. */
    public String authority() {
        return new String(
                scratch, target.authorityFrom, target.authorityLength, StandardCharsets.ISO_8859_1);
    }

    /** Path and query, as the origin is asked for it; {@code *} for {@code OPTIONS *}. */
    public String pathAndQuery() {
        return target.pathAndQuery(scratch);
    }

    public byte[] bytes() {
        return scratch;
    }

    public int authorityFrom() {
        return target.authorityFrom;
    }

    public int authorityLength() {
        return target.authorityLength;
    }

    /** Where path and query begin; see {@link #pathLength}. */
    public int pathFrom() {
        return target.pathFrom;
    }

    /** 0 when an absolute target has no path: it stands for {@code /} (RFC 9110 section 4.2.3). */
    public int pathLength() {
        return target.pathLength();
    }
}
