package dev.komainu.proxy.exchange;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2FrameTypes;

/**
 * Looks over the bytes of an HTTP/2 connection before they are decoded: counts frames that ask for
 * work and bring nothing (see {@link ControlFrameBudget}), and knows whether a frame or a head is
 * begun and not whole, which the decoder tells nobody.
 *
 * <pre>
 *   preface 24 bytes, then  | length 24 | type 8 | flags 8 | R + stream 32 | payload … |
 * </pre>
 */
final class FrameInspection {

    private static final int PREFACE = 24;
    private static final int HEADER = 9;
    private static final int FLAGS = 4;
    private static final int ACK = 1;
    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;

    private final ControlFrameBudget budget;
    private int preface = PREFACE;
    private int headerBytes;
    private int length;
    private int type;
    private int flags;
    private int payloadLeft;
    private boolean inHead;
    private long begun;
    private long headBegun;

    FrameInspection(ControlFrameBudget budget) {
        this.budget = budget;
    }

    /** @return false when there is too much noise; the buffer's reader index stays */
    boolean read(ByteBuf in, long nowNanos) {
        int p = in.readerIndex();
        int end = in.writerIndex();
        int skip = Math.min(preface, end - p);
        preface -= skip;
        p += skip;
        while (p < end) {
            if (payloadLeft > 0) {
                int count = Math.min(payloadLeft, end - p);
                payloadLeft -= count;
                p += count;
            } else {
                header(in.getByte(p++) & 255);
                if (headerBytes == 0 && !whole(nowNanos)) {
                    return false;
                }
            }
        }
        return true;
    }

    private void header(int b) {
        if (headerBytes == 0) {
            begun++;
            length = 0;
        }
        if (headerBytes < 3) {
            length = length << 8 | b;
        } else if (headerBytes == 3) {
            type = b;
        } else if (headerBytes == FLAGS) {
            flags = b;
        }
        headerBytes = (headerBytes + 1) % HEADER;
    }

    /** A frame's header is complete. */
    private boolean whole(long nowNanos) {
        payloadLeft = length;
        boolean endsHead = (flags & END_HEADERS) != 0;
        if (type == Http2FrameTypes.HEADERS) {
            headBegun = begun;
            inHead = !endsHead;
            budget.request();
            return true;
        }
        if (type == Http2FrameTypes.CONTINUATION) {
            inHead &= !endsHead;
        }
        return switch (type) {
            case Http2FrameTypes.DATA ->
                length > 0 || (flags & END_STREAM) != 0 || budget.noise(nowNanos);
            case Http2FrameTypes.PING, Http2FrameTypes.SETTINGS ->
                (flags & ACK) != 0 || budget.noise(nowNanos);
            case Http2FrameTypes.RST_STREAM -> budget.reset(nowNanos);
            default -> budget.noise(nowNanos);
        };
    }

    /**
     * What is begun and not whole: the number of its first frame, 0 when nothing is. Bodies are not
     * meant: their pace is watched stream by stream.
     */
    long open() {
        if (inHead || payloadLeft > 0 && type == Http2FrameTypes.HEADERS) {
            return headBegun;
        }
        boolean partial = headerBytes > 0 || payloadLeft > 0 && type != Http2FrameTypes.DATA;
        return partial || preface > 0 ? Math.max(1, begun) : 0;
    }
}
