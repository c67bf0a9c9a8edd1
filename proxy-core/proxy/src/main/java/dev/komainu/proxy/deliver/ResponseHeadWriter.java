package dev.komainu.proxy.deliver;

import dev.komainu.intermediary.caching.ByteRange;
import dev.komainu.intermediary.message.Ascii;
import dev.komainu.intermediary.message.HttpDate;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The writer of response heads. Most of a head is encoded in the cache; the fields that change per
 * response are appended:
 *
 * <pre>
 *   | stored head | Age | Via | Cache-Status | Transfer-Encoding | Connection | empty line |
 * </pre>
 *
 * Ages are current_age (RFC 9111 section 4.2.3), Cache-Status is RFC 9211's. A stored head's status
 * line keeps the version that its origin used: {@code Via} names that one (RFC 9110 section 7.6.3),
 * the line itself becomes HTTP/1.1. One per event loop.
 */
public final class ResponseHeadWriter {

    private static final byte[] AGE = Ascii.bytes("Age: ");
    private static final byte[] CRLF = Ascii.bytes("\r\n");
    private static final byte[] END = Ascii.bytes("\r\n\r\n");
    private static final byte[] CLOSE = Ascii.bytes("\r\nConnection: close\r\n\r\n");
    private static final byte[] KEEP = Ascii.bytes("\r\nConnection: keep-alive\r\n\r\n");
    private static final byte[] CHUNKED = Ascii.bytes("\r\nTransfer-Encoding: chunked");

    private static final int MINOR_AT = "HTTP/1.".length();

    private final byte[] via;
    private final byte[] oldVia;
    private final byte[] hit;
    private final byte[] oldHit;

    /**
     * Creates the writer.
     *
     * @param viaName this proxy's pseudonym (RFC 9110 section 7.6.3)
     */
    public ResponseHeadWriter(String viaName) {
        this.via = Ascii.bytes("Via: 1.1 " + viaName + "\r\nCache-Status: komainu; ");
        this.oldVia = Ascii.bytes("Via: 1.0 " + viaName + "\r\nCache-Status: komainu; ");
        this.hit = Ascii.bytes("\r\nVia: 1.1 " + viaName + "\r\nCache-Status: komainu; hit; ttl=");
        this.oldHit =
                Ascii.bytes("\r\nVia: 1.0 " + viaName + "\r\nCache-Status: komainu; hit; ttl=");
    }

    /** Writes the head of a response from memory. */
    public void hit(
            ByteBuf out, byte[] head, long ageSeconds, long ttlSeconds, boolean keep, int minor) {
        out.writeBytes(head);
        behindHit(out, ageSeconds, ttlSeconds, keep, minor);
    }

    /**
     * Writes the fields behind the encoded head of a response from memory. The buffer contains that
     * head only.
     */
    public void behindHit(ByteBuf out, long ageSeconds, long ttlSeconds, boolean keep, int minor) {
        boolean old = cameByHttp10(out);
        out.writeBytes(AGE);
        Ascii.writeDecimal(out, ageSeconds);
        out.writeBytes(old ? oldHit : hit);
        if (ttlSeconds < 0) {
            out.writeByte('-');
        }
        Ascii.writeDecimal(out, Math.abs(ttlSeconds));
        end(out, keep, minor);
    }

    /**
     * Writes the head of a response that was fetched.
     *
     * @param ageSeconds -1 writes no Age
     * @param cacheStatus the parameters, such as {@code fwd=miss; stored}
     */
    public void fetched(
            ByteBuf out,
            byte[] head,
            long ageSeconds,
            String cacheStatus,
            boolean chunked,
            boolean keep,
            int minor) {
        out.writeBytes(head);
        boolean old = cameByHttp10(out);
        if (ageSeconds >= 0) {
            out.writeBytes(AGE);
            Ascii.writeDecimal(out, ageSeconds);
            out.writeBytes(CRLF);
        }
        out.writeBytes(old ? oldVia : via);
        ascii(out, cacheStatus);
        if (chunked) {
            out.writeBytes(CHUNKED);
        }
        end(out, keep, minor);
    }

    /**
     * Makes the head at the beginning of the buffer one of HTTP/1.1.
     *
     * @return whether its origin used HTTP/1.0
     */
    private static boolean cameByHttp10(ByteBuf out) {
        int minorAt = out.readerIndex() + MINOR_AT;
        boolean old = out.getByte(minorAt) == '0';
        if (old) {
            out.setByte(minorAt, '1');
        }
        return old;
    }

    /** Writes Connection where it is not the version's default (RFC 9112 section 9.3). */
    private static void end(ByteBuf out, boolean keep, int minor) {
        out.writeBytes(keep ? (minor == 0 ? KEEP : END) : CLOSE);
    }

    /**
     * Returns the head of a 304 (RFC 9110 section 15.4.5) or a 206 (section 15.3.7), made from a
     * 200's stored head.
     */
    public static byte[] derived(
            byte[] stored, int status, @Nullable ByteRange range, long length) {
        String text = new String(stored, StandardCharsets.ISO_8859_1);
        StringBuilder out = new StringBuilder(text.length() + 64);
        out.append(text, 0, MINOR_AT + 1);
        out.append(
                switch (status) {
                    case 206 -> " 206 Partial Content\r\n";
                    case 304 -> " 304 Not Modified\r\n";
                    default -> " 416 Range Not Satisfiable\r\n";
                });
        int line = text.indexOf("\r\n") + 2;
        while (line < text.length()) {
            int next = text.indexOf("\r\n", line) + 2;
            boolean leftOut = text.regionMatches(true, line, "content-length:", 0, 15)
                    || text.regionMatches(true, line, "content-range:", 0, 14)
                    || (status == 304 && text.regionMatches(true, line, "content-type:", 0, 13));
            if (!leftOut) {
                out.append(text, line, next);
            }
            line = next;
        }
        if (status == 206 && range != null) {
            out.append("Content-Range: bytes ").append(range.from()).append('-').append(range.to());
            out.append('/')
                    .append(length)
                    .append("\r\nContent-Length: ")
                    .append(range.length())
                    .append("\r\n");
        } else if (status == 416) {
            out.append("Content-Range: bytes */")
                    .append(length)
                    .append("\r\nContent-Length: 0\r\n");
        }
        return Ascii.bytes(out.toString());
    }

    /**
     * Returns the head of a 206 with several parts (RFC 9110 section 15.3.7.2), made from a 200's
     * stored head.
     */
    public static byte[] multipart(byte[] stored, String boundary, long length) {
        String bare = new String(derived(stored, 206, null, 0), StandardCharsets.ISO_8859_1);
        String type = contentType(stored);
        return Ascii.bytes((type.isEmpty() ? bare : bare.replace("\r\n" + type, "\r\n"))
                + "Content-Type: multipart/byteranges; boundary=" + boundary
                + "\r\nContent-Length: " + length
                + "\r\n");
    }

    /** Returns the Content-Type line of a stored head with its CRLF; empty when there is none. */
    public static String contentType(byte[] stored) {
        String text = new String(stored, StandardCharsets.ISO_8859_1);
        int line = text.indexOf("\r\n") + 2;
        while (line < text.length()) {
            int next = text.indexOf("\r\n", line) + 2;
            if (text.regionMatches(true, line, "content-type:", 0, 13)) {
                return text.substring(line, next);
            }
            line = next;
        }
        return "";
    }

    /** Writes a whole short response of the proxy itself. */
    public void message(
            ByteBuf out, int status, String message, boolean headOnly, boolean keep, int minor) {
        byte[] body = (status + " " + phrase(status) + "\n" + message + ".\n")
                .getBytes(StandardCharsets.UTF_8);
        ascii(
                out,
                "HTTP/1.1 " + status + " " + phrase(status) + "\r\nDate: "
                        + HttpDate.format(System.currentTimeMillis())
                        + "\r\nContent-Type: text/plain; charset=utf-8\r\nCache-Control: no-store\r\nContent-Length: "
                        + body.length + "\r\n");
        out.writeBytes(via);
        ascii(out, "detail=" + (status < 400 ? "own" : "error"));
        end(out, keep, minor);
        if (!headOnly) {
            out.writeBytes(body);
        }
    }

    /** Writes a page of figures: a text that is never stored. */
    public void page(ByteBuf out, byte[] text, boolean headOnly, boolean keep, int minor) {
        ascii(
                out,
                "HTTP/1.1 200 OK\r\nDate: " + HttpDate.format(System.currentTimeMillis())
                        + "\r\nContent-Type: text/plain; charset=utf-8\r\nCache-Control: no-store\r\nContent-Length: "
                        + text.length + "\r\n");
        out.writeBytes(via);
        ascii(out, "detail=own");
        end(out, keep, minor);
        if (!headOnly) {
            out.writeBytes(text);
        }
    }

    static String phrase(int status) {
        return switch (status) {
            case 200 -> "OK";
            case 202 -> "Accepted";
            case 400 -> "Bad Request";
            case 403 -> "Forbidden";
            case 404 -> "Not Found";
            case 408 -> "Request Timeout";
            case 413 -> "Content Too Large";
            case 414 -> "URI Too Long";
            case 417 -> "Expectation Failed";
            case 431 -> "Request Header Fields Too Large";
            case 501 -> "Not Implemented";
            case 502 -> "Bad Gateway";
            case 503 -> "Service Unavailable";
            case 504 -> "Gateway Timeout";
            case 505 -> "HTTP Version Not Supported";
            case 508 -> "Loop Detected";
            default -> "Error";
        };
    }

    private static void ascii(ByteBuf out, String text) {
        out.writeCharSequence(text, StandardCharsets.ISO_8859_1);
    }
}
