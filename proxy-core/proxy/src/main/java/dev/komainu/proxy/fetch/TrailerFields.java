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
 * The fields behind a chunked body (RFC 9110 section 6.5, RFC 9112 section 7.1.2). They are
 * forwarded as trailers or dropped. They never become part of the head and are never stored (RFC
 * 9110 section 6.5.1, RFC 9111 section 3.1).
 *
 * <p>Fields that frame, route, control or authenticate a message have no meaning in trailers. A
 * reader that merged them into the head would read a different message than this proxy did, so they
 * are dropped.
 */
public final class TrailerFields {

    private static final Set<String> FORBIDDEN = Set.of(
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

    private static final List<String> FORBIDDEN_PREFIXES = List.of(
            "proxy-", "if-", "access-control-", "sec-", "x-forwarded-", "content-security-");

    private TrailerFields() {}

    /** Reports whether a client accepts trailers (RFC 9110 section 10.1.4). */
    public static boolean areAccepted(RequestHead request) {
        String te = request.minorVersion() == 0 ? null : request.fields().joined(Field.TE);
        return te != null && TokenList.contains(te, "trailers");
    }

    /**
     * Reports whether the TE field is valid for this hop: the sender of TE names it in Connection,
     * which HTTP/2 does not have (RFC 9113 section 8.2.2). Otherwise a previous hop forwarded the
     * field by mistake.
     */
    static boolean isTeOfThisHop(RequestHead request) {
        if (request.isHttp2()) {
            return true;
        }
        String connection = request.fields().joined(Field.CONNECTION);
        return connection != null && TokenList.contains(connection, "te");
    }

    /**
     * Returns those of a response's trailers that may be forwarded, as field lines.
     *
     * @return null when there are none
     */
    public static byte @Nullable [] ofResponse(Fields trailers) {
        return encode(trailers, null, ForwardingSettings.DEFAULT);
    }

    /**
     * Returns those of an upload's trailers that may be forwarded: only fields that its head
     * announced, and no forwarding fields of proxies.
     */
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
            boolean isAnnounced = announced == null || TokenList.contains(announced, name);
            boolean isForwarding =
                    announced != null && Forwarding.isOmitted(trailers, i, true, forwarding);
            if (isAnnounced && !isForwarding && isAllowed(name)) {
                out.field(trailers, i);
            }
        }
        return out.length() == 0 ? null : out.toArray();
    }

    private static boolean isAllowed(String name) {
        return !FORBIDDEN.contains(name) && FORBIDDEN_PREFIXES.stream().noneMatch(name::startsWith);
    }

    /**
     * Writes the Trailer field with the announced names that may follow the body (RFC 9110 section
     * 6.6.2).
     */
    public static void announce(HeadBuffer out, Fields head) {
        String announced = head.joined(Field.TRAILER);
        if (announced != null) {
            List<String> names = TokenList.split(announced).stream()
                    .filter(name -> name.matches("[!#$%&'*+.^_`|~0-9A-Za-z-]+"))
                    .filter(name -> isAllowed(name.toLowerCase(Locale.ROOT)))
                    .toList();
            if (!names.isEmpty()) {
                out.add("Trailer: ").add(String.join(", ", names)).end();
            }
        }
    }
}
