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
 * A frame reader that refuses HEADERS on streams that have ended. RFC 9113 sections 5.1 and 5.1.1
 * define two cases: a stream whose request is complete (STREAM_CLOSED, a stream error or, when the
 * stream is closed, a connection error), and a stream whose number was skipped (PROTOCOL_ERROR of
 * the connection). The decoder handles streams that either side reset: frames for them may have
 * been on their way.
 */
final class StreamIdCheck implements Http2FrameReader {

    private static final int REMEMBERED = 256;
    private static final int[] NONE = {};

    private final Http2FrameReader reader;
    private final Http2Connection connection;
    /** The streams reset last; empty until the first one, because most connections have none. */
    private int[] reset = NONE;

    private int resets;
    private int last = -1;
    private boolean skipped;
    private @Nullable CheckedListener checked;

    StreamIdCheck(Http2FrameReader reader, Http2Connection connection) {
        this.reader = reader;
        this.connection = connection;
    }

    /** Remembers a stream that was closed before its request was complete. */
    void reset(Http2Stream stream) {
        if (reset.length == 0) {
            reset = new int[REMEMBERED];
        }
        reset[resets++ % REMEMBERED] = stream.id();
    }

    @Override
    public void readFrame(ChannelHandlerContext ctx, ByteBuf input, Http2FrameListener listener)
            throws Http2Exception {
        CheckedListener by = checked;
        if (by == null || by.decoder != listener) {
            by = new CheckedListener(listener);
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
            skipped |= id > last + 2;
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
                    skipped ? Http2Error.PROTOCOL_ERROR : Http2Error.STREAM_CLOSED,
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

    /** The decoder's own listener, called after the check. */
    private final class CheckedListener extends Http2FrameListenerDecorator {

        private final Http2FrameListener decoder;

        CheckedListener(Http2FrameListener decoder) {
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
