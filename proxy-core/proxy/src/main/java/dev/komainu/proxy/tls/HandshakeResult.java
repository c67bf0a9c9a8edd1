package dev.komainu.proxy.tls;

import io.netty.handler.ssl.ReferenceCountedOpenSslEngine;
import io.netty.handler.ssl.SslHandler;
import io.netty.internal.tcnative.SSL;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;

/**
 * What a handshake came to.
 *
 * @param protocol the one agreed on (ALPN), else {@value TlsHandshakeHandler#HTTP_1}
 * @param version of TLS as engines write it, such as {@code TLSv1.3}
 * @param resumed whether it went on with a former session
 */
public record HandshakeResult(String protocol, String version, boolean resumed) {

    /** @param begunMillis when the connection came in, since the epoch */
    static HandshakeResult of(@Nullable SslHandler handler, long begunMillis) {
        if (handler == null) {
            return new HandshakeResult(TlsHandshakeHandler.HTTP_1, "", false);
        }
        String protocol = handler.applicationProtocol();
        SSLEngine engine = handler.engine();
        boolean resumed = engine instanceof ReferenceCountedOpenSslEngine own
                // 0: closed already.
                ? own.sslPointer() != 0 && SSL.isSessionReused(own.sslPointer())
                // A session of Java's engine is as old as its first connection.
                : engine.getSession().getCreationTime() < begunMillis;
        return new HandshakeResult(
                protocol == null ? TlsHandshakeHandler.HTTP_1 : protocol,
                engine.getSession().getProtocol(),
                resumed);
    }

    public boolean isTls13() {
        return version.equals("TLSv1.3");
    }
}
