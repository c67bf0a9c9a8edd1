package dev.komainu.proxy.exchange;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2FrameTypes;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2RemoteFlowController.FlowControlled;
import org.jspecify.annotations.Nullable;

/**
 * Some bytes of an answer's body, waiting until the client's windows let them go (RFC 9113 section
 * 5.2). They are never copied: a frame's nine bytes, then a view.
 *
 * <pre>
 *   | length 24 | type 0 | flags 8 | stream 32 | bytes … |
 * </pre>
 */
final class PendingData implements FlowControlled {

    private static final int END_STREAM = 1;

    private final Http2ClientStream stream;
    private final ByteBuf bytes;
    private boolean last;
    private @Nullable Http2Headers trailers;

    /** Takes over the bytes. */
    PendingData(Http2ClientStream stream, ByteBuf bytes) {
        this.stream = stream;
        this.bytes = bytes;
    }

    /**
     * Behind this one the stream ends.
     *
     * @param behind what ends it instead of a frame of bytes (RFC 9113 section 8.1); for a part of
     *     none
     */
    void last(@Nullable Http2Headers behind) {
        last = true;
        trailers = behind;
    }

    @Override
    public int size() {
        return bytes.readableBytes();
    }

    @Override
    public void write(ChannelHandlerContext ctx, int allowedBytes) {
        int count = Math.min(allowedBytes, size());
        int most = stream.session().mostInFrame();
        int left = count;
        Http2Headers behind = trailers;
        if (behind != null) {
            stream.sendTrailers(behind);
            return;
        }
        do {
            int now = Math.min(left, most);
            left -= now;
            boolean whole = now == size();
            ByteBuf header = ctx.alloc().directBuffer(Http2CodecUtil.FRAME_HEADER_LENGTH);
            header.writeMedium(now);
            header.writeByte(Http2FrameTypes.DATA);
            header.writeByte(last && whole ? END_STREAM : 0);
            header.writeInt(stream.id());
            stream.session().sentData(now);
            ctx.write(header, ctx.voidPromise());
            if (now > 0) {
                ctx.write(bytes.readRetainedSlice(now), ctx.voidPromise());
            }
        } while (left > 0);
        stream.sent(count);
    }

    @Override
    public void writeComplete() {
        bytes.release();
        if (last) {
            stream.sentAll();
        }
    }

    /** The stream is closed. */
    @Override
    public void error(ChannelHandlerContext ctx, Throwable cause) {
        bytes.release();
    }

    @Override
    public boolean merge(ChannelHandlerContext ctx, FlowControlled next) {
        return false;
    }
}
