package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.message.Ascii;
import dev.komainu.intermediary.message.BodyReader;
import dev.komainu.intermediary.message.Fields;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The writer of an HTTP/2 request's fields as the HTTP/1.1 text that {@code RequestHead} reads, so
 * that one implementation checks limits and syntax. This class refuses what only HTTP/2 forbids
 * (RFC 9113 sections 8.2 and 8.3), and every byte that could end a line or a word of the text
 * early.
 *
 * <pre>
 *   :method GET  :scheme http  :authority a:80  :path /x      GET /x HTTP/1.1   or GET http://a:80/x HTTP/1.1 (forward)
 *   cookie: a=1  cookie: b=2                                  host: a:80
 *                                                             cookie: a=1; b=2
 *   (no END_STREAM, no content-length)                        transfer-encoding: chunked
 * </pre>
 */
final class RequestHeadText {

    private static final byte[] HOST = Ascii.bytes(" HTTP/1.1\r\nhost: ");
    private static final byte[] COOKIE = Ascii.bytes("cookie: ");
    private static final byte[] CHUNKED = Ascii.bytes("transfer-encoding: chunked\r\n");
    private static final byte[] EMPTY_BODY = Ascii.bytes("content-length: 0\r\n");

    private RequestHeadText() {}

    /**
     * Writes the head of a request.
     *
     * @param ends whether the request has no body
     * @param absolute whether the target is written with its scheme and authority
     * @return the reason why the request is malformed, or null; then {@code out} contains its head
     */
    static @Nullable String write(
            Http2Headers fields, boolean ends, boolean absolute, ByteBuf out) {
        CharSequence method = fields.method();
        CharSequence authority = fields.authority();
        CharSequence host = fields.get("host");
        if (method == null || !isWord(method)) {
            return ":method is missing or malformed (RFC 9113 8.3.1)";
        }
        if (authority == null) {
            authority = host;
        } else if (host != null && !AsciiString.contentEqualsIgnoreCase(host, authority)) {
            return "host differs from :authority (RFC 9113 8.3.1)";
        }
        if (authority == null || authority.isEmpty() || !isWord(authority)) {
            return ":authority is missing or malformed (RFC 9113 8.3.1)";
        }
        boolean connects = AsciiString.contentEquals("CONNECT", method);
        String fault = connects
                ? startOfConnect(fields, authority, out)
                : start(fields, method, authority, absolute, out);
        if (fault != null) {
            return fault;
        }
        out.writeBytes(HOST);
        write(out, authority);
        line(out);
        fault = fields(fields, out);
        if (fault == null) {
            boolean counted = fields.contains("content-length");
            if (!connects && !ends && !counted) {
                out.writeBytes(CHUNKED);
            } else if (ends && !counted && expectsBody(method)) {
                // HTTP/1 origins may wait for a body if the head has no length (RFC 9110 section
                // 8.6).
                out.writeBytes(EMPTY_BODY);
            }
            line(out);
        }
        return fault;
    }

    /**
     * Writes trailers as the end of a chunked body, and parses them like those of HTTP/1 (RFC 9113
     * section 8.1).
     *
     * @return null when there are none
     * @throws Http2Exception a stream error: they are malformed
     */
    static @Nullable Fields trailers(int stream, Http2Headers fields, ByteBuf scratch)
            throws Http2Exception {
        scratch.clear();
        write(scratch, "0");
        line(scratch);
        String fault =
                fields.names().stream().anyMatch(name -> name.length() > 0 && name.charAt(0) == ':')
                        ? "pseudo field behind the body (RFC 9113 8.1)"
                        : fields(fields, scratch);
        line(scratch);
        BodyReader reader = new BodyReader();
        reader.beginChunked();
        if (fault == null && reader.read(scratch, data -> {}) != BodyReader.Outcome.DONE) {
            fault = reader.fault().reason();
        }
        if (fault != null) {
            throw Http2Exception.streamError(stream, Http2Error.PROTOCOL_ERROR, fault);
        }
        return reader.trailers();
    }

    private static boolean expectsBody(CharSequence method) {
        return AsciiString.contentEquals("POST", method)
                || AsciiString.contentEquals("PUT", method)
                || AsciiString.contentEquals("PATCH", method);
    }

    /** Writes the request line of CONNECT (RFC 9113 section 8.5). */
    private static @Nullable String startOfConnect(
            Http2Headers fields, CharSequence authority, ByteBuf out) {
        if (fields.scheme() != null || fields.path() != null) {
            return "CONNECT with :scheme or :path (RFC 9113 8.5)";
        }
        write(out, "CONNECT ");
        write(out, authority);
        return null;
    }

    private static @Nullable String start(
            Http2Headers fields,
            CharSequence method,
            CharSequence authority,
            boolean absolute,
            ByteBuf out) {
        CharSequence scheme = fields.scheme();
        CharSequence path = fields.path();
        if (scheme == null
                || (!AsciiString.contentEquals("http", scheme)
                        && !AsciiString.contentEquals("https", scheme))) {
            return ":scheme is missing or neither http nor https (RFC 9113 8.3.1)";
        }
        boolean server = path != null
                && AsciiString.contentEquals("*", path)
                && AsciiString.contentEquals("OPTIONS", method);
        if (path == null || path.isEmpty() || (path.charAt(0) != '/' && !server) || !isWord(path)) {
            return ":path is missing or malformed (RFC 9113 8.3.1)";
        }
        write(out, method);
        out.writeByte(' ');
        if (absolute) {
            write(out, scheme);
            write(out, "://");
            write(out, authority);
        }
        if (!absolute || !server) {
            write(out, path);
        }
        return null;
    }

    private static @Nullable String fields(Http2Headers fields, ByteBuf out) {
        boolean cookie = false;
        for (Map.Entry<CharSequence, CharSequence> field : fields) {
            CharSequence name = field.getKey();
            CharSequence value = field.getValue();
            if (name.length() > 0 && name.charAt(0) == ':') {
                if (!isKnown(name)) {
                    return "unknown pseudo field (RFC 9113 8.3)";
                }
                continue;
            }
            if (!isName(name)) {
                return "malformed or upper-case field name (RFC 9113 8.2)";
            }
            if (!isValue(value)) {
                return "malformed field value (RFC 9113 8.2.1)";
            }
            if (isOfConnection(name, value)) {
                return "field of a connection (RFC 9113 8.2.2)";
            }
            if (AsciiString.contentEquals("cookie", name)) {
                cookie = true;
            } else if (!AsciiString.contentEquals("host", name)) {
                write(out, name);
                out.writeByte(':');
                out.writeByte(' ');
                write(out, value);
                line(out);
            }
        }
        if (cookie) {
            cookies(fields, out);
        }
        return null;
    }

    private static boolean isKnown(CharSequence pseudo) {
        return AsciiString.contentEquals(":method", pseudo)
                || AsciiString.contentEquals(":scheme", pseudo)
                || AsciiString.contentEquals(":authority", pseudo)
                || AsciiString.contentEquals(":path", pseudo);
    }

    /** Writes the parts of a cookie as one field (RFC 9113 section 8.2.3). */
    private static void cookies(Http2Headers fields, ByteBuf out) {
        out.writeBytes(COOKIE);
        boolean first = true;
        for (CharSequence part : fields.getAll("cookie")) {
            if (!first) {
                write(out, "; ");
            }
            first = false;
            write(out, part);
        }
        line(out);
    }

    /** Reports whether a field belongs to a connection (RFC 9113 section 8.2.2). */
    private static boolean isOfConnection(CharSequence name, CharSequence value) {
        return switch (name.length()) {
            case 2 ->
                AsciiString.contentEquals("te", name)
                        && !AsciiString.contentEqualsIgnoreCase("trailers", value);
            case 7 -> AsciiString.contentEquals("upgrade", name);
            case 10 ->
                AsciiString.contentEquals("connection", name)
                        || AsciiString.contentEquals("keep-alive", name);
            case 16 -> AsciiString.contentEquals("proxy-connection", name);
            case 17 -> AsciiString.contentEquals("transfer-encoding", name);
            default -> false;
        };
    }

    private static boolean isName(CharSequence name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c > 127 || !Ascii.token((byte) c) || (c >= 'A' && c <= 'Z')) {
                return false;
            }
        }
        return !name.isEmpty();
    }

    /**
     * Reports whether a value contains no byte that ends a line and none at its ends that a reader
     * may trim. {@code RequestHead} checks the rest.
     */
    private static boolean isValue(CharSequence value) {
        int length = value.length();
        for (int i = 0; i < length; i++) {
            char c = value.charAt(i);
            if (c == '\r' || c == '\n' || c == 0) {
                return false;
            }
        }
        return length == 0 || (!isBlank(value.charAt(0)) && !isBlank(value.charAt(length - 1)));
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }

    /** Reports whether a text has visible characters only. */
    private static boolean isWord(CharSequence text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c <= ' ' || c >= 127) {
                return false;
            }
        }
        return !text.isEmpty();
    }

    private static void write(ByteBuf out, CharSequence text) {
        if (text instanceof AsciiString ascii) {
            out.writeBytes(ascii.array(), ascii.arrayOffset(), ascii.length());
        } else {
            out.writeCharSequence(text, StandardCharsets.ISO_8859_1);
        }
    }

    private static void line(ByteBuf out) {
        out.writeByte('\r');
        out.writeByte('\n');
    }
}
