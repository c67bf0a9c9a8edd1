package dev.komainu.proxy.tls;

import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Set;
import javax.net.ssl.SSLException;

/** How TLS is spoken: the engine, the suites, the protocols offered. */
final class Engine {

    /** Forward secrecy and authenticated encryption only; those that HTTP/2 forbids (RFC 9113 appendix A) are not among them. */
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

    static {
        // Read once, when Java's engine is first used: a client must not make the server do handshake after handshake.
        System.setProperty("jdk.tls.rejectClientInitiatedRenegotiation", "true");
    }

    private Engine() {}

    /** @throws SSLException when the engine cannot use this certificate */
    static SslContext context(Identity identity, Set<String> versions, List<String> protocols) throws SSLException {
        return SslContextBuilder.forServer(identity.key(), identity.chain().toArray(X509Certificate[]::new))
                .sslProvider(SslProvider.JDK)
                .protocols(versions.stream().map(version -> "TLSv" + version).toList())
                .ciphers(SUITES, SupportedCipherSuiteFilter.INSTANCE)
                .applicationProtocolConfig(new ApplicationProtocolConfig(
                        Protocol.ALPN,
                        SelectorFailureBehavior.NO_ADVERTISE,
                        SelectedListenerFailureBehavior.ACCEPT,
                        protocols))
                .build();
    }
}
