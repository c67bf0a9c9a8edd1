package dev.komainu.proxy.tls;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The settings for TLS with clients.
 *
 * @param listen the address for clients over TLS; null for none
 * @param certificates the first one is for clients that name no host, or an unknown one
 * @param versions the versions of TLS, {@code 1.2} and {@code 1.3} (both)
 * @param engine the TLS engine (auto)
 * @param handshakeTimeout the time from accept until the handshake is complete, 100 ms to 5 min (10
 *     s)
 */
public record ClientTlsSettings(
        @Nullable InetSocketAddress listen,
        List<CertificateFiles> certificates,
        Set<String> versions,
        TlsEngine engine,
        Duration handshakeTimeout) {

    static final Setting<InetSocketAddress> LISTEN = Setting.address("tls.listen")
            .orNone()
            .atStart("sockets are opened at the start")
            .effect("Address for clients over TLS");

    static final Setting<List<CertificateFiles>> CERTIFICATES = Setting.of(
                    "tls.certificates",
                    "`certificate`, `key` (in one line: `CERTIFICATE=KEY`)",
                    CertificateFiles::parse)
            .list(",", ClientTlsSettings::pair)
            .effect("PEM files of the server's certificates, each with its issuers, and of "
                    + "their keys")
            .detail("""
                    A key is PKCS#8, PKCS#1 or SEC 1, without a passphrase. See [TLS for
                    clients](#tls-for-clients).""");

    static final Setting<List<String>> VERSIONS = Setting.text(
                    "tls.versions", "1.2, 1.3", "1\\.[23]")
            .list()
            .byDefault("1.2, 1.3")
            .effect("Versions of TLS that are offered");

    static final Setting<TlsEngine> ENGINE = Setting.of(
                    "tls.engine", "`auto`, `native`, `jdk`", TlsEngine::parse)
            .byDefault("auto")
            .atStart("the engine is chosen at the start")
            .effect("TLS engine")
            .detail("""
                    `native` is BoringSSL, at about a third of the processor time. `jdk` is Java's
                    own. `auto` uses the native one where it is available (Linux on x86-64),
                    otherwise Java's. See [TLS for clients](#tls-for-clients).""");

    static final Setting<Duration> HANDSHAKE_TIMEOUT = Setting.duration(
                    "tls.handshake-timeout", "100ms", "5m")
            .byDefault("10s")
            .effect("Time from accept until the handshake is complete; then the connection is "
                    + "closed")
            .detail("""
                    Such a connection is counted as `komainu_proxy_tls_handshake_timeouts_total`.""");

    public static final ClientTlsSettings NONE = read(SettingReader.ofDefaults());

    /** Reads these settings; the reader records invalid values. */
    public static ClientTlsSettings read(SettingReader reader) {
        return new ClientTlsSettings(
                reader.find(LISTEN),
                reader.get(CERTIFICATES, List.of()),
                new HashSet<>(reader.get(VERSIONS)),
                reader.get(ENGINE),
                reader.get(HANDSHAKE_TIMEOUT));
    }

    public ClientTlsSettings {
        certificates = List.copyOf(certificates);
        versions = Set.copyOf(versions);
    }

    /**
     * Adds "name: value (expected …)" for each value out of range, and for each certificate that
     * cannot be used.
     */
    public void check(List<String> problems) {
        if (listen != null && certificates.isEmpty()) {
            problems.add(
                    "tls.certificates: none (expected: at least one certificate and its key, beside tls.listen)");
        }
        if (listen != null && !engine.isAvailable()) {
            problems.add("tls.engine: " + engine.text() + " (expected: auto or jdk on this system; "
                    + TlsEngine.whyNotNative() + ")");
        }
        for (CertificateFiles files : certificates) {
            try {
                ServerIdentity.read(files, System.currentTimeMillis());
            } catch (IdentityFault fault) {
                problems.addAll(fault.problems());
            }
        }
    }

    /** Returns a certificate that is written as a map as one line. */
    private static String pair(Map<String, Object> map) {
        return map.get("certificate") + "=" + (map.get("key") == null ? "" : map.get("key"));
    }
}
