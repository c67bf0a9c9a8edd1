package dev.komainu.proxy.exchange;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2FrameReader;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;
import org.jspecify.annotations.Nullable;

/**
 * Refuses HEADERS on streams that are over, as RFC 9113 section 5.1 and 5.1.1 tell apart: a stream
 * whose request is complete (STREAM_CLOSED, of the stream or, when that is closed, of the
 * connection), one that was passed over (PROTOCOL_ERROR of the connection). A stream that either
 * side reset is left to the decoder: what comes for it may have been on its way.
 */
final class StreamIdCheck implements Http2FrameReader {

    private static final int REMEMBERED = 256;

    private final Http2FrameReader reader;
    private final Http2Connection connection;
    private final int[] reset = new int[REMEMBERED];
    private int resets;
    private int last = -1;
    private boolean passedOver;
    private @Nullable Checked checked;

    StreamIdCheck(Http2FrameReader reader, Http2Connection connection) {
        this.reader = reader;
        this.connection = connection;
    }

    /** A stream was closed before its request was complete. */
    void reset(Http2Stream stream) {
        reset[resets++ % REMEMBERED] = stream.id();
    }

    @Override
    public void readFrame(ChannelHandlerContext ctx, ByteBuf input, Http2FrameListener listener)
            throws Http2Exception {
        Checked by = checked;
        if (by == null || by.decoder != listener) {
            by = new Checked(listener);
            checked = by;
        }
        reader.readFrame(ctx, input, by);
    }

    @Override
    public Configuration configuration() {
        return reader.configuration();
    }

    @Override
    public void close() {
        reader.close();
    }

    private void check(int id) throws Http2Exception {
        if (id > last) {
            passedOver |= id > last + 2;
            last = id;
            return;
        }
        Http2Stream stream = connection.stream(id);
        if (stream != null) {
            if (stream.state() == Http2Stream.State.HALF_CLOSED_REMOTE) {
                throw Http2Exception.streamError(
                        id, Http2Error.STREAM_CLOSED, "HEADERS behind END_STREAM (RFC 9113 5.1)");
            }
        } else if (id % 2 == 1 && !wasReset(id)) {
            throw Http2Exception.connectionError(
                    passedOver ? Http2Error.PROTOCOL_ERROR : Http2Error.STREAM_CLOSED,
                    "HEADERS on stream %d, which is closed (RFC 9113 5.1.1)",
                    id);
        }
    }

    private boolean wasReset(int id) {
        for (int known : reset) {
            if (known == id) {
                return true;
            }
        }
        return false;
    }

    /** The decoder's own listener, asked after the check. */
    private final class Checked extends Http2FrameListenerDecorator {

        private final Http2FrameListener decoder;

        Checked(Http2FrameListener decoder) {
            super(decoder);
            this.decoder = decoder;
        }

        @Override
        public void onHeadersRead(
                ChannelHandlerContext ctx,
                int id,
                Http2Headers fields,
                int padding,
                boolean endOfStream)
                throws Http2Exception {
            check(id);
            super.onHeadersRead(ctx, id, fields, padding, endOfStream);
        }

        @Override
        public void onHeadersRead(
                ChannelHandlerContext ctx,
                int id,
                Http2Headers fields,
                int dependency,
                short weight,
                boolean exclusive,
                int padding,
                boolean endOfStream)
                throws Http2Exception {
            check(id);
            super.onHeadersRead(
                    ctx, id, fields, dependency, weight, exclusive, padding, endOfStream);
        }
    }
}
