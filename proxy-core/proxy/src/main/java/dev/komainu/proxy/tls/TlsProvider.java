package dev.komainu.proxy.tls;

import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.OpenSslContextOption;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Set;
import javax.net.ssl.SSLException;
import javax.net.ssl.X509TrustManager;

/** The factory of TLS contexts: the engine, the suites, the protocols offered. */
final class TlsProvider {

    /**
     * The suites with forward secrecy and authenticated encryption only; the suites that HTTP/2
     * forbids (RFC 9113 appendix A) are not among them.
     */
    private static final List<String> SUITES = List.of(
            "TLS_AES_128_GCM_SHA256",
            "TLS_AES_256_GCM_SHA384",
            "TLS_CHACHA20_POLY1305_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
            "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256");

    /**
     * The groups of Mozilla's intermediate profile. BoringSSL would also accept secp521r1, which
     * costs a handshake several times as much CPU. Java's engine keeps its own list.
     */
    private static final String[] GROUPS = {"x25519", "secp256r1", "secp384r1"};

    /** The stored sessions of clients without tickets, per certificate; about 1 KB each. */
    private static final int SESSION_CACHE_SIZE = 4096;

    static {
        // Read once, when Java's engine is first used: a client must not make the server repeat
        // handshakes.
        System.setProperty("jdk.tls.rejectClientInitiatedRenegotiation", "true");
    }

    private TlsProvider() {}

    /**
     * Returns a context. The collector frees its native memory with it: connections may still use a
     * context whose certificate was replaced.
     *
     * @throws SSLException when the engine cannot use this certificate
     */
    static SslContext context(
            ServerIdentity identity, TlsEngine engine, Set<String> versions, List<String> protocols)
            throws SSLException {
        SslContextBuilder builder = SslContextBuilder.forServer(
                identity.key(), identity.chain().toArray(X509Certificate[]::new));
        if (engine == TlsEngine.NATIVE) {
            builder.option(OpenSslContextOption.GROUPS, GROUPS);
        }
        return builder.sslProvider(
                        engine == TlsEngine.NATIVE ? SslProvider.OPENSSL : SslProvider.JDK)
                .protocols(versions.stream().map(version -> "TLSv" + version).toList())
                .trustManager(new NoTrustManager())
                .sessionCacheSize(SESSION_CACHE_SIZE)
                .sessionTimeout(Certificates.TICKET_SECONDS)
                .ciphers(SUITES, SupportedCipherSuiteFilter.INSTANCE)
                .applicationProtocolConfig(new ApplicationProtocolConfig(
                        Protocol.ALPN,
                        SelectorFailureBehavior.NO_ADVERTISE,
                        SelectedListenerFailureBehavior.ACCEPT,
                        protocols))
                .build();
    }

    /**
     * A trust manager without authorities: client certificates are not requested, so the
     * authorities that the JVM trusts need not be copied into each context.
     */
    private static final class NoTrustManager implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type)
                throws CertificateException {
            throw new CertificateException("No client certificate was requested");
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type)
                throws CertificateException {
            throw new CertificateException("This is the server");
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
