package dev.komainu.proxy.tls;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A delay of a client's close_notify before the native engine while a response to the client is
 * due: that engine ends its own output with its peer's, although the two are independent (RFC 8446
 * section 6.1).
 *
 * <p>The content of an encrypted record is not visible here, but its length is. The delay applies
 * to a record that may be a close_notify and behind which no byte has arrived:
 *
 * <pre>
 *   type 1 | version 2 | length 2 | encrypted
 *   TLS 1.2:  21 (alert), at most {@value #LONGEST_ALERT}
 *   TLS 1.3:  23, {@value #SEALED_ALERT} = alert 2, its type 1, tag 16, or {@value #PADDED_ALERT} as Java's clients pad it
 * </pre>
 *
 * Two bytes of data look the same. They are delayed no longer than the current response takes, and
 * would have to wait for it anyway, because they can only belong to a next request. A close_notify
 * with another padding is not recognised, and ends the output at once.
 *
 * <p>In front of the {@code SslHandler}, on the event loop. It costs one read of each record's
 * header.
 */
public final class CloseNotifyDelay extends ChannelDuplexHandler {

    private static final int ALERT = 21;
    private static final int DATA = 23;
    static final int SEALED_ALERT = 19;
    static final int PADDED_ALERT = 35;
    static final int LONGEST_ALERT = 64;

    private BooleanSupplier isDue = () -> false;
    private int headerBytes;
    private int type;
    private int length;
    /** The bytes of the current record that have not arrived. */
    private int left;
    /** Whether the current record, or the one just complete, may be a close_notify. */
    private boolean suspect;
    /** The received bytes of that record behind its header. */
    private @Nullable ByteBuf delayed;

    /**
     * Sets the condition for the delay.
     *
     * @param isDue reports whether a response to the client is due and no more of its request is
     *     needed
     */
    public void delayWhile(BooleanSupplier isDue) {
        this.isDue = isDue;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        if (!in.isReadable()) {
            in.release();
            return;
        }
        int delayFrom = scan(in);
        if (delayFrom < 0) {
            pass(ctx);
            ctx.fireChannelRead(in);
            return;
        }
        ByteBuf tail = ctx.alloc().buffer(LONGEST_ALERT);
        ByteBuf before = delayed;
        if (before != null) {
            tail.writeBytes(before);
            before.release();
        }
        tail.writeBytes(in, delayFrom, in.writerIndex() - delayFrom);
        delayed = tail;
        in.writerIndex(delayFrom);
        if (in.isReadable()) {
            ctx.fireChannelRead(in);
        } else {
            in.release();
        }
        passIfAllowed(ctx);
    }

    /**
     * Scans received bytes for records.
     *
     * @return the index of the first byte to delay; -1 when there is none
     */
    private int scan(ByteBuf in) {
        int index = in.readerIndex();
        int end = in.writerIndex();
        int delayFrom = suspect && left > 0 ? index : -1;
        while (index < end) {
            if (left > 0) {
                int part = Math.min(left, end - index);
                index += part;
                left -= part;
                continue;
            }
            // Bytes follow: it was not the last message.
            suspect = false;
            delayFrom = -1;
            header(in.getByte(index++) & 0xff);
            if (suspect) {
                delayFrom = index;
            }
        }
        return delayFrom;
    }

    private void header(int octet) {
        switch (headerBytes++) {
            case 0 -> type = octet;
            case 3 -> length = octet << 8;
            case 4 -> {
                length |= octet;
                left = length;
                headerBytes = 0;
                suspect = (type == ALERT && length > 0 && length <= LONGEST_ALERT)
                        || (type == DATA && (length == SEALED_ALERT || length == PADDED_ALERT));
            }
            default -> {
                // the version
            }
        }
    }

    /** Passes on a complete record when no response is due. */
    private void passIfAllowed(ChannelHandlerContext ctx) {
        if (delayed != null && left == 0 && !ctx.isRemoved() && !isDue.getAsBoolean()) {
            pass(ctx);
            ctx.fireChannelReadComplete();
        }
    }

    private void pass(ChannelHandlerContext ctx) {
        ByteBuf passed = delayed;
        if (passed != null) {
            delayed = null;
            ctx.fireChannelRead(passed);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        ctx.fireChannelReadComplete();
        passIfAllowed(ctx);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        ctx.fireChannelWritabilityChanged();
        passIfAllowed(ctx);
    }

    /**
     * Checks the delay after a flush, because the response may be complete when the connection has
     * processed it.
     */
    @Override
    public void flush(ChannelHandlerContext ctx) {
        ctx.flush();
        if (delayed != null) {
            ctx.executor().execute(() -> passIfAllowed(ctx));
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        if (delayed != null) {
            delayed.release();
            delayed = null;
        }
    }
}
