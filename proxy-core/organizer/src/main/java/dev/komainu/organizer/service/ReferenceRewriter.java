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
 * Object references on their way through a connection. Beside the server its addresses become the
 * service's name, beside the client the name becomes the entry that leads there; what a client
 * sends back takes the way back. On the line references name services, wherever these are. On its
 * channel's loop.
 */
final class ReferenceRewriter extends ChannelDuplexHandler {

    /** The {@code :protocol} of such tunnels. */
    static final String PROTOCOL = "iiop";

    private final GiopStream in;
    private final GiopStream out;

    /** @param in what the channel's peer says @param out what it hears */
    ReferenceRewriter(
            Function<HostPort, @Nullable HostPort> in,
            Function<HostPort, @Nullable HostPort> out,
            ServiceCounts counts) {
        this.in = new GiopStream(in, counts);
        this.out = new GiopStream(out, counts);
    }

    /** Of the far end, beside the server. */
    static TunnelKind atServer(Supplier<ServedAddresses> served) {
        return new TunnelKind() {
            @Override
            public void dialled(Http2Headers asked, Channel channel, Http2Headers answer) {
                ServedAddresses now = served.get();
                channel.pipeline()
                        .addLast(new ReferenceRewriter(
                                now::nameOf, now::serverOf, new ServiceCounts()));
            }
        };
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        ByteBuf passed = in.pass(bytes, ctx.alloc());
        bytes.release();
        if (passed.isReadable()) {
            ctx.fireChannelRead(passed);
        } else {
            passed.release();
        }
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        if (!(message instanceof ByteBuf bytes) || !bytes.isReadable()) {
            ctx.write(message, promise);
            return;
        }
        ByteBuf passed = out.pass(bytes, ctx.alloc());
        bytes.release();
        // What is gathered counts as taken: the rest of the message may be longer than the window.
        if (passed.isReadable()) {
            ctx.write(passed, promise);
        } else {
            passed.release();
            ctx.write(Unpooled.EMPTY_BUFFER, promise);
        }
    }
}
