package dev.komainu.proxy.tls;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a client's close_notify from the native engine while the client is owed an answer: that
 * engine ends its own output with its peer's, though the two are independent (RFC 8446 section
 * 6.1).
 *
 * <p>What an encrypted record holds is not seen from outside, but how long it is. Held back is a
 * record that may be a close_notify and behind which nothing has come:
 *
 * <pre>
 *   type 1 | version 2 | length 2 | sealed
 *   TLS 1.2:  21 (alert), at most {@value #LONGEST_ALERT}
 *   TLS 1.3:  23, {@value #SEALED_ALERT} = alert 2, its type 1, tag 16, or {@value #PADDED_ALERT} as Java's clients pad it
 * </pre>
 *
 * Two bytes of data look the same. They are held no longer than the answer under way takes, and
 * would have to wait for it anyway, since they can only belong to a next request. A close_notify
 * padded otherwise is not known, and ends the output at once.
 *
 * <p>In front of the {@code SslHandler}, on the event loop. Costs a look at each record's header.
 */
public final class CloseNotifyDelay extends ChannelDuplexHandler {

    private static final int ALERT = 21;
    private static final int DATA = 23;
    static final int SEALED_ALERT = 19;
    static final int PADDED_ALERT = 35;
    static final int LONGEST_ALERT = 64;

    private BooleanSupplier owed = () -> false;
    private int headerBytes;
    private int type;
    private int length;
    /** Of the present record, still to come. */
    private int left;
    /** The present record, or the one just complete, may be a close_notify. */
    private boolean suspect;
    /** What came of it behind its header. */
    private @Nullable ByteBuf held;

    /**
     * @param owed whether the client is owed an answer and will not be asked for more of its
     *     request
     */
    public void watch(BooleanSupplier owed) {
        this.owed = owed;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        if (!in.isReadable()) {
            in.release();
            return;
        }
        int hold = scan(in);
        if (hold < 0) {
            pass(ctx);
            ctx.fireChannelRead(in);
            return;
        }
        ByteBuf tail = ctx.alloc().buffer(LONGEST_ALERT);
        ByteBuf before = held;
        if (before != null) {
            tail.writeBytes(before);
            before.release();
        }
        tail.writeBytes(in, hold, in.writerIndex() - hold);
        held = tail;
        in.writerIndex(hold);
        if (in.isReadable()) {
            ctx.fireChannelRead(in);
        } else {
            in.release();
        }
        settle(ctx);
    }

    /** @return where what is to be held begins; -1: nowhere */
    private int scan(ByteBuf in) {
        int at = in.readerIndex();
        int end = in.writerIndex();
        int hold = suspect && left > 0 ? at : -1;
        while (at < end) {
            if (left > 0) {
                int part = Math.min(left, end - at);
                at += part;
                left -= part;
                continue;
            }
            // Something comes behind it: it was no last word.
            suspect = false;
            hold = -1;
            header(in.getByte(at++) & 0xff);
            if (suspect) {
                hold = at;
            }
        }
        return hold;
    }

    private void header(int octet) {
        switch (headerBytes++) {
            case 0 -> type = octet;
            case 3 -> length = octet << 8;
            case 4 -> {
                length |= octet;
                left = length;
                headerBytes = 0;
                suspect = type == ALERT && length > 0 && length <= LONGEST_ALERT
                        || type == DATA && (length == SEALED_ALERT || length == PADDED_ALERT);
            }
            default -> {
                // the version
            }
        }
    }

    /** Lets go what is complete once nobody is owed anything. */
    private void settle(ChannelHandlerContext ctx) {
        if (held != null && left == 0 && !ctx.isRemoved() && !owed.getAsBoolean()) {
            pass(ctx);
            ctx.fireChannelReadComplete();
        }
    }

    private void pass(ChannelHandlerContext ctx) {
        ByteBuf what = held;
        if (what != null) {
            held = null;
            ctx.fireChannelRead(what);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        ctx.fireChannelReadComplete();
        settle(ctx);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        ctx.fireChannelWritabilityChanged();
        settle(ctx);
    }

    /**
     * With the last bytes of an answer the time may have come, when the connection is done with
     * them.
     */
    @Override
    public void flush(ChannelHandlerContext ctx) {
        ctx.flush();
        if (held != null) {
            ctx.executor().execute(() -> settle(ctx));
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        if (held != null) {
            held.release();
            held = null;
        }
    }
}
