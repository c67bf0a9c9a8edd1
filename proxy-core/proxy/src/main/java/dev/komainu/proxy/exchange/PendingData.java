package dev.komainu.proxy.exchange;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2FrameTypes;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2RemoteFlowController.FlowControlled;
import org.jspecify.annotations.Nullable;

/**
 * Bytes of a response's body that wait for the client's windows (RFC 9113 section 5.2). They are
 * never copied: a frame has nine bytes, then a view.
 *
 * <pre>
 *   | length 24 | type 0 | flags 8 | stream 32 | bytes … |
 * </pre>
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the channel
final class PendingData implements FlowControlled {

    private static final int END_STREAM = 1;

    private final Http2ClientStream stream;
    private final ByteBuf bytes;
    private boolean last;
    private @Nullable Http2Headers trailers;

    /** Creates a part. Takes ownership of the bytes. */
    PendingData(Http2ClientStream stream, ByteBuf bytes) {
        this.stream = stream;
        this.bytes = bytes;
    }

    /**
     * Makes this the last part of the stream.
     *
     * @param lastFields the trailers that end the stream instead of a DATA frame (RFC 9113 section
     *     8.1), for a part without bytes; null for none
     */
    void last(@Nullable Http2Headers lastFields) {
        last = true;
        trailers = lastFields;
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
        Http2Headers lastFields = trailers;
        if (lastFields != null) {
            stream.sendTrailers(lastFields);
            return;
        }
        do {
            int now = Math.min(left, most);
            left -= now;
            boolean isRest = now == size();
            ByteBuf header = ctx.alloc().directBuffer(Http2CodecUtil.FRAME_HEADER_LENGTH);
            header.writeMedium(now);
            header.writeByte(Http2FrameTypes.DATA);
            header.writeByte(last && isRest ? END_STREAM : 0);
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

    /** Releases the bytes; the stream is closed. */
    @Override
    public void error(ChannelHandlerContext ctx, Throwable cause) {
        bytes.release();
    }

    @Override
    public boolean merge(ChannelHandlerContext ctx, FlowControlled next) {
        return false;
    }
}
