package dev.komainu.proxy.tls;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * TLS towards clients.
 *
 * @param listen where they come in; absent: nowhere
 * @param certificates the first one serves whoever names no host, or an unknown one
 * @param versions of TLS, {@code 1.2} and {@code 1.3} (both)
 * @param engine who speaks it (auto)
 * @param handshakeTimeout from accept until the handshake is through: 100 ms to 5 min (10 s)
 */
public record ClientTlsSettings(
        @Nullable InetSocketAddress listen,
        List<CertificateFiles> certificates,
        Set<String> versions,
        TlsEngine engine,
        Duration handshakeTimeout) {

    public static final ClientTlsSettings NONE =
            new ClientTlsSettings(null, List.of(), Set.of("1.2", "1.3"), TlsEngine.AUTO, Duration.ofSeconds(10));

    public ClientTlsSettings {
        certificates = List.copyOf(certificates);
        versions = Set.copyOf(versions);
    }

    /** Adds "name: value (expected …)" for each value out of range, and for each certificate that cannot be used. */
    public void check(List<String> problems) {
        if (listen != null && certificates.isEmpty()) {
            problems.add("tls.certificates: none (expected: at least one certificate and its key, beside tls.listen)");
        }
        for (String version : versions) {
            if (!version.equals("1.2") && !version.equals("1.3")) {
                problems.add("tls.versions: " + version + " (expected: 1.2, 1.3)");
            }
        }
        if (listen != null && !engine.isAvailable()) {
            problems.add("tls.engine: " + engine.text() + " (expected: auto or jdk on this system; "
                    + TlsEngine.whyNotNative() + ")");
        }
        long millis = handshakeTimeout.toMillis();
        if (millis < 100 || millis > 300_000) {
            problems.add("tls.handshake-timeout: " + millis + "ms (expected: 100ms to 300000ms)");
        }
        for (CertificateFiles files : certificates) {
            try {
                Identity.read(files, System.currentTimeMillis());
            } catch (IdentityFault fault) {
                problems.addAll(fault.problems());
            }
        }
    }
}
