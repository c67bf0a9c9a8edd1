package dev.komainu.proxy.tls;

import io.netty.handler.ssl.ReferenceCountedOpenSslEngine;
import io.netty.handler.ssl.SslHandler;
import io.netty.internal.tcnative.SSL;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;

/**
 * The result of a handshake.
 *
 * @param protocol the protocol agreed on (ALPN), else {@value TlsHandshakeHandler#HTTP_1}
 * @param version the version of TLS as engines write it, such as {@code TLSv1.3}
 * @param resumed whether it resumed a session
 */
public record HandshakeResult(String protocol, String version, boolean resumed) {

    /**
     * Returns the result of a completed handshake.
     *
     * @param startMillis the time of the accept, in epoch milliseconds
     */
    static HandshakeResult of(@Nullable SslHandler handler, long startMillis) {
        if (handler == null) {
            return new HandshakeResult(TlsHandshakeHandler.HTTP_1, "", false);
        }
        String protocol = handler.applicationProtocol();
        SSLEngine engine = handler.engine();
        boolean resumed = engine instanceof ReferenceCountedOpenSslEngine own
                // 0: closed already.
                ? own.sslPointer() != 0 && SSL.isSessionReused(own.sslPointer())
                // A session of Java's engine is as old as its first connection.
                : engine.getSession().getCreationTime() < startMillis;
        return new HandshakeResult(
                protocol == null ? TlsHandshakeHandler.HTTP_1 : protocol,
                engine.getSession().getProtocol(),
                resumed);
    }

    public boolean isTls13() {
        return version.equals("TLSv1.3");
    }
}
