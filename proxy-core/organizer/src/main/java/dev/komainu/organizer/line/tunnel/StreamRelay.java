package dev.komainu.organizer.line.tunnel;

import dev.komainu.intermediary.tunnel.TunnelChannel;
import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.StreamListener;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.IOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A tunnel's end: a TCP connection and a stream, each writing what the other reads (RFC 9113
 * section 8.5, RFC 8441). END_STREAM stands for FIN, a reset for RST. Neither side is read faster
 * than the other takes: the stream's window is given back when the socket has the bytes, the socket
 * is not read while the stream has no room.
 *
 * <p>FIN is said only when the stream ended and all of it is written. However else it ends, the
 * connection is reset ({@link #broken}).
 *
 * <p>The asking side hears how the other end answered; anything but 2xx resets the TCP connection.
 * The channel must be of the stream's event loop, half closure allowed and not read yet.
 */
public final class StreamRelay implements StreamListener {

    private final Connection connection;
    private final boolean asks;
    private final Consumer<Http2Headers> answered;
    private LineStream stream = NO_STREAM;
    private boolean isOpen;
    private boolean streamOver;
    private boolean streamSaidAll;
    private @Nullable TunnelResetReason broken;

    private StreamRelay(Channel channel, boolean asks, Consumer<Http2Headers> answered) {
        this.connection = new Connection(channel);
        this.asks = asks;
        this.answered = answered;
    }

    /** For the side that asks: hand it to {@code Line.open}, then call {@link #relay}. */
    public static StreamRelay asking(Channel channel, Consumer<Http2Headers> answered) {
        return new StreamRelay(channel, true, answered);
    }

    /** For the side that dialled, after its answer's head. */
    public static StreamRelay answering(Channel channel) {
        return new StreamRelay(channel, false, head -> {});
    }

    /** Begins. */
    public void relay(LineStream with) {
        stream = with;
        connection.join();
        if (!asks) {
            open();
        }
    }

    private void open() {
        isOpen = true;
        connection.read(stream.isWritable());
    }

    /** Why the connection was reset, once it is closed; null: both sides said all. */
    public @Nullable TunnelResetReason broken() {
        return broken != null || connection.hasEnded() && streamSaidAll
                ? broken
                : TunnelResetReason.CONNECTION;
    }

    /** The peer must not take a part for the whole. */
    private void breakOff(TunnelResetReason why) {
        if (broken == null) {
            broken = why;
        }
        connection.reset();
    }

    // The stream's side.

    @Override
    public void head(Http2Headers head, boolean ends) {
        CharSequence status = head.status();
        if (status != null && status.length() == 3 && status.charAt(0) == '2') {
            answered.accept(head);
            open();
            if (ends) {
                streamEnds();
            }
        } else if (status == null || status.charAt(0) != '1') {
            answered.accept(head);
            stream.reset(Http2Error.CANCEL);
        }
    }

    @Override
    public void data(ByteBuf bytes, boolean ends) {
        connection.send(bytes);
        if (ends) {
            streamEnds();
        }
    }

    @Override
    public void trailers(Http2Headers fields) {
        streamEnds();
    }

    /** FIN behind what is written. */
    private void streamEnds() {
        streamSaidAll = true;
        connection.endOutput();
    }

    @Override
    public void writable() {
        connection.read(isOpen);
    }

    @Override
    public void ended(StreamEnd how) {
        streamOver = true;
        if (how.reason() == StreamEnd.Reason.COMPLETE && streamSaidAll) {
            connection.finish();
        } else {
            breakOff(TunnelResetReason.of(how));
        }
    }

    /** The connection's side. */
    private final class Connection extends TunnelChannel {

        Connection(Channel channel) {
            super(channel);
        }

        @Override
        protected void received(ByteBuf bytes) {
            stream.data(bytes, false);
        }

        @Override
        protected void flush() {
            // The stream sends by itself, as its window allows.
        }

        @Override
        protected boolean acceptsMore() {
            return isOpen && stream.isWritable();
        }

        @Override
        protected void written(int bytes) {
            stream.consumed(bytes);
        }

        @Override
        protected void ended(boolean again) {
            if (!again) {
                stream.data(Unpooled.EMPTY_BUFFER, true);
            }
        }

        @Override
        protected void closed() {
            if (!streamOver && !(hasEnded() && streamSaidAll)) {
                stream.reset(Http2Error.CONNECT_ERROR);
            }
        }

        @Override
        protected void failed(Throwable cause) {
            breakOff(
                    cause instanceof IOException
                            ? TunnelResetReason.CONNECTION
                            : TunnelResetReason.FAULT);
        }

        @Override
        protected void writeFailed(Throwable cause) {
            breakOff(TunnelResetReason.unwritten(cause));
        }
    }

    /** Before {@link #relay} nothing can be said. */
    private static final LineStream NO_STREAM = new LineStream() {
        @Override
        public EventLoop loop() {
            throw new IllegalStateException("Not relaying yet");
        }

        @Override
        public void head(Http2Headers head, boolean ends) {}

        @Override
        public void data(ByteBuf bytes, boolean ends) {
            bytes.release();
        }

        @Override
        public void trailers(Http2Headers fields) {}

        @Override
        public boolean isWritable() {
            return false;
        }

        @Override
        public void consumed(int bytes) {}

        @Override
        public void reset(Http2Error why) {}
    };
}
