package dev.komainu.organizer.line;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.handler.codec.quic.QuicSslContext;
import io.netty.handler.codec.quic.QuicSslContextBuilder;
import io.netty.handler.codec.quic.QuicSslEngine;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.IdentityCipherSuiteFilter;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.OpenSslSessionContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * TLS 1.3 with certificates of both sides, and {@code h2} by ALPN. A peer without a certificate of
 * the cluster's authority gets no connection, neither as client nor as server. A server's
 * certificate must bear the name of the dialled member.
 */
public final class LineTls {

    /** The application protocol of QUIC connections of lines (RFC 9001 section 8.1). */
    private static final String OVER_QUIC = "komainu-line/1";

    private static final String TLS_13 = "TLSv1.3";

    private final Supplier<SslContext> client;
    private final SslContext server;
    private final Supplier<QuicSslContext> quicClient;
    private final Supplier<QuicSslContext> quicServer;
    /** Absent: the handshake alone decides about peers. */
    private final @Nullable PeerAdmission peers;

    /**
     * Creates TLS with an identity from files.
     *
     * @param certificate PEM: the member's own, then the intermediate certificates; with the
     *     member's name as a DNS name
     * @param key PEM, PKCS#8, without a passphrase
     * @param authority PEM: the certificate authorities of members
     * @throws SSLException when the engine cannot use them
     * @throws IllegalArgumentException when a file does not hold what it should
     */
    public LineTls(Path certificate, Path key, Path authority) throws SSLException {
        SslProvider engine = OpenSsl.isAvailable() ? SslProvider.OPENSSL : SslProvider.JDK;
        peers = null;
        ApplicationProtocolConfig h2 = http2();
        SslContext dialling = SslContextBuilder.forClient()
                .sslProvider(engine)
                .protocols(TLS_13)
                .keyManager(certificate.toFile(), key.toFile())
                .trustManager(authority.toFile())
                .endpointIdentificationAlgorithm("HTTPS")
                .applicationProtocolConfig(h2)
                .build();
        client = () -> dialling;
        server = SslContextBuilder.forServer(certificate.toFile(), key.toFile())
                .sslProvider(engine)
                .protocols(TLS_13)
                .trustManager(authority.toFile())
                .clientAuth(ClientAuth.REQUIRE)
                .applicationProtocolConfig(h2)
                .build();
        quicClient = memoize(() -> QuicSslContextBuilder.forClient()
                .keyManager(key.toFile(), null, certificate.toFile())
                .trustManager(authority.toFile())
                .endpointIdentificationAlgorithm("HTTPS")
                .applicationProtocols(OVER_QUIC)
                .build());
        quicServer = memoize(
                () -> QuicSslContextBuilder.forServer(key.toFile(), null, certificate.toFile())
                        .trustManager(authority.toFile())
                        .clientAuth(ClientAuth.REQUIRE)
                        .applicationProtocols(OVER_QUIC)
                        .build());
    }

    /**
     * Creates TLS with an identity that is in memory already. The trust manager decides which peers
     * are trusted. Names are not compared, since all members that share a secret present one
     * certificate without a name.
     *
     * @param identity key, certificate and trusted peers, for TLS 1.3 by Java's engine
     * @param keys the same key and certificate
     * @param trust the same trust
     * @throws SSLException when the engine cannot use them
     */
    public LineTls(SSLContext identity, KeyManager keys, TrustManager trust) throws SSLException {
        this(identity, keys, trust, null);
    }

    /**
     * Creates TLS with an identity in memory, and watches connections. No session of an earlier
     * handshake is resumed then: it would show the peer's certificate of that time, also after a
     * renewal. Only the dialling end decides that, and Java's engine and QUIC's have no switch for
     * it, so each dial gets a context of its own.
     *
     * @param peers decides about peers after the handshake; absent: the handshake alone decides
     * @throws SSLException when the engine cannot use the identity
     */
    public LineTls(
            SSLContext identity, KeyManager keys, TrustManager trust, @Nullable PeerAdmission peers)
            throws SSLException {
        this.peers = peers;
        ApplicationProtocolConfig h2 = http2();
        if (OpenSsl.isAvailable()) {
            SslContext dialling = SslContextBuilder.forClient()
                    .sslProvider(SslProvider.OPENSSL)
                    .protocols(TLS_13)
                    .keyManager(keys)
                    .trustManager(trust)
                    .endpointIdentificationAlgorithm(null)
                    .applicationProtocolConfig(h2)
                    .build();
            if (peers != null && dialling.sessionContext() instanceof OpenSslSessionContext kept) {
                kept.setSessionCacheEnabled(false);
            }
            client = () -> dialling;
            server = SslContextBuilder.forServer(keys)
                    .sslProvider(SslProvider.OPENSSL)
                    .protocols(TLS_13)
                    .trustManager(trust)
                    .clientAuth(ClientAuth.REQUIRE)
                    .applicationProtocolConfig(h2)
                    .build();
        } else {
            client = peers == null
                    ? memoize(() -> javaContext(identity, h2, true, ClientAuth.NONE))
                    : () -> javaContext(newContext(keys, trust), h2, true, ClientAuth.NONE);
            server = javaContext(identity, h2, false, ClientAuth.REQUIRE);
        }
        Supplier<QuicSslContext> quicDialling = () -> QuicSslContextBuilder.forClient()
                .keyManager(keys, null)
                .trustManager(trust)
                .endpointIdentificationAlgorithm(null)
                .applicationProtocols(OVER_QUIC)
                .build();
        quicClient = peers == null ? memoize(quicDialling) : quicDialling;
        quicServer = memoize(() -> QuicSslContextBuilder.forServer(keys, null)
                .trustManager(trust)
                .clientAuth(ClientAuth.REQUIRE)
                .applicationProtocols(OVER_QUIC)
                .build());
    }

    private static SSLContext newContext(KeyManager keys, TrustManager trust) {
        try {
            SSLContext created = SSLContext.getInstance(TLS_13);
            created.init(new KeyManager[] {keys}, new TrustManager[] {trust}, null);
            return created;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java runtime has TLS 1.3", e);
        }
    }

    private static ApplicationProtocolConfig http2() {
        return new ApplicationProtocolConfig(
                Protocol.ALPN,
                SelectorFailureBehavior.NO_ADVERTISE,
                SelectedListenerFailureBehavior.ACCEPT,
                List.of(ApplicationProtocolNames.HTTP_2));
    }

    private static SslContext javaContext(
            SSLContext identity,
            ApplicationProtocolConfig protocols,
            boolean isClient,
            ClientAuth clientAuth) {
        return new JdkSslContext(
                identity,
                isClient,
                null,
                IdentityCipherSuiteFilter.INSTANCE,
                protocols,
                clientAuth,
                new String[] {TLS_13},
                false);
    }

    /**
     * Creates the value when it is first needed. A line that does not use QUIC does not load its
     * library.
     */
    private static <T> Supplier<T> memoize(Supplier<T> factory) {
        return new Supplier<>() {
            private @Nullable T created;

            @Override
            public synchronized T get() {
                T value = created;
                if (value == null) {
                    value = factory.get();
                    created = value;
                }
                return value;
            }
        };
    }

    /**
     * Creates the engine for the end of a QUIC connection that dials. Verifies as
     * {@link #forClient}.
     */
    public QuicSslEngine quicClient(ByteBufAllocator allocator, LineAddress to) {
        return quicClient.get().newEngine(allocator, to.member(), to.port());
    }

    public QuicSslEngine quicServer(ByteBufAllocator allocator) {
        return quicServer.get().newEngine(allocator);
    }

    public SslHandler forClient(ByteBufAllocator allocator, LineAddress to, LineSettings settings) {
        return timed(client.get().newHandler(allocator, to.member(), to.port()), settings);
    }

    public SslHandler forServer(ByteBufAllocator allocator, LineSettings settings) {
        return timed(server.newHandler(allocator), settings);
    }

    private static SslHandler timed(SslHandler handler, LineSettings settings) {
        handler.setHandshakeTimeoutMillis(settings.connectTimeout().toMillis());
        return handler;
    }

    /**
     * Returns whether a peer may keep its connection. The connection is closed when that changes.
     *
     * @param session of the handshake, which has completed
     */
    @SuppressWarnings("FutureReturnValueIgnored") // the channel's closeFuture reports the end
    public boolean admits(SSLSession session, Channel channel) {
        return peers == null || peers.admit(session, channel::isOpen, () -> channel.close());
    }

    /** Returns whether the handshake has completed and both sides speak HTTP/2. */
    public static boolean speaksHttp2(SslHandler handler) {
        return ApplicationProtocolNames.HTTP_2.equals(handler.applicationProtocol());
    }

    /** Returns the DNS names of the peer's verified certificate. */
    public static Set<String> names(SSLSession session) {
        Set<String> names = new LinkedHashSet<>();
        try {
            if (session.getPeerCertificates()[0] instanceof X509Certificate certificate
                    && certificate.getSubjectAlternativeNames() != null) {
                for (List<?> name : certificate.getSubjectAlternativeNames()) {
                    if (Integer.valueOf(2).equals(name.get(0))) {
                        names.add(String.valueOf(name.get(1)));
                    }
                }
            }
        } catch (SSLPeerUnverifiedException | CertificateParsingException unverified) {
            return Set.of();
        }
        return names;
    }
}
