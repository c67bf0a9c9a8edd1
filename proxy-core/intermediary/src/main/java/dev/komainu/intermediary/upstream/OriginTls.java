package dev.komainu.intermediary.upstream;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.net.InetAddress;
import java.security.GeneralSecurityException;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * The TLS client for https origins: version 1.2 and 1.3. It sends the server's name (SNI) unless
 * that is a literal address, and verifies the certificate for that name (RFC 9110 section 4.3.4)
 * unless the administrator disabled it.
 */
final class OriginTls {

    private final TlsSettings settings;
    private @Nullable SslContext context;

    OriginTls(TlsSettings settings) {
        this.settings = settings;
    }

    /** Reports whether the file of authorities can be used. */
    static boolean isUsable(TlsSettings settings) {
        try {
            new OriginTls(settings).context();
            return true;
        } catch (SSLException | IllegalArgumentException e) {
            return false;
        }
    }

    private SslContext context() throws SSLException {
        SslContext sslContext = context;
        if (sslContext == null) {
            SslContextBuilder builder =
                    SslContextBuilder.forClient().protocols("TLSv1.3", "TLSv1.2");
            if (!settings.verify()) {
                builder.trustManager(InsecureTrustManagerFactory.INSTANCE);
            } else if (settings.caFile() != null) {
                builder.trustManager(settings.caFile().toFile());
            }
            sslContext = builder.endpointIdentificationAlgorithm(settings.verify() ? "HTTPS" : "")
                    .build();
            context = sslContext;
        }
        return sslContext;
    }

    /**
     * Returns a handler for a new connection.
     *
     * @param timeoutMillis of the handshake
     * @throws SSLException when the file of authorities contains no certificates
     */
    SslHandler handler(ByteBufAllocator allocator, UpstreamServer server, long timeoutMillis)
            throws SSLException {
        SslHandler handler = context().newHandler(allocator, server.host(), server.port());
        if (!isLiteral(server.host())) {
            SSLParameters parameters = handler.engine().getSSLParameters();
            parameters.setServerNames(List.of(new SNIHostName(server.host())));
            handler.engine().setSSLParameters(parameters);
        }
        handler.setHandshakeTimeoutMillis(timeoutMillis);
        return handler;
    }

    /**
     * Returns the failure to report to a client: that the certificate is wrong, without its
     * contents.
     */
    static OriginFailure failure(UpstreamServer server, @Nullable Throwable cause) {
        boolean certificate = false;
        for (Throwable current = cause;
                current != null && !certificate;
                current = current.getCause()) {
            certificate = current instanceof GeneralSecurityException;
        }
        return certificate
                ? new OriginFailure(
                        502,
                        "certificate-refused",
                        "The certificate of " + server + " is not valid for it",
                        true)
                : new OriginFailure(502, "tls-failed", "No TLS connection to " + server, true);
    }

    private static boolean isLiteral(String host) {
        try {
            InetAddress.ofLiteral(host);
            return true;
        } catch (IllegalArgumentException name) {
            return false;
        }
    }
}
