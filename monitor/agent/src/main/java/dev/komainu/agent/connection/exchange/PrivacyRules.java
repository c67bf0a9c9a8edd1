package dev.komainu.agent.connection.exchange;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import dev.komainu.telemetry.record.Endpoint;
import java.nio.ByteBuffer;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Rules for the client and request data that may leave the analyzer. Queries, fragments and user
 * names never do.
 *
 * <p>Addresses are cut, not hashed. A keyed hash of 32 bits can be reversed by any holder of the
 * key. It distinguishes two visitors of one household for ever. It hides the network, which is
 * needed to diagnose a slow path.
 *
 * @param maskClients of IPv4 the first 24 bits are kept, of IPv6 the first 48, and the port, so
 *     that connections stay distinguishable
 */
public record PrivacyRules(boolean maskClients, Targets targets) {

    static final Setting<Boolean> MASK_CLIENTS = Setting.truth("privacy.mask-clients")
            .byDefault("false")
            .option("--mask-clients")
            .effect("Whether records contain only the network and the port of a client");

    static final Setting<Targets> TARGETS = Setting.choice("privacy.targets", Targets.class)
            .byDefault("path")
            .option("--targets")
            .effect("Part of a request's target that records contain");

    public static final PrivacyRules DEFAULT = read(SettingReader.ofDefaults());

    private static final long IPV4_HOST_BITS = 0xff;
    private static final long IPV6_KEPT = 0xffff_ffff_ffff_0000L;

    /** Part of a request's target that is kept. */
    public enum Targets {
        /** The whole path, with its parameters ({@code ;jsessionid=…}). */
        FULL,
        /** The path without parameters. */
        PATH,
        /** Nothing. */
        NONE;

        /**
         * Returns the choice of this name.
         *
         * @throws IllegalArgumentException when no choice has this name
         */
        public static Targets of(String text) {
            return valueOf(text.toUpperCase(Locale.ROOT));
        }
    }

    public static PrivacyRules read(SettingReader reader) {
        return new PrivacyRules(reader.get(MASK_CLIENTS), reader.get(TARGETS));
    }

    /**
     * Returns the client as records may show it; the address as in
     * {@link dev.komainu.agent.packet.TcpSegment}.
     */
    public Endpoint client(long high, long low, int port) {
        return maskClients && isIpv4(high, low)
                ? endpoint(high, low & ~IPV4_HOST_BITS, port)
                : maskClients ? endpoint(high & IPV6_KEPT, 0, port) : endpoint(high, low, port);
    }

    /** Returns the endpoint of an address as in {@link dev.komainu.agent.packet.TcpSegment}. */
    public static Endpoint endpoint(long high, long low, int port) {
        boolean four = isIpv4(high, low);
        ByteBuffer bytes = ByteBuffer.allocate(four ? 4 : 16);
        if (four) {
            bytes.putInt((int) low);
        } else {
            bytes.putLong(high).putLong(low);
        }
        return Endpoint.of(bytes.array(), port);
    }

    private static boolean isIpv4(long high, long low) {
        return high == 0 && low >>> 32 == 0xffff;
    }

    /**
     * Returns the target as records may show it.
     *
     * @param target without query, perhaps cut
     * @param whole whether it was not cut
     */
    @Nullable
    String target(String target, boolean whole) {
        if (targets == Targets.NONE) {
            return null;
        }
        int authority = authority(target);
        if (authority < 0) {
            return withoutParameters(target);
        }
        int end = target.indexOf('/', authority);
        if (end < 0 && !whole) {
            // A name and a password, or a host: its end is unknown.
            return null;
        }
        int at = target.lastIndexOf('@', end < 0 ? target.length() : end);
        return at < authority
                ? withoutParameters(target)
                : withoutParameters(target.substring(0, authority) + target.substring(at + 1));
    }

    /**
     * Returns the index at which the authority of an absolute form (RFC 9112 3.2.2) or of CONNECT
     * begins; -1 for a path.
     */
    private static int authority(String target) {
        if (target.startsWith("/") || target.equals("*")) {
            return -1;
        }
        int scheme = target.indexOf("://");
        return scheme < 0 ? 0 : scheme + 3;
    }

    private String withoutParameters(String target) {
        if (targets == Targets.FULL || target.indexOf(';') < 0) {
            return target;
        }
        StringBuilder kept = new StringBuilder(target.length());
        boolean parameter = false;
        for (int i = 0; i < target.length(); i++) {
            char c = target.charAt(i);
            parameter = c == ';' || (parameter && c != '/');
            if (!parameter) {
                kept.append(c);
            }
        }
        return kept.toString();
    }
}
