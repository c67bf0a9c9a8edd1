package dev.komainu.organizer.service;

import dev.komainu.organizer.line.tunnel.TunnelKind;
import dev.komainu.organizer.service.ServedAddresses.HostPort;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The handler that rewrites the object references of a connection. Beside the server an address
 * becomes the name of the service; beside the client the name becomes the address of the entry for
 * it. References sent by a client are rewritten in reverse. On the line references name services,
 * independent of their location. Used on its channel's loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write or close is reported to the handlers
final class ReferenceRewriter extends ChannelDuplexHandler {

    /** The {@code :protocol} of such tunnels. */
    static final String PROTOCOL = "iiop";

    private final GiopStream in;
    private final GiopStream out;

    /**
     * Creates a handler.
     *
     * @param in rewrites the addresses that the channel's peer sends
     * @param out rewrites the addresses that are sent to the peer
     */
    ReferenceRewriter(
            Function<HostPort, @Nullable HostPort> in,
            Function<HostPort, @Nullable HostPort> out,
            ServiceCounts counts) {
        this.in = new GiopStream(in, counts);
        this.out = new GiopStream(out, counts);
    }

    /** Returns the tunnel kind of the far end, beside the server. */
    static TunnelKind atServer(Supplier<ServedAddresses> served) {
        return new TunnelKind() {
            @Override
            public void dialled(Http2Headers request, Channel channel, Http2Headers response) {
                ServedAddresses addresses = served.get();
                channel.pipeline()
                        .addLast(new ReferenceRewriter(
                                addresses::nameOf, addresses::serverOf, new ServiceCounts()));
            }
        };
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        ByteBuf rewritten = in.pass(bytes, ctx.alloc());
        bytes.release();
        if (rewritten.isReadable()) {
            ctx.fireChannelRead(rewritten);
        } else {
            rewritten.release();
        }
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        if (!(message instanceof ByteBuf bytes) || !bytes.isReadable()) {
            ctx.write(message, promise);
            return;
        }
        ByteBuf rewritten = out.pass(bytes, ctx.alloc());
        bytes.release();
        // Aggregated bytes count as written: the rest of the message may be longer than the window.
        if (rewritten.isReadable()) {
            ctx.write(rewritten, promise);
        } else {
            rewritten.release();
            ctx.write(Unpooled.EMPTY_BUFFER, promise);
        }
    }
}
