package dev.komainu.proxy.fetch;

import dev.komainu.intermediary.message.Field;
import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.message.HeadBuffer;
import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.intermediary.message.TokenList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Fields behind a chunked body (RFC 9110 section 6.5, RFC 9112 section 7.1.2): handed on as
 * trailers or dropped, never made part of the head and never stored (RFC 9110 section 6.5.1, RFC
 * 9111 section 3.1).
 *
 * <p>Those that frame, route, control or authenticate a message mean nothing behind it; a reader
 * that merged them into the head would take another message from it than this proxy did. They are
 * dropped.
 */
public final class TrailerFields {

    private static final Set<String> NEVER = Set.of(
            "age",
            "authorization",
            "cache-control",
            "cache-status",
            "cdn-cache-control",
            "clear-site-data",
            "connection",
            "content-encoding",
            "content-length",
            "content-location",
            "content-range",
            "content-type",
            "cookie",
            "date",
            "expect",
            "expires",
            "host",
            "keep-alive",
            "last-modified",
            "location",
            "max-forwards",
            "origin",
            "pragma",
            "range",
            "retry-after",
            "set-cookie",
            "strict-transport-security",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade",
            "vary",
            "via",
            "warning",
            "www-authenticate");

    private static final List<String> NEVER_BEGIN = List.of(
            "proxy-", "if-", "access-control-", "sec-", "x-forwarded-", "content-security-");

    private TrailerFields() {}

    /** Whether a client said that it takes trailers (RFC 9110 section 10.1.4). */
    public static boolean areAccepted(RequestHead request) {
        String te = request.minorVersion() == 0 ? null : request.fields().joined(Field.TE);
        return te != null && TokenList.contains(te, "trailers");
    }

    /**
     * Whether it said so lawfully: who sends TE names it in Connection, which HTTP/2 lacks (RFC
     * 9113 section 8.2.2). Else the field is taken as carried along by mistake.
     */
    static boolean isSaidOfThisHop(RequestHead request) {
        if (request.isHttp2()) {
            return true;
        }
        String connection = request.fields().joined(Field.CONNECTION);
        return connection != null && TokenList.contains(connection, "te");
    }

    /**
     * What may be handed on of an answer's trailers, as field lines.
     *
     * @return absent when that is nothing
     */
    public static byte @Nullable [] ofAnswer(Fields trailers) {
        return encode(trailers, null, ForwardingSettings.DEFAULT);
    }

    /** The same of an upload: only what its head announced, and nothing that poses as a proxy's. */
    static byte @Nullable [] ofRequest(
            RequestHead head, Fields trailers, ForwardingSettings forwarding) {
        String announced = head.fields().joined(Field.TRAILER);
        return announced == null ? null : encode(trailers, announced, forwarding);
    }

    private static byte @Nullable [] encode(
            Fields trailers, @Nullable String announced, ForwardingSettings forwarding) {
        HeadBuffer out = new HeadBuffer(256);
        for (int i = 0; i < trailers.count(); i++) {
            String name = trailers.nameAt(i).toLowerCase(Locale.ROOT);
            boolean said = announced == null || TokenList.contains(announced, name);
            boolean poses = announced != null && Forwarding.leftOut(trailers, i, true, forwarding);
            if (said && !poses && mayBeBehind(name)) {
                out.field(trailers, i);
            }
        }
        return out.length() == 0 ? null : out.toArray();
    }

    private static boolean mayBeBehind(String name) {
        return !NEVER.contains(name) && NEVER_BEGIN.stream().noneMatch(name::startsWith);
    }

    /**
     * Says in the head which of the announced fields may follow the body (RFC 9110 section 6.6.2).
     */
    public static void announce(HeadBuffer out, Fields head) {
        String announced = head.joined(Field.TRAILER);
        if (announced != null) {
            List<String> names = TokenList.split(announced).stream()
                    .filter(name -> name.matches("[!#$%&'*+.^_`|~0-9A-Za-z-]+"))
                    .filter(name -> mayBeBehind(name.toLowerCase(Locale.ROOT)))
                    .toList();
            if (!names.isEmpty()) {
                out.add("Trailer: ").add(String.join(", ", names)).end();
            }
        }
    }
}
