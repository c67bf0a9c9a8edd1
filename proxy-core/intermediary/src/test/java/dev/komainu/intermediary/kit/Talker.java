package dev.komainu.intermediary.kit;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A generator of valid requests, as unusual as the grammars permit, with the parts of each that an
 * origin must receive.
 *
 * @param bytes as a client sends them
 * @param method as the origin must receive it
 * @param target as the origin must receive it
 * @param host as the origin must receive it
 * @param fields "lower-case name: value" of those that must reach it, in order, without Host,
 *     framing and Via
 * @param body without its framing
 */
public record Talker(
        String bytes, String method, String target, String host, List<String> fields, String body) {

    private static final String[] METHODS = {
        "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "BREW", "get", "M-SEARCH"
    };
    private static final Set<String> BODY_WITHOUT_MEANING = Set.of("GET", "HEAD", "DELETE");
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
    /** Fields of this hop, or imitations of a proxy's fields: never forwarded. */
    private static final String[] REMOVED = {
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

    public static Talker of(SplittableRandom random) {
        String method = pick(random, METHODS);
        String host = random.nextBoolean()
                ? "a.example"
                : "[2001:db8::" + random.nextInt(1, 10) + "]:8080";
        String target = "/" + text(random, PATH, 20)
                + (random.nextBoolean() ? "?" + text(random, PATH + "?", 20) : "");
        boolean absolute = random.nextInt(4) == 0;
        StringBuilder out = new StringBuilder(random.nextInt(8) == 0 ? "\r\n" : "");
        out.append(method).append(' ').append(absolute ? "http://" + host : "").append(target);
        out.append(" HTTP/1.1\r\n");
        List<String> lines = new ArrayList<>();
        List<String> kept = new ArrayList<>();
        lines.add("hOsT:" + blanks(random) + (absolute ? "other.example" : host) + blanks(random));
        for (int i = random.nextInt(8); i > 0; i--) {
            String name = pick(random, NAMES);
            String value = text(random, VALUE, 30).strip();
            lines.add(name + ":" + blanks(random) + value + blanks(random));
            kept.add(name.toLowerCase(Locale.ROOT) + ": " + value);
        }
        for (int i = random.nextInt(4); i > 0; i--) {
            lines.add(random.nextInt(lines.size() + 1), pick(random, REMOVED) + ": gone");
        }
        if (random.nextBoolean()) {
            lines.add(random.nextInt(lines.size() + 1), "Connection: X-Hop , keep-alive,Cookie");
            lines.add(random.nextInt(lines.size() + 1), "x-hop: gone");
        }
        String body = "";
        String framed = "";
        if (random.nextBoolean()) {
            body = text(random, VALUE + "\r\n\0", 200);
            if (random.nextBoolean()) {
                lines.add(random.nextInt(lines.size() + 1), "content-LENGTH: 00" + body.length());
                framed = body;
            } else {
                lines.add(
                        random.nextInt(lines.size() + 1),
                        "Transfer-Encoding:" + blanks(random) + "Chunked");
                framed = chunks(random, body);
            }
        }
        if (BODY_WITHOUT_MEANING.contains(method) && !framed.isEmpty()) {
            // Its connection carries no other request: an origin that ignores the body cannot take
            // it for a request.
            kept.add("connection: close");
        }
        // The first field of a name never moves behind the second: only removed fields were
        // inserted.
        lines.forEach(line -> out.append(line).append("\r\n"));
        return new Talker(out + "\r\n" + framed, method, target, host, kept, body);
    }

    private static String chunks(SplittableRandom random, String body) {
        StringBuilder out = new StringBuilder();
        for (int at = 0; at < body.length(); ) {
            int count = random.nextInt(1, body.length() - at + 1);
            String size = Integer.toHexString(count);
            out.append(random.nextBoolean() ? size.toUpperCase(Locale.ROOT) : "0" + size)
                    .append(extension(random));
            out.append("\r\n").append(body, at, at + count).append("\r\n");
            at += count;
        }
        out.append("0".repeat(random.nextInt(1, 4))).append(extension(random)).append("\r\n");
        for (int i = random.nextInt(3); i > 0; i--) {
            out.append(pick(random, NAMES)).append(": trailer\r\n");
        }
        return out.append("\r\n").toString();
    }

    private static String extension(SplittableRandom random) {
        return switch (random.nextInt(5)) {
            case 0 -> ";a";
            case 1 -> "; a=b;c=\"d;\\\"e\u00ff\"";
            default -> "";
        };
    }

    /** Compares this request with the one that an origin received; empty when they are equal. */
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

    private static String blanks(SplittableRandom random) {
        return " \t ".substring(0, random.nextInt(4));
    }

    private static String pick(SplittableRandom random, String[] texts) {
        return texts[random.nextInt(texts.length)];
    }

    private static String text(SplittableRandom random, String alphabet, int most) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(most); i > 0; i--) {
            text.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return text.toString();
    }
}
