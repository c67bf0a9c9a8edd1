package dev.komainu.settings;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The grammar of setting texts, the same in all parts. Surrounding space is ignored, and so is the
 * case of letters.
 *
 * <table><caption>Texts</caption>
 * <tr><td>size</td><td>{@code 4096}, {@code 512KB}, {@code 64mb}, {@code 2 GiB}; 1 KB is 1,024 bytes</td></tr>
 * <tr><td>duration</td><td>{@code 500ms}, {@code 10s}, {@code 5m}, {@code 1h}, {@code 30d}, {@code PT5M}; {@code 0}</td></tr>
 * <tr><td>share</td><td>{@code 0.25}, {@code 25%}</td></tr>
 * <tr><td>truth</td><td>{@code true}, {@code yes}, {@code on}; {@code false}, {@code no}, {@code off}</td></tr>
 * <tr><td>address</td><td>{@code 127.0.0.1:80}, {@code [::1]:80}, {@code localhost:80}; {@code :80} and {@code *:80} are every address;
 *   where a port or a name is expected anyway, also {@code 127.0.0.1}, {@code ::1}, {@code web1:80}</td></tr>
 * </table>
 *
 * Each method throws an {@link IllegalArgumentException} that names the text and the expectation.
 */
public final class SettingGrammar {

    /** Text that marks a setting without a default as absent. */
    public static final String NONE = "none";

    private static final Pattern SIZE =
            Pattern.compile("([0-9]{1,15})\\s*(?:([kmgt]?)(?:i?b)?)", Pattern.CASE_INSENSITIVE);
    private static final Pattern DURATION =
            Pattern.compile("([0-9]{1,11})\\s*(ns|us|ms|s|m|h|d)", Pattern.CASE_INSENSITIVE);
    private static final Pattern SHARE = Pattern.compile("([0-9]{1,9}(?:\\.[0-9]{1,9})?)\\s*(%?)");
    private static final String IPV6 = "[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*(?:%[^\\s\\[\\]/]+)?";
    private static final Pattern BARE_IPV6 = Pattern.compile(IPV6);
    private static final Pattern ADDRESS = Pattern.compile(
            "(?:\\[(?<ipv6>" + IPV6 + ")]|(?<host>[^\\s\\[\\]/:]*))(?::(?<port>\\+?[0-9]{1,5}))?");
    private static final Pattern WHOLE = Pattern.compile("[+-]?[0-9]{1,19}");

    private SettingGrammar() {}

    /** Parses a size in bytes, 0 and more. */
    public static long size(String text) {
        Matcher matcher = SIZE.matcher(text.strip());
        if (matcher.matches()) {
            long number = Long.parseLong(matcher.group(1));
            int shift = 10 * "kmgt".indexOf(matcher.group(2).toLowerCase(Locale.ROOT)) + 10;
            if (matcher.group(2).isEmpty()) {
                shift = 0;
            }
            if (number <= Long.MAX_VALUE >> shift) {
                return number << shift;
            }
        }
        throw wrong(text, "a size such as 512KB, 64MB, 2GB");
    }

    /** Parses a duration, 0 and more. */
    public static Duration duration(String text) {
        String stripped = text.strip();
        Matcher matcher = DURATION.matcher(stripped);
        if (matcher.matches()) {
            long number = Long.parseLong(matcher.group(1));
            return switch (matcher.group(2).toLowerCase(Locale.ROOT)) {
                case "ns" -> Duration.ofNanos(number);
                case "us" -> Duration.ofNanos(Math.multiplyExact(number, 1_000L));
                case "ms" -> Duration.ofMillis(number);
                case "m" -> Duration.ofMinutes(number);
                case "h" -> Duration.ofHours(number);
                case "d" -> Duration.ofDays(number);
                default -> Duration.ofSeconds(number);
            };
        }
        if (stripped.equals("0")) {
            return Duration.ZERO;
        }
        if (stripped.regionMatches(true, 0, "P", 0, 1)) {
            try {
                Duration value = Duration.parse(stripped);
                if (!value.isNegative()) {
                    return value;
                }
            } catch (DateTimeException e) {
                throw wrong(text, "a duration such as 500ms, 10s, 5m, 1h, 30d");
            }
        }
        throw wrong(text, "a duration such as 500ms, 10s, 5m, 1h, 30d");
    }

    /** Parses a share, 0 to 1. */
    public static double share(String text) {
        Matcher matcher = SHARE.matcher(text.strip());
        if (matcher.matches()) {
            double value =
                    Double.parseDouble(matcher.group(1)) / (matcher.group(2).isEmpty() ? 1 : 100);
            if (value <= 1) {
                return value;
            }
        }
        throw wrong(text, "a share such as 0.25 or 25%");
    }

    public static boolean truth(String text) {
        return switch (text.strip().toLowerCase(Locale.ROOT)) {
            case "true", "yes", "on" -> true;
            case "false", "no", "off" -> false;
            default -> throw wrong(text, "true or false");
        };
    }

    /** Parses a whole number. */
    public static int integer(String text) {
        long value = whole(text);
        if (value != (int) value) {
            throw wrong(text, "a whole number");
        }
        return (int) value;
    }

    private static long whole(String text) {
        String stripped = text.strip();
        if (WHOLE.matcher(stripped).matches()) {
            try {
                return Long.parseLong(stripped);
            } catch (NumberFormatException e) {
                throw wrong(text, "a whole number");
            }
        }
        throw wrong(text, "a whole number");
    }

    /** Parses a finite number. */
    public static double real(String text) {
        try {
            double value = Double.parseDouble(text.strip());
            if (Double.isFinite(value)) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw wrong(text, "a number");
        }
        throw wrong(text, "a number");
    }

    /**
     * Reports whether a host in an address is this machine: {@code localhost} or a literal loopback
     * address, IPv6 with or without brackets. No name is looked up.
     */
    public static boolean isThisMachine(String host) {
        String bare =
                host.startsWith("[") ? host.substring(1, Math.max(1, host.indexOf(']'))) : host;
        if (bare.equalsIgnoreCase("localhost")) {
            return true;
        }
        try {
            return InetAddress.ofLiteral(bare).isLoopbackAddress();
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /**
     * Parses an address to listen on: a literal address and a port, 0 to 65535. No name is looked
     * up.
     */
    public static InetSocketAddress address(String text) {
        String expected = "ADDRESS:PORT";
        InetSocketAddress written = split(text, 0, expected);
        if (isAny(written) || written.getHostString().equals("localhost")) {
            return known(written);
        }
        try {
            return new InetSocketAddress(
                    InetAddress.ofLiteral(written.getHostString()), written.getPort());
        } catch (IllegalArgumentException e) {
            throw wrong(text, expected);
        }
    }

    /**
     * Parses an address to listen on or to connect to: a literal address or a name, which is looked
     * up, and a port, 1 to 65535.
     *
     * @param defaultPort port when none is written; 0: a port must be written
     */
    public static InetSocketAddress address(String text, int defaultPort) {
        String expected = defaultPort == 0 ? "ADDRESS:PORT" : "ADDRESS[:PORT]";
        InetSocketAddress written = split(text, defaultPort, expected);
        InetSocketAddress known = known(written);
        if (known.isUnresolved() || written.getPort() == 0) {
            throw wrong(text, expected + (known.isUnresolved() ? ", or a name that resolves" : ""));
        }
        return known;
    }

    /**
     * Parses the address of another host: a literal address or a name, which is not looked up, and
     * a port, 1 to 65535.
     *
     * @param defaultPort port when none is written; 0: a port must be written
     */
    public static InetSocketAddress hostAndPort(String text, int defaultPort) {
        String expected = defaultPort == 0 ? "HOST:PORT" : "HOST[:PORT]";
        InetSocketAddress written = split(text, defaultPort, expected);
        if (isAny(written) || written.getPort() == 0) {
            throw wrong(text, expected);
        }
        return written;
    }

    private static boolean isAny(InetSocketAddress written) {
        return written.getHostString().isEmpty() || written.getHostString().equals("*");
    }

    private static InetSocketAddress known(InetSocketAddress written) {
        String host = written.getHostString();
        if (isAny(written)) {
            return new InetSocketAddress(written.getPort());
        }
        return host.equals("localhost")
                ? new InetSocketAddress(InetAddress.getLoopbackAddress(), written.getPort())
                : new InetSocketAddress(host, written.getPort());
    }

    /**
     * Splits host and port as written, unresolved. An IPv6 address has brackets, or no port.
     *
     * @param defaultPort 0: none
     */
    private static InetSocketAddress split(String text, int defaultPort, String expected) {
        String stripped = text.strip();
        boolean isBareIpv6 =
                !stripped.startsWith("[") && stripped.indexOf(':') != stripped.lastIndexOf(':');
        Matcher matcher = (isBareIpv6 ? BARE_IPV6 : ADDRESS).matcher(stripped);
        if (matcher.matches()) {
            String port = isBareIpv6 ? null : matcher.group("port");
            int number = port == null ? defaultPort : Integer.parseInt(port);
            if ((port != null || defaultPort > 0) && number <= 65_535 && !stripped.isEmpty()) {
                String bracketed = isBareIpv6 ? stripped : matcher.group("ipv6");
                return InetSocketAddress.createUnresolved(
                        bracketed == null ? matcher.group("host") : bracketed, number);
            }
        }
        throw wrong(text, expected);
    }

    /** Returns the exception for an invalid text. */
    public static IllegalArgumentException wrong(String text, String expected) {
        return new IllegalArgumentException(text + " (expected: " + expected + ")");
    }
}
