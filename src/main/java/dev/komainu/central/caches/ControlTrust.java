package dev.komainu.central.caches;

import dev.komainu.central.identity.Authority;
import dev.komainu.central.identity.AuthorityTls;
import dev.komainu.central.identity.PartRevocations;
import dev.komainu.settings.Cidr;
import dev.komainu.telemetry.identity.CertificateNames;
import dev.komainu.telemetry.identity.ServerTrust;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Set;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * The trust in control endpoints with TLS: an endpoint shows the certificate of its part, issued by
 * this installation's authority, or any certificate that the Java runtime trusts for its name. A
 * part's certificate has no DNS name; it counts for the host and the addresses for which the part
 * may report, so that no part can pass as the proxy of another host, and only until the part is
 * revoked. Any thread.
 */
final class ControlTrust extends ServerTrust {

    private static final Set<String> KINDS = Set.of("proxy", "organizer");

    private final @Nullable Authority authority;
    private final PartRevocations revocations;
    private final X509ExtendedTrustManager runtime = checkBy(null);

    /** The authorities for which {@code installation} was made. Guarded by {@code this}. */
    private List<X509Certificate> known = List.of();

    private X509ExtendedTrustManager installation = runtime;

    private ControlTrust(@Nullable Authority authority, PartRevocations revocations) {
        this.authority = authority;
        this.revocations = revocations;
    }

    /**
     * Returns the TLS of requests to control endpoints.
     *
     * @param authority absent: only the runtime's authorities count
     */
    static SSLContext context(@Nullable Authority authority, PartRevocations revocations) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {new ControlTrust(authority, revocations)}, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java runtime has TLS", e);
        }
    }

    private static X509ExtendedTrustManager checkBy(@Nullable List<X509Certificate> anchors) {
        try {
            KeyStore store = anchors == null ? null : AuthorityTls.store(anchors);
            TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
            factory.init(store);
            return manager(factory);
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("Every Java runtime has PKIX", e);
        }
    }

    private synchronized X509ExtendedTrustManager installation(Authority own) {
        List<X509Certificate> now = own.trusted();
        if (!now.equals(known)) {
            installation = checkBy(now);
            known = now;
        }
        return installation;
    }

    /**
     * Returns the check of a connection whose peer is not known: a part's certificate never passes.
     */
    @Override
    protected X509ExtendedTrustManager checkOf(X509Certificate[] chain) {
        return runtime;
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        CertificateNames names =
                authority == null ? null : CertificateNames.of(chain[0]).orElse(null);
        if (authority == null || names == null) {
            runtime.checkServerTrusted(chain, type, engine);
            return;
        }
        installation(authority).checkServerTrusted(chain, type);
        String host = engine.getPeerHost();
        if (!KINDS.contains(names.kind()) || !isOf(names, host)) {
            throw new CertificateException(host + ": the certificate is of " + names.source()
                    + " (expected: a proxy or organizer with this host or address)");
        }
        if (revocations.isRevoked(names.part())) {
            throw new CertificateException(host + ": the certificate of " + names.source()
                    + " is revoked (expected: enrol it again with a new code)");
        }
    }

    private static boolean isOf(CertificateNames names, @Nullable String host) {
        if (host == null) {
            return false;
        }
        String bare = host.replaceAll("[\\[\\]]", "");
        if (bare.equals(names.node())) {
            return true;
        }
        try {
            InetAddress address = InetAddress.getByName(bare);
            return names.networks().stream()
                    .map(Cidr::parse)
                    .anyMatch(block -> block.contains(address));
        } catch (UnknownHostException | IllegalArgumentException e) {
            return false;
        }
    }
}
