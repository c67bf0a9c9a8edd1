package dev.komainu.organizer.service;

import dev.komainu.organizer.line.LineBuffers;
import dev.komainu.organizer.line.tunnel.TunnelAcceptor;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reads a TLS client's first message, opens the tunnel that it names, and gives way; the message
 * goes first. On its connection's loop.
 */
final class TlsPassthroughHandler extends ChannelInboundHandlerAdapter {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** A fatal alert, {@code unrecognized_name} (RFC 6066 section 3), so that people read why. */
    private static final byte[] UNKNOWN_NAME = {21, 3, 1, 0, 2, 2, 112};

    private final ServiceClientConnection client;
    private final int port;
    private ByteBuf said = LineBuffers.ALLOCATOR.directBuffer(2048);
    private int enough;
    private boolean settled;
    private @Nullable Future<?> late;

    TlsPassthroughHandler(ServiceClientConnection client, int port) {
        this.client = client;
        this.port = port;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        late = ctx.channel()
                .eventLoop()
                .schedule(
                        () -> refuse(ServiceRefusal.SLOW_HELLO),
                        PATIENCE.toMillis(),
                        TimeUnit.MILLISECONDS);
        ctx.read();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf more = (ByteBuf) message;
        if (settled) {
            ctx.fireChannelRead(more);
            return;
        }
        said.writeBytes(more);
        more.release();
        if (said.readableBytes() < enough) {
            return;
        }
        switch (ClientHello.read(said)) {
            case ClientHello.More wants -> enough = wants.bytes();
            case ClientHello.Refused refused -> refuse(refused.why());
            case ClientHello.Named named -> {
                settle();
                ByteBuf first = said;
                said = Unpooled.EMPTY_BUFFER;
                client.open(
                        TunnelAcceptor.ask(named.name() + ":" + port),
                        (answer, stream) -> stream.data(first, false),
                        first::release,
                        UNKNOWN_NAME);
            }
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (settled) {
            ctx.fireChannelReadComplete();
        } else {
            ctx.read();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (!settled && event instanceof ChannelInputShutdownEvent) {
            refuse(ServiceRefusal.SLOW_HELLO);
        } else {
            ctx.fireUserEventTriggered(event);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        settle();
        said.release();
        said = Unpooled.EMPTY_BUFFER;
        ctx.fireChannelInactive();
    }

    private void settle() {
        settled = true;
        Future<?> until = late;
        if (until != null) {
            until.cancel(false);
        }
    }

    private void refuse(ServiceRefusal why) {
        if (!settled) {
            settle();
            boolean nameless = why == ServiceRefusal.NO_NAME;
            client.refuse(why, nameless ? UNKNOWN_NAME : new byte[0]);
        }
    }
}
