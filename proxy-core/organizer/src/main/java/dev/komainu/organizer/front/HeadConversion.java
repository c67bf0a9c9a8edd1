package dev.komainu.organizer.front;

import dev.komainu.intermediary.message.EndToEndFields;
import dev.komainu.intermediary.message.Field;
import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.message.ManagementRequest;
import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.intermediary.message.ResponseHead;
import dev.komainu.organizer.line.MemberFields;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Conversion of heads between HTTP/1.1 text and HTTP/2 fields. Hop-by-hop fields are removed (RFC
 * 9110 section 7.6.1, RFC 9113 section 8.2.2). Pure functions. Both parsers have validated their
 * input, so nothing is validated again.
 */
final class HeadConversion {

    /**
     * The reason of a response that is not of a server. Sent between organizers only: never
     * accepted from a server and never sent to a client.
     */
    static final AsciiString REFUSAL = MemberFields.REFUSAL;

    static final AsciiString PROTOCOL =
            AsciiString.cached(Http2Headers.PseudoHeaderName.PROTOCOL.value().toString());
    static final AsciiString VIA = AsciiString.cached("via");
    static final AsciiString LENGTH = AsciiString.cached("content-length");

    /** A field of the line's {@code SendPriority}. */
    private static final AsciiString CLASS = AsciiString.cached("komainu-class");

    /** Host becomes the authority. Trailer is kept, because the line transmits trailers. */
    private static final long HOP =
            (EndToEndFields.HOP_BY_HOP & ~Fields.mask(Field.TRAILER)) | Fields.mask(Field.HOST);

    private static final AsciiString[] LOWER = new AsciiString[Field.values().length];

    static {
        for (Field field : Field.values()) {
            LOWER[field.ordinal()] = AsciiString.cached(field.text().toLowerCase(Locale.ROOT));
        }
    }

    private HeadConversion() {}

    static Http2Headers of(RequestHead head) {
        Http2Headers to = new DefaultHttp2Headers(false, 16);
        to.method(head.method()).scheme("http").path(head.pathAndQuery());
        if (head.authorityLength() > 0) {
            to.authority(new AsciiString(
                    head.bytes(), head.authorityFrom(), head.authorityLength(), true));
        }
        copy(head.fields(), to);
        return to;
    }

    static Http2Headers of(ResponseHead head) {
        Http2Headers to = new DefaultHttp2Headers(false, 16);
        to.status(HttpResponseStatus.valueOf(head.status()).codeAsText());
        copy(head.fields(), to);
        return to;
    }

    /** Converts trailers. */
    static Http2Headers of(Fields fields) {
        Http2Headers to = new DefaultHttp2Headers(false, 8);
        copy(fields, to);
        return to;
    }

    private static void copy(Fields fields, Http2Headers to) {
        Set<String> named = EndToEndFields.named(fields);
        for (int i = 0; i < fields.count(); i++) {
            if (fields.isAmong(i, HOP)) {
                continue;
            }
            Field known = fields.knownAt(i);
            AsciiString name = known != null
                    ? LOWER[known.ordinal()]
                    : new AsciiString(
                                    fields.bytes(), fields.nameFrom(i), fields.nameLength(i), true)
                            .toLowerCase();
            if (isMemberField(name) || (!named.isEmpty() && named.contains(name.toString()))) {
                continue;
            }
            to.add(
                    name,
                    new AsciiString(
                            fields.bytes(), fields.valueFrom(i), fields.valueLength(i), true));
        }
    }

    /**
     * Reports whether method and path are one word each, as a request line needs (RFC 9112 section
     * 3).
     */
    static boolean isRequestLine(Http2Headers head) {
        return isWord(head.method()) && isWord(head.path());
    }

    private static boolean isWord(@Nullable CharSequence text) {
        if (text == null || text.isEmpty()) {
            return false;
        }
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) <= ' ' || text.charAt(i) == 127) {
                return false;
            }
        }
        return true;
    }

    /**
     * Writes a request head without its empty line.
     *
     * @param host used when the head has no authority
     */
    static void request(ByteBuf out, Http2Headers head, String host) {
        ascii(out, head.method());
        out.writeByte(' ');
        ascii(out, head.path());
        ByteBufUtil.writeAscii(out, " HTTP/1.1\r\nHost: ");
        CharSequence authority = head.authority();
        ascii(out, authority == null ? host : authority);
        out.writeShort(CRLF);
        fields(out, head);
    }

    /**
     * Writes a response head without its empty line.
     *
     * @param minor HTTP/1 minor version of the client
     */
    static void response(ByteBuf out, Http2Headers head, int minor) {
        int status = status(head);
        // The version is 1.1 for every client. Features that 1.0 lacks are not used for a 1.0
        // client (RFC 9110 section 6.2).
        ByteBufUtil.writeAscii(out, minor == 0 && status < 200 ? "HTTP/1.0 " : "HTTP/1.1 ");
        ByteBufUtil.writeAscii(out, HttpResponseStatus.valueOf(status).codeAsText());
        out.writeByte(' ');
        ByteBufUtil.writeAscii(out, HttpResponseStatus.valueOf(status).reasonPhrase());
        out.writeShort(CRLF);
        fields(out, head);
    }

    static void fields(ByteBuf out, Http2Headers head) {
        for (Map.Entry<CharSequence, CharSequence> field : head) {
            CharSequence name = field.getKey();
            if (name.charAt(0) == ':' || isMemberField(name)) {
                continue;
            }
            ascii(out, name);
            out.writeShort(COLON_SPACE);
            ascii(out, field.getValue());
            out.writeShort(CRLF);
        }
    }

    static final int CRLF = '\r' << 8 | '\n';
    private static final int COLON_SPACE = ':' << 8 | ' ';

    private static boolean isMemberField(CharSequence name) {
        return name.length() > 8
                && (same(REFUSAL, name)
                        || same(CLASS, name)
                        || same(MemberFields.OWNER, name)
                        || same(MemberFields.HEARD, name)
                        || same(MemberFields.PURGES, name)
                        || same(MemberFields.PAGE, name));
    }

    private static boolean same(AsciiString one, CharSequence other) {
        return other.length() == one.length() && AsciiString.contentEquals(one, other);
    }

    private static void ascii(ByteBuf out, @Nullable CharSequence text) {
        if (text instanceof AsciiString bytes) {
            // Copied byte by byte: values may contain non-ASCII bytes.
            out.writeBytes(bytes.array(), bytes.arrayOffset(), bytes.length());
        } else if (text != null) {
            ByteBufUtil.writeAscii(out, text);
        }
    }

    static int status(Http2Headers head) {
        CharSequence value = head.status();
        return value == null || value.length() != 3
                ? 0
                : (value.charAt(0) - '0') * 100
                        + (value.charAt(1) - '0') * 10
                        + value.charAt(2)
                        - '0';
    }

    /** Returns the declared length in bytes; -1: none is declared. */
    static long length(Http2Headers head) {
        CharSequence value = head.get(LENGTH);
        if (value == null) {
            return -1;
        }
        try {
            return Long.parseLong(value, 0, value.length(), 10);
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    /**
     * Returns the path for the route lookup. A target without a path, such as {@code *}, is looked
     * up as {@code /}.
     */
    static String path(Http2Headers head) {
        CharSequence path = head.path();
        return path == null || path.isEmpty() || path.charAt(0) != '/' ? "/" : path.toString();
    }

    static String pathWithoutQuery(Http2Headers head) {
        String path = path(head);
        int query = path.indexOf('?');
        return query < 0 ? path : path.substring(0, query);
    }

    /** Reports whether a request is for a cache itself. Tunnels have no path. */
    static boolean isCacheManagement(Http2Headers head) {
        CharSequence method = head.method();
        return method != null && ManagementRequest.is(method, path(head));
    }

    /**
     * Reports whether another proxy has forwarded a client's request, to which this front has added
     * the client's address.
     */
    static boolean isForwarded(Http2Headers head) {
        CharSequence addresses = head.get("x-forwarded-for");
        return head.contains(VIA)
                || head.contains("forwarded")
                || head.contains("x-real-ip")
                || (addresses != null && addresses.toString().contains(","));
    }

    /** Returns all values of Via in order, joined by commas. */
    static String via(Http2Headers head) {
        String all = "";
        for (CharSequence one : head.getAll(VIA)) {
            all = all.isEmpty() ? one.toString() : all + ", " + one;
        }
        return all;
    }

    /** Returns the host for the route lookup: in lower case, without the scheme's default port. */
    static String host(Http2Headers head) {
        CharSequence authority = head.authority();
        if (authority == null) {
            return "";
        }
        String host = authority.toString().toLowerCase(Locale.ROOT);
        return host.endsWith(":80") ? host.substring(0, host.length() - 3) : host;
    }
}
