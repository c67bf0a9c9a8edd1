package dev.komainu.organizer.line.quic;

import dev.komainu.organizer.line.LineBuffers;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersDecoder;
import io.netty.handler.codec.http2.Http2HeadersEncoder;

/**
 * Codec of heads and trailers as frames of a QUIC stream: HPACK (RFC 7541) without its dynamic
 * table, because streams overtake each other. On the connection's loop.
 */
final class QuicHeads {

    private final Http2HeadersEncoder encoder = new DefaultHttp2HeadersEncoder();
    private final Http2HeadersDecoder decoder =
            new DefaultHttp2HeadersDecoder(true, true, QuicFrames.MOST_FIELDS);

    QuicHeads() {
        try {
            encoder.configuration().maxHeaderTableSize(0);
        } catch (Http2Exception e) {
            throw new IllegalStateException(e); // 0 is always allowed
        }
    }

    /** Encodes a HEADERS frame. */
    ByteBuf frame(long stream, Http2Headers fields) throws Http2Exception {
        return frame(QuicFrames.HEADERS, stream, fields);
    }

    /**
     * Encodes a PROMISE frame.
     *
     * @param promised number of the stream of the response
     */
    ByteBuf promise(long promised, Http2Headers fields) throws Http2Exception {
        return frame(QuicFrames.PROMISE, promised, fields);
    }

    private ByteBuf frame(int type, long stream, Http2Headers fields) throws Http2Exception {
        ByteBuf block = LineBuffers.ALLOCATOR.directBuffer(256);
        try {
            encoder.encodeHeaders((int) stream, fields, block);
            if (block.readableBytes() > QuicFrames.MOST_FIELDS) {
                throw new Http2Exception(
                        Http2Error.INTERNAL_ERROR,
                        block.readableBytes() + " bytes (expected: at most "
                                + QuicFrames.MOST_FIELDS + ")");
            }
            int number = type == QuicFrames.PROMISE ? QuicFrames.NUMBER : 0;
            ByteBuf frame = LineBuffers.ALLOCATOR.directBuffer(block.readableBytes() + number + 5);
            QuicFrames.writeHeader(frame, type, block.readableBytes() + number);
            if (number > 0) {
                frame.writeLong(stream);
            }
            return frame.writeBytes(block);
        } finally {
            block.release();
        }
    }

    /**
     * Decodes fields.
     *
     * @param block borrowed; the payload of a frame
     */
    Http2Headers read(long stream, ByteBuf block) throws Http2Exception {
        return decoder.decodeHeaders((int) stream, block);
    }
}
