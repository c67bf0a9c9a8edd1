package dev.komainu.intermediary.kit;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Makes lawful requests, as odd as the grammars allow, and tells what of each an origin must see.
 *
 * @param bytes as a client sends it
 * @param method as the origin must see it
 * @param target likewise
 * @param host likewise
 * @param fields "lower-case name: value" of those that must reach it, in order, without Host,
 *     framing and Via
 * @param body without its framing
 */
public record Talker(
        String bytes, String method, String target, String host, List<String> fields, String body) {

    private static final String[] METHODS = {
        "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "BREW", "get", "M-SEARCH"
    };
    private static final Set<String> NO_USE_FOR_A_BODY = Set.of("GET", "HEAD", "DELETE");
    private static final String[] NAMES = {
        "X-A",
        "x-b",
        "ACCEPT",
        "User-Agent",
        "Cookie",
        "Content-Type",
        "If-Foo",
        "!#$%&'*+.^`|~9",
        "Xy_z",
        "Range-Unit"
    };
    /** Of this hop, or posing as a proxy's: never seen behind one. */
    private static final String[] GONE = {
        "Keep-Alive",
        "TE",
        "Upgrade",
        "Proxy-Connection",
        "proxy-authorization",
        "Forwarded",
        "X-Forwarded-For",
        "x-forwarded-anything",
        "X_FORWARDED_HOST",
        "X-Real-IP",
        "X-Original-URL",
        "Content_Length",
        "Transfer_encoding",
        "Proxy"
    };

    private static final String PATH = "abcXYZ019-._~!$&'()*+,;=:@/%";
    private static final String VALUE = "abcXYZ019 \t\",;=()<>@[]{}?/\\~\u00e9\u00ff";

    public static Talker of(SplittableRandom it) {
        String method = one(it, METHODS);
        String host = it.nextBoolean() ? "a.example" : "[2001:db8::" + it.nextInt(1, 10) + "]:8080";
        String target =
                "/" + text(it, PATH, 20) + (it.nextBoolean() ? "?" + text(it, PATH + "?", 20) : "");
        boolean absolute = it.nextInt(4) == 0;
        StringBuilder out = new StringBuilder(it.nextInt(8) == 0 ? "\r\n" : "");
        out.append(method).append(' ').append(absolute ? "http://" + host : "").append(target);
        out.append(" HTTP/1.1\r\n");
        List<String> lines = new ArrayList<>();
        List<String> kept = new ArrayList<>();
        lines.add("hOsT:" + blanks(it) + (absolute ? "other.example" : host) + blanks(it));
        for (int i = it.nextInt(8); i > 0; i--) {
            String name = one(it, NAMES);
            String value = text(it, VALUE, 30).strip();
            lines.add(name + ":" + blanks(it) + value + blanks(it));
            kept.add(name.toLowerCase(Locale.ROOT) + ": " + value);
        }
        for (int i = it.nextInt(4); i > 0; i--) {
            lines.add(it.nextInt(lines.size() + 1), one(it, GONE) + ": gone");
        }
        if (it.nextBoolean()) {
            lines.add(it.nextInt(lines.size() + 1), "Connection: X-Hop , keep-alive,Cookie");
            lines.add(it.nextInt(lines.size() + 1), "x-hop: gone");
        }
        String body = "";
        String framed = "";
        if (it.nextBoolean()) {
            body = text(it, VALUE + "\r\n\0", 200);
            if (it.nextBoolean()) {
                lines.add(it.nextInt(lines.size() + 1), "content-LENGTH: 00" + body.length());
                framed = body;
            } else {
                lines.add(
                        it.nextInt(lines.size() + 1),
                        "Transfer-Encoding:" + blanks(it) + "Chunked");
                framed = chunks(it, body);
            }
        }
        if (NO_USE_FOR_A_BODY.contains(method) && !framed.isEmpty()) {
            // Its connection carries nothing else: an origin that overlooks the body cannot take it
            // for a request.
            kept.add("connection: close");
        }
        // The first field of a name is not moved before the second: only what is gone was put in
        // between.
        lines.forEach(line -> out.append(line).append("\r\n"));
        return new Talker(out + "\r\n" + framed, method, target, host, kept, body);
    }

    private static String chunks(SplittableRandom it, String body) {
        StringBuilder out = new StringBuilder();
        for (int at = 0; at < body.length(); ) {
            int count = it.nextInt(1, body.length() - at + 1);
            String size = Integer.toHexString(count);
            out.append(it.nextBoolean() ? size.toUpperCase(Locale.ROOT) : "0" + size)
                    .append(extension(it));
            out.append("\r\n").append(body, at, at + count).append("\r\n");
            at += count;
        }
        out.append("0".repeat(it.nextInt(1, 4))).append(extension(it)).append("\r\n");
        for (int i = it.nextInt(3); i > 0; i--) {
            out.append(one(it, NAMES)).append(": trailer\r\n");
        }
        return out.append("\r\n").toString();
    }

    private static String extension(SplittableRandom it) {
        return switch (it.nextInt(5)) {
            case 0 -> ";a";
            case 1 -> "; a=b;c=\"d;\\\"e\u00ff\"";
            default -> "";
        };
    }

    /** Whether what an origin read is this request. */
    public String difference(StrictMessage seen) {
        List<String> rest = seen.fields().stream()
                .filter(f -> !Set.of("host", "content-length", "transfer-encoding", "via")
                        .contains(f.substring(0, f.indexOf(':'))))
                .toList();
        String here = method + ' ' + target + ' ' + host + ' ' + fields + ' ' + body;
        String there = seen.method()
                + ' '
                + seen.target()
                + ' '
                + seen.fields().stream()
                        .filter(f -> f.startsWith("host: "))
                        .findFirst()
                        .orElse("host: none")
                        .substring(6)
                + ' '
                + rest
                + ' '
                + seen.body();
        return here.equals(there) ? "" : here + "\n became \n" + there;
    }

    private static String blanks(SplittableRandom it) {
        return " \t ".substring(0, it.nextInt(4));
    }

    private static String one(SplittableRandom it, String[] texts) {
        return texts[it.nextInt(texts.length)];
    }

    private static String text(SplittableRandom it, String alphabet, int most) {
        StringBuilder text = new StringBuilder();
        for (int i = it.nextInt(most); i > 0; i--) {
            text.append(alphabet.charAt(it.nextInt(alphabet.length())));
        }
        return text.toString();
    }
}
