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
 * A channel at one end of a tunnel: TCP, with TLS or without. It is read no faster than the other
 * end accepts bytes; its output ends and it closes only behind the bytes written; and both of its
 * directions are counted. The subclass supplies the other end: another channel or a stream of
 * HTTP/2.
 *
 * <pre>
 *   {@link #received}   bytes of the peer, then {@link #flush}        {@link #write}, {@link #send}   bytes to the peer
 *   {@link #ended}      FIN or close_notify of the peer               {@link #endOutput}     FIN behind the bytes written
 *   {@link #closed}     the channel is closed                         {@link #finish}        close behind the bytes written
 *   {@link #failed}, {@link #writeFailed}   a fault                   {@link #reset}         RST
 * </pre>
 *
 * <p>The channel calls the methods of the left column, the other end those of the right one, all on
 * the channel's event loop. The channel must allow half-closure; this is the last handler of its
 * pipeline.
 */
// Writes without a promise report failures as exceptions; a close is reported by channelInactive.
@SuppressWarnings("FutureReturnValueIgnored")
public abstract class TunnelChannel extends ChannelInboundHandlerAdapter {

    private final Channel channel;
    private long receivedBytes;
    private long sentBytes;
    private boolean inputEnded;
    private boolean outputEnded;

    protected TunnelChannel(Channel channel) {
        this.channel = channel;
    }

    // Notifications of the other end.

    /** Forwards bytes of the peer to the other end. Takes ownership of them. */
    protected abstract void received(ByteBuf bytes);

    /** Notifies that no more bytes are available for now. */
    protected abstract void flush();

    /**
     * Reports whether the other end accepts more bytes. When this changes to true, {@link #read}
     * must be called.
     */
    protected abstract boolean acceptsMore();

    /**
     * Notifies that the peer has ended its output.
     *
     * @param again true when this is the second notification: over TLS by close_notify first, then
     *     by FIN
     */
    protected abstract void ended(boolean again);

    /** Notifies that the channel has closed, by either side or by a fault. */
    protected abstract void closed();

    /** Notifies that a handler or a {@link #write} failed. */
    protected abstract void failed(Throwable cause);

    /** Notifies that bytes of {@link #send}, or the end behind them, could not be written. */
    protected abstract void writeFailed(Throwable cause);

    /**
     * Notifies that the socket has accepted bytes of {@link #send}: the other end may send as many
     * more.
     */
    protected void written(int bytes) {}

    /** Notifies that the channel has room for more, or no longer. */
    protected void writable(boolean hasRoom) {}

    // Operations on the channel.

    /** Adds this handler to the channel; it is not read yet. */
    public final void join() {
        channel.pipeline().addLast(this);
    }

    /** Starts or stops reading the channel. */
    public final void read(boolean on) {
        channel.config().setAutoRead(on);
    }

    /**
     * Writes without a promise; {@link #flushOutput} flushes and {@link #failed} reports a failure.
     * Takes ownership of the bytes.
     */
    final void write(ByteBuf bytes) {
        sentBytes += bytes.readableBytes();
        channel.write(bytes, channel.voidPromise());
    }

    final void flushOutput() {
        channel.flush();
    }

    /** Reports whether the socket keeps up with the writes. */
    final boolean hasRoom() {
        return channel.isWritable();
    }

    /**
     * Writes and flushes; {@link #written} or {@link #writeFailed} reports the result. Takes
     * ownership of the bytes.
     */
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

    /** Sends FIN behind the bytes written. */
    public final void endOutput() {
        afterWrites(done -> {
            if (done.isSuccess()) {
                endOutputNow();
            } else {
                writeFailed(done.cause());
            }
        });
    }

    /** Sends FIN now; over TLS behind close_notify. Does nothing on a closed channel. */
    final void endOutputNow() {
        if (channel.isActive() && channel instanceof DuplexChannel) {
            outputEnded = true;
            HalfClose.endOutput(channel);
        }
    }

    /**
     * Closes behind the bytes written. If they cannot be written, and no FIN was sent, calls
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

    /** Calls a listener when all bytes written have been sent, or cannot be. */
    final void afterWrites(ChannelFutureListener listener) {
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(listener);
    }

    /**
     * Closes by RST and without close_notify, so that the peer does not take a part for the whole.
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

    /** Reports whether the peer has ended its output. */
    public final boolean hasEnded() {
        return inputEnded;
    }

    /** Returns the bytes received from the peer. */
    public final long receivedBytes() {
        return receivedBytes;
    }

    /** Returns the bytes written to the peer, received or not. */
    public final long sentBytes() {
        return sentBytes;
    }

    /**
     * Reports whether a write failed because of the peer. A write after this program shut down the
     * output fails because of this program, although the cause is an IOException.
     */
    public static boolean isPeerFault(Throwable cause) {
        return cause instanceof IOException && !(cause instanceof ChannelOutputShutdownException);
    }

    // Netty's events.

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
