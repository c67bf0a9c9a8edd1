package dev.komainu.organizer.line.tunnel;

import io.netty.channel.Channel;
import io.netty.handler.codec.http2.Http2Headers;
import java.net.InetSocketAddress;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A protocol that a {@link TunnelAcceptor} must understand more of than its bytes. For all threads.
 */
public interface TunnelKind {

    /**
     * Where to dial.
     *
     * @param asked the head that asks
     * @param served where the service that a head names is served here
     * @return resolved; null: not here (404)
     */
    default @Nullable InetSocketAddress where(
            Http2Headers asked, Function<Http2Headers, @Nullable InetSocketAddress> served) {
        return served.apply(asked);
    }

    /**
     * It is dialled, and not read yet.
     *
     * @param channel may be given handlers
     * @param answer what will be said, 200; may be given fields
     */
    void dialled(Http2Headers asked, Channel channel, Http2Headers answer);
}
