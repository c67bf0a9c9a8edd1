package dev.komainu.intermediary.tunnel;

import dev.komainu.intermediary.connection.HalfClose;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelOutputShutdownException;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import java.io.IOException;

/**
 * A tunnel's end that is a channel: TCP, with TLS or without. It is read no faster than the other
 * end of the tunnel takes, its output ends or it closes only behind what is written, and both of
 * its directions are counted. What the other end is, another channel or a stream of HTTP/2, the
 * subclass says.
 *
 * <pre>
 *   {@link #received}   bytes of the peer, then {@link #flush}        {@link #write}, {@link #send}   bytes to the peer
 *   {@link #ended}      FIN or close_notify of the peer               {@link #endOutput}     FIN behind what is written
 *   {@link #closed}     the channel is closed                         {@link #finish}        close behind what is written
 *   {@link #failed}, {@link #writeFailed}   a fault                     {@link #reset}         RST
 * </pre>
 *
 * <p>The left column is told, the right one is called, all on the channel's event loop. The channel
 * must allow half-closure; this is the last handler of its pipeline.
 */
public abstract class TunnelChannel extends ChannelInboundHandlerAdapter {

    private final Channel channel;
    private long receivedBytes;
    private long sentBytes;
    private boolean inputEnded;
    private boolean outputEnded;

    protected TunnelChannel(Channel channel) {
        this.channel = channel;
    }

    // What the other end does.

    /** Bytes of the peer, for the other end. Taken over. */
    protected abstract void received(ByteBuf bytes);

    /** No more bytes have come for now. */
    protected abstract void flush();

    /**
     * Whether the other end takes more; when it turns true again, {@link #read} is to be called.
     */
    protected abstract boolean acceptsMore();

    /**
     * The peer sends no more.
     *
     * @param again it said so before: over TLS by close_notify, and now by FIN
     */
    protected abstract void ended(boolean again);

    /** The channel is closed, by either side or by a fault. */
    protected abstract void closed();

    /** A handler failed, or a {@link #write} did. */
    protected abstract void failed(Throwable cause);

    /** What was sent, or the end behind it, could not be written. */
    protected abstract void writeFailed(Throwable cause);

    /**
     * The peer's socket has so many bytes of {@link #send}: the other end may send as many more.
     */
    protected void written(int bytes) {}

    /** The channel has room for more, or no longer. */
    protected void writable(boolean hasRoom) {}

    // What is done to the channel.

    /** Begins to hear the channel; it is not read yet. */
    public final void join() {
        channel.pipeline().addLast(this);
    }

    /** Reads the channel from now on, or not. */
    public final void read(boolean on) {
        channel.config().setAutoRead(on);
    }

    /**
     * Writes without a promise, to be flushed by {@link #flushOutput}; what goes wrong is told by
     * {@link #failed}. Takes the bytes over.
     */
    final void write(ByteBuf bytes) {
        sentBytes += bytes.readableBytes();
        channel.write(bytes, channel.voidPromise());
    }

    final void flushOutput() {
        channel.flush();
    }

    /** Whether the socket keeps up with what is written. */
    final boolean hasRoom() {
        return channel.isWritable();
    }

    /** Sends, and tells {@link #written} or {@link #writeFailed}. Takes the bytes over. */
    public final void send(ByteBuf bytes) {
        int size = bytes.readableBytes();
        sentBytes += size;
        channel.writeAndFlush(bytes).addListener(done -> {
            if (done.isSuccess()) {
                written(size);
            } else {
                writeFailed(done.cause());
            }
        });
    }

    /** FIN behind what is written. */
    public final void endOutput() {
        afterWrites(done -> {
            if (done.isSuccess()) {
                endOutputNow();
            } else {
                writeFailed(done.cause());
            }
        });
    }

    /** FIN now; over TLS behind close_notify. Nothing on a closed channel. */
    final void endOutputNow() {
        if (channel.isActive() && channel instanceof DuplexChannel) {
            outputEnded = true;
            HalfClose.endOutput(channel);
        }
    }

    /**
     * Closes behind what is written. If that cannot be written, and no FIN was sent, tells
     * {@link #writeFailed} and leaves the channel open.
     */
    public final void finish() {
        afterWrites(done -> {
            if (done.isSuccess() || outputEnded) {
                channel.close();
            } else {
                writeFailed(done.cause());
            }
        });
    }

    /** Calls when all that is written has left, or cannot. */
    final void afterWrites(ChannelFutureListener then) {
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(then);
    }

    /**
     * Closes by RST and without close_notify, so that the peer does not take what it has for the
     * whole.
     */
    public final void reset() {
        if (channel.isActive()) {
            channel.config().setOption(ChannelOption.SO_LINGER, 0);
        }
        HalfClose.cutOff(channel);
    }

    final Channel channel() {
        return channel;
    }

    /** Whether the peer has said that it sends no more. */
    public final boolean hasEnded() {
        return inputEnded;
    }

    /** Bytes that the peer sent. */
    public final long receivedBytes() {
        return receivedBytes;
    }

    /** Bytes written to the peer, whether it has them or not. */
    public final long sentBytes() {
        return sentBytes;
    }

    /**
     * Whether a write failed because of the peer. A write after this program shut the output down
     * failed by this program, though that is an IOException.
     */
    public static boolean isPeerFault(Throwable cause) {
        return cause instanceof IOException && !(cause instanceof ChannelOutputShutdownException);
    }

    // What Netty tells.

    @Override
    public final void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        receivedBytes += bytes.readableBytes();
        received(bytes);
    }

    @Override
    public final void channelReadComplete(ChannelHandlerContext ctx) {
        flush();
        read(acceptsMore());
    }

    @Override
    public final void channelWritabilityChanged(ChannelHandlerContext ctx) {
        writable(channel.isWritable());
    }

    @Override
    public final void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ChannelInputShutdownEvent
                || event == SslCloseCompletionEvent.SUCCESS) {
            boolean again = inputEnded;
            inputEnded = true;
            ended(again);
        }
    }

    @Override
    public final void channelInactive(ChannelHandlerContext ctx) {
        closed();
    }

    @Override
    public final void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        failed(cause);
    }
}
