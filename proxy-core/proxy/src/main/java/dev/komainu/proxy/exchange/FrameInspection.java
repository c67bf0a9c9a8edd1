package dev.komainu.proxy.exchange;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2FrameTypes;

/**
 * An inspection of the bytes of an HTTP/2 connection before they are decoded. It counts frames that
 * cause work without a use (see {@link ControlFrameBudget}). It also reports whether a frame or a
 * head is incomplete, which the decoder does not report.
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
    private static final int PADDED = 8;

    private final ControlFrameBudget budget;
    private int preface = PREFACE;
    private int headerBytes;
    private int length;
    private int type;
    private int flags;
    private int payloadLeft;
    /** The next byte is the length of a DATA frame's padding. */
    private boolean isPadLength;

    private boolean inHead;
    private long frames;
    private long headFrame;

    FrameInspection(ControlFrameBudget budget) {
        this.budget = budget;
    }

    /**
     * Inspects received bytes.
     *
     * @return false when too many frames have no use; the buffer's reader index stays
     */
    boolean read(ByteBuf in, long nowNanos) {
        int p = in.readerIndex();
        int end = in.writerIndex();
        int skip = Math.min(preface, end - p);
        preface -= skip;
        p += skip;
        while (p < end) {
            if (isPadLength) {
                isPadLength = false;
                payloadLeft--;
                if (!padded(in.getByte(p++) & 255, nowNanos)) {
                    return false;
                }
            } else if (payloadLeft > 0) {
                int count = Math.min(payloadLeft, end - p);
                payloadLeft -= count;
                p += count;
            } else {
                header(in.getByte(p++) & 255);
                if (headerBytes == 0 && !headerComplete(nowNanos)) {
                    return false;
                }
            }
        }
        return true;
    }

    private void header(int b) {
        if (headerBytes == 0) {
            frames++;
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

    /** Processes a complete frame header. */
    private boolean headerComplete(long nowNanos) {
        payloadLeft = length;
        boolean endsHead = (flags & END_HEADERS) != 0;
        if (type == Http2FrameTypes.HEADERS) {
            headFrame = frames;
            inHead = !endsHead;
            budget.request();
            return true;
        }
        if (type == Http2FrameTypes.CONTINUATION) {
            inHead &= !endsHead;
        }
        return switch (type) {
            case Http2FrameTypes.DATA -> data(nowNanos);
            case Http2FrameTypes.PING, Http2FrameTypes.SETTINGS ->
                (flags & ACK) != 0 || budget.noise(nowNanos);
            case Http2FrameTypes.RST_STREAM -> budget.reset(nowNanos);
            default -> budget.noise(nowNanos);
        };
    }

    private boolean data(long nowNanos) {
        if ((flags & END_STREAM) != 0) {
            return true;
        }
        isPadLength = length > 0 && (flags & PADDED) != 0;
        return length > 0 || budget.noise(nowNanos);
    }

    /** Processes the length of the padding: DATA without any other byte has no use. */
    private boolean padded(int padding, long nowNanos) {
        return length - 1 - padding > 0 || budget.noise(nowNanos);
    }

    /**
     * Returns the number of the first frame of the incomplete frame or head; 0 when there is none.
     * Bodies do not count: each stream has its own pace check.
     */
    long open() {
        if (inHead || (payloadLeft > 0 && type == Http2FrameTypes.HEADERS)) {
            return headFrame;
        }
        boolean partial = headerBytes > 0 || (payloadLeft > 0 && type != Http2FrameTypes.DATA);
        return partial || preface > 0 ? Math.max(1, frames) : 0;
    }
}
