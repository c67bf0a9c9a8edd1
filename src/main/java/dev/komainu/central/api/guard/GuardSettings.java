package dev.komainu.central.api.guard;

import dev.komainu.settings.Cidr;
import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.net.InetAddress;
import java.util.List;

/**
 * Settings of this package.
 *
 * @param hosts host names, other than {@code localhost} and plain addresses, under which the
 *     service can be reached
 * @param secureCookie whether the session cookie is sent over TLS only
 * @param trustedProxies proxies whose forwarding header is read
 * @param forwardedHeader the header in which they write the client's address
 */
public record GuardSettings(
        List<String> hosts,
        boolean secureCookie,
        List<Cidr> trustedProxies,
        ForwardedHeader forwardedHeader) {

    /** The header of the trusted proxies. */
    enum ForwardedHeader {
        X_FORWARDED_FOR,
        FORWARDED
    }

    private static final Setting<List<String>> HOSTS = Setting.text(
                    "komainu.hosts",
                    "a host name without port",
                    "[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?")
            .list()
            .range("host names without port, comma-separated or as a list")
            .effect("Host names of the service in addition to `localhost` and plain addresses")
            .detail("""
                    Requests with any other name are refused (421), so that a foreign page cannot
                    reach the service through a name of its own.""");
    private static final Setting<Boolean> SECURE_COOKIE = Setting.truth("komainu.secure-cookie")
            .byDefault("false")
            .effect("Whether the session cookie is sent over TLS only; set it when a TLS proxy "
                    + "is in front of the service");
    private static final Setting<List<Cidr>> TRUSTED_PROXIES = Setting.of(
                    "komainu.trusted-proxies", "an address block", GuardSettings::block)
            .list()
            .range("address blocks such as 10.0.0.5 or 10.0.0.0/8, comma-separated or as a list")
            .effect("Proxies in front of the service, whose clients' addresses are used")
            .detail("""
                    From these peers only, the client's address and protocol are taken from
                    `komainu.forwarded-header`: the right-most address that is not in this list. Limits of logins,
                    the audit log and the list of sessions use it, and the cookie is `Secure` when the protocol is
                    https. Without it, all users behind a proxy share its address.
                    """);
    private static final Setting<ForwardedHeader> FORWARDED_HEADER = Setting.choice(
                    "komainu.forwarded-header", ForwardedHeader.class)
            .byDefault("x-forwarded-for")
            .effect("Header that the trusted proxies write")
            .detail("""
                    `X-Forwarded-For` with `X-Forwarded-Proto`, or `Forwarded` (RFC 7239). The other one is ignored,
                    because proxies forward what a client wrote there.
                    """);

    /**
     * Parses a block of trusted proxies, which has no bits after its prefix: such a block is
     * probably not the one that was meant.
     */
    static Cidr block(String text) {
        Cidr block = Cidr.parse(text);
        if (!block.isPrefixOnly()) {
            throw new IllegalArgumentException(text
                    + " (expected: a block such as 10.0.0.0/8, without bits after the prefix)");
        }
        return block;
    }

    /** Reports whether an address is that of a trusted proxy. */
    boolean isTrustedProxy(InetAddress address) {
        return trustedProxies.stream().anyMatch(block -> block.contains(address));
    }

    public static GuardSettings read(SettingReader reader) {
        return new GuardSettings(
                reader.get(HOSTS, List.of()),
                reader.get(SECURE_COOKIE),
                reader.get(TRUSTED_PROXIES, List.of()),
                reader.get(FORWARDED_HEADER));
    }
}
