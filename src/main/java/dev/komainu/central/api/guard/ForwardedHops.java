package dev.komainu.central.api.guard;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The hops that proxies wrote into a request, in order of the request's way: the last one was
 * written by the direct peer, the first ones by anyone. Parsed from {@code Forwarded} (RFC 7239) or
 * from {@code X-Forwarded-For} with {@code X-Forwarded-Proto}.
 */
final class ForwardedHops {

    /**
     * One hop.
     *
     * @param address the sender's address; absent when it is hidden ({@code unknown},
     *     {@code _name}) or malformed
     * @param protocol the protocol between sender and proxy, in lower case; absent when not told
     */
    record Hop(@Nullable InetAddress address, @Nullable String protocol) {}

    private ForwardedHops() {}

    /** Parses the values of all header lines {@code Forwarded}, in order. */
    static List<Hop> ofForwarded(List<String> lines) {
        List<Hop> hops = new ArrayList<>();
        for (String element : split(String.join(",", lines), ',')) {
            InetAddress address = null;
            String protocol = null;
            for (String pair : split(element, ';')) {
                int equals = pair.indexOf('=');
                if (equals > 0) {
                    String value = unquoted(pair.substring(equals + 1).strip());
                    switch (pair.substring(0, equals).strip().toLowerCase(Locale.ROOT)) {
                        case "for" -> address = address(value).orElse(null);
                        case "proto" -> protocol = value.toLowerCase(Locale.ROOT);
                        default -> {}
                    }
                }
            }
            hops.add(new Hop(address, protocol));
        }
        return hops;
    }

    /**
     * Parses the values of all header lines {@code X-Forwarded-For}, in order.
     *
     * @param protocols values of {@code X-Forwarded-Proto}; the last one is the direct peer's
     */
    static List<Hop> ofForwardedFor(List<String> lines, List<String> protocols) {
        List<String> all = split(String.join(",", protocols), ',');
        String last = all.isEmpty() ? null : all.getLast().toLowerCase(Locale.ROOT);
        return split(String.join(",", lines), ',').stream()
                .map(each -> new Hop(address(each).orElse(null), last))
                .toList();
    }

    /** Splits outside quoted strings (RFC 9110 section 5.6.4) and strips the parts. */
    private static List<String> split(String text, char separator) {
        List<String> parts = new ArrayList<>();
        StringBuilder part = new StringBuilder();
        boolean quoted = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (quoted && c == '\\' && i + 1 < text.length()) {
                part.append(c).append(text.charAt(++i));
                continue;
            }
            if (c == '"') {
                quoted = !quoted;
            }
            if (c == separator && !quoted) {
                parts.add(part.toString().strip());
                part.setLength(0);
            } else {
                part.append(c);
            }
        }
        if (!part.toString().isBlank() || !parts.isEmpty()) {
            parts.add(part.toString().strip());
        }
        return parts;
    }

    private static String unquoted(String text) {
        return text.length() >= 2 && text.startsWith("\"") && text.endsWith("\"")
                ? text.substring(1, text.length() - 1).replaceAll("\\\\(.)", "$1")
                : text;
    }

    /** Parses an address with or without a port; IPv6 with a port is in brackets. */
    private static Optional<InetAddress> address(String text) {
        String bare = text;
        if (text.startsWith("[")) {
            int end = text.indexOf(']');
            bare = end < 0 ? "" : text.substring(1, end);
        } else if (text.indexOf(':') == text.lastIndexOf(':') && text.contains(":")) {
            bare = text.substring(0, text.indexOf(':'));
        }
        try {
            return bare.isEmpty() ? Optional.empty() : Optional.of(InetAddress.ofLiteral(bare));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
