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
 * One end of a tunnel: a TCP connection and a stream, each of which sends what the other receives
 * (RFC 9113 section 8.5, RFC 8441). END_STREAM corresponds to FIN, a reset to RST. Neither side is
 * read faster than the other accepts bytes: the stream's window is opened again when the socket has
 * the bytes, and the socket is not read while the stream has no room.
 *
 * <p>FIN is sent only when the stream ended and all its bytes are written. After every other end
 * the connection is reset ({@link #resetReason}).
 *
 * <p>The requesting side gets the head of the response; any status but 2xx resets the TCP
 * connection. The channel must belong to the stream's event loop, allow half closure, and not be
 * read yet.
 */
public final class StreamRelay implements StreamListener {

    private final Connection connection;
    private final boolean isRequester;
    private final Consumer<Http2Headers> responseHead;
    private LineStream stream = NO_STREAM;
    private boolean isOpen;
    private boolean streamOver;
    private boolean streamInputEnded;
    private @Nullable TunnelResetReason resetReason;

    private StreamRelay(Channel channel, boolean isRequester, Consumer<Http2Headers> responseHead) {
        this.connection = new Connection(channel);
        this.isRequester = isRequester;
        this.responseHead = responseHead;
    }

    /**
     * Creates the relay of the requesting side. Pass it to {@code Line.open}, then call
     * {@link #relay}.
     */
    public static StreamRelay asking(Channel channel, Consumer<Http2Headers> responseHead) {
        return new StreamRelay(channel, true, responseHead);
    }

    /** Creates the relay of the side that dialled. Start it after the head of the response. */
    public static StreamRelay answering(Channel channel) {
        return new StreamRelay(channel, false, head -> {});
    }

    /** Starts to relay. */
    public void relay(LineStream relayedStream) {
        stream = relayedStream;
        connection.join();
        if (!isRequester) {
            open();
        }
    }

    private void open() {
        isOpen = true;
        connection.read(stream.isWritable());
    }

    /**
     * Returns the reason of the connection's reset, once it is closed; null: both directions ended
     * regularly.
     */
    public @Nullable TunnelResetReason broken() {
        return resetReason != null || (connection.hasEnded() && streamInputEnded)
                ? resetReason
                : TunnelResetReason.CONNECTION;
    }

    /** Resets the connection: the peer must not mistake a part for the whole. */
    private void resetConnection(TunnelResetReason why) {
        if (resetReason == null) {
            resetReason = why;
        }
        connection.reset();
    }

    // Events of the stream.

    @Override
    public void head(Http2Headers head, boolean ends) {
        CharSequence status = head.status();
        if (status != null && status.length() == 3 && status.charAt(0) == '2') {
            responseHead.accept(head);
            open();
            if (ends) {
                endOutput();
            }
        } else if (status == null || status.charAt(0) != '1') {
            responseHead.accept(head);
            stream.reset(Http2Error.CANCEL);
        }
    }

    @Override
    public void data(ByteBuf bytes, boolean ends) {
        connection.send(bytes);
        if (ends) {
            endOutput();
        }
    }

    @Override
    public void trailers(Http2Headers fields) {
        endOutput();
    }

    /** Sends FIN after the written bytes. */
    private void endOutput() {
        streamInputEnded = true;
        connection.endOutput();
    }

    @Override
    public void writable() {
        connection.read(isOpen);
    }

    @Override
    public void ended(StreamEnd how) {
        streamOver = true;
        if (how.reason() == StreamEnd.Reason.COMPLETE && streamInputEnded) {
            connection.finish();
        } else {
            resetConnection(TunnelResetReason.of(how));
        }
    }

    /** The TCP connection of the relay. */
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
            // The stream sends on its own, as its window allows.
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
            if (!streamOver && !(hasEnded() && streamInputEnded)) {
                stream.reset(Http2Error.CONNECT_ERROR);
            }
        }

        @Override
        protected void failed(Throwable cause) {
            resetConnection(
                    cause instanceof IOException
                            ? TunnelResetReason.CONNECTION
                            : TunnelResetReason.FAULT);
        }

        @Override
        protected void writeFailed(Throwable cause) {
            resetConnection(TunnelResetReason.unwritten(cause));
        }
    }

    /** The stream before {@link #relay}: it discards all. */
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
