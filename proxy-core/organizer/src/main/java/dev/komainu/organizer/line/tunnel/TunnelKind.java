package dev.komainu.organizer.line.tunnel;

import io.netty.channel.Channel;
import io.netty.handler.codec.http2.Http2Headers;
import java.net.InetSocketAddress;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A protocol of tunnels that needs more than a relay of its bytes. Thread-safe. */
public interface TunnelKind {

    /**
     * Returns the address to dial.
     *
     * @param request head of the request
     * @param served returns the address of the service that a head names
     * @return resolved; null: this member does not serve it (404)
     */
    default @Nullable InetSocketAddress where(
            Http2Headers request, Function<Http2Headers, @Nullable InetSocketAddress> served) {
        return served.apply(request);
    }

    /**
     * Called when the channel is connected, and not read yet.
     *
     * @param channel may get handlers
     * @param response the coming response, 200; may get fields
     */
    void dialled(Http2Headers request, Channel channel, Http2Headers response);
}
