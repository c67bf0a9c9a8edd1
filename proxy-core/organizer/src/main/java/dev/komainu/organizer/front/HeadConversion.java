package dev.komainu.organizer.front;

import dev.komainu.intermediary.message.EndToEndFields;
import dev.komainu.intermediary.message.Field;
import dev.komainu.intermediary.message.Fields;
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
 * Heads between HTTP/1.1's text and HTTP/2's fields. What is said to one connection only stays
 * behind (RFC 9110 section 7.6.1, RFC 9113 section 8.2.2). Pure functions; both readers have
 * checked what they read, so nothing is checked again.
 */
final class HeadConversion {

    /**
     * Between organizers only: the answer is no server's, for this reason. Never taken from a
     * server, never told a client.
     */
    static final AsciiString REFUSAL = MemberFields.REFUSAL;

    static final AsciiString PROTOCOL =
            AsciiString.cached(Http2Headers.PseudoHeaderName.PROTOCOL.value().toString());
    static final AsciiString VIA = AsciiString.cached("via");
    static final AsciiString LENGTH = AsciiString.cached("content-length");

    /** The line's own: see its {@code Precedence}. */
    private static final AsciiString CLASS = AsciiString.cached("komainu-class");

    /** Host became the authority; Trailer says truly what comes, for the line carries trailers. */
    private static final long HOP =
            EndToEndFields.HOP_BY_HOP & ~Fields.mask(Field.TRAILER) | Fields.mask(Field.HOST);

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

    /** Trailers. */
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
            if (isMembers(name) || !named.isEmpty() && named.contains(name.toString())) {
                continue;
            }
            to.add(
                    name,
                    new AsciiString(
                            fields.bytes(), fields.valueFrom(i), fields.valueLength(i), true));
        }
    }

    /** Whether method and path stand in a request line as one word each (RFC 9112 section 3). */
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

    /** Without its empty line. @param host where the head names none */
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

    /** Without its empty line. @param minor of the client's HTTP/1 */
    static void answer(ByteBuf out, Http2Headers head, int minor) {
        int status = status(head);
        // This side speaks 1.1 whoever asks; what 1.0 does not know is not used then (RFC 9110
        // section 6.2).
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
            if (name.charAt(0) == ':' || isMembers(name)) {
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

    private static boolean isMembers(CharSequence name) {
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
            // Byte for byte: values may hold more than ASCII.
            out.writeBytes(bytes.array(), bytes.arrayOffset(), bytes.length());
        } else if (text != null) {
            ByteBufUtil.writeAscii(out, text);
        }
    }

    static int status(Http2Headers head) {
        CharSequence said = head.status();
        return said == null || said.length() != 3
                ? 0
                : (said.charAt(0) - '0') * 100 + (said.charAt(1) - '0') * 10 + said.charAt(2) - '0';
    }

    /** -1: none announced. */
    static long length(Http2Headers head) {
        CharSequence said = head.get(LENGTH);
        if (said == null) {
            return -1;
        }
        try {
            return Long.parseLong(said, 0, said.length(), 10);
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    /**
     * As routes are looked up; what has none, such as {@code *}, is asked of whoever serves
     * everything.
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

    /** Every value of Via, in order. */
    static String via(Http2Headers head) {
        String all = "";
        for (CharSequence one : head.getAll(VIA)) {
            all = all.isEmpty() ? one.toString() : all + ", " + one;
        }
        return all;
    }

    /** As routes are looked up: lower case, without the scheme's own port. */
    static String host(Http2Headers head) {
        CharSequence authority = head.authority();
        if (authority == null) {
            return "";
        }
        String host = authority.toString().toLowerCase(Locale.ROOT);
        return host.endsWith(":80") ? host.substring(0, host.length() - 3) : host;
    }
}
