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
 * The handler that reads a TLS client's first message and opens the tunnel to the named service.
 * The message is sent first; the following bytes are passed through. Used on its connection's loop.
 */
final class TlsPassthroughHandler extends ChannelInboundHandlerAdapter {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /**
     * A fatal alert, {@code unrecognized_name} (RFC 6066 section 3), which clients show to their
     * users.
     */
    private static final byte[] UNKNOWN_NAME = {21, 3, 1, 0, 2, 2, 112};

    private final ServiceClientConnection client;
    private final int port;
    private ByteBuf received = LineBuffers.ALLOCATOR.directBuffer(2048);
    private int neededBytes;
    private boolean done;
    private @Nullable Future<?> timeout;

    TlsPassthroughHandler(ServiceClientConnection client, int port) {
        this.client = client;
        this.port = port;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        timeout = ctx.channel()
                .eventLoop()
                .schedule(
                        () -> refuse(ServiceRefusal.SLOW_HELLO),
                        TIMEOUT.toMillis(),
                        TimeUnit.MILLISECONDS);
        ctx.read();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf more = (ByteBuf) message;
        if (done) {
            ctx.fireChannelRead(more);
            return;
        }
        received.writeBytes(more);
        more.release();
        if (received.readableBytes() < neededBytes) {
            return;
        }
        switch (ClientHello.read(received)) {
            case ClientHello.More incomplete -> neededBytes = incomplete.bytes();
            case ClientHello.Refused refused -> refuse(refused.reason());
            case ClientHello.ServerName named -> {
                finish();
                ByteBuf first = received;
                received = Unpooled.EMPTY_BUFFER;
                client.open(
                        TunnelAcceptor.ask(named.name() + ":" + port),
                        (response, stream) -> stream.data(first, false),
                        first::release,
                        UNKNOWN_NAME);
            }
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (done) {
            ctx.fireChannelReadComplete();
        } else {
            ctx.read();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (!done && event instanceof ChannelInputShutdownEvent) {
            refuse(ServiceRefusal.SLOW_HELLO);
        } else {
            ctx.fireUserEventTriggered(event);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        finish();
        received.release();
        received = Unpooled.EMPTY_BUFFER;
        ctx.fireChannelInactive();
    }

    private void finish() {
        done = true;
        Future<?> scheduled = timeout;
        if (scheduled != null) {
            scheduled.cancel(false);
        }
    }

    private void refuse(ServiceRefusal reason) {
        if (!done) {
            finish();
            boolean nameless = reason == ServiceRefusal.NO_NAME;
            client.refuse(reason, nameless ? UNKNOWN_NAME : new byte[0]);
        }
    }
}
