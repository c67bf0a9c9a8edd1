package dev.komainu.organizer.service;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.function.Predicate;

/** Cuts a control connection's bytes into lines, each with its end. */
final class FtpLineSplitter {

    /** A path is 4,096 at most in Linux. */
    static final int LONGEST = 8 << 10;

    /** What waits to be cut; more says that somebody talks to himself. */
    static final int MOST_HELD = 64 << 10;

    private ByteBuf held = Unpooled.EMPTY_BUFFER;

    /** @param bytes taken over */
    void add(ByteBuf bytes) {
        if (!held.isReadable()) {
            held.release();
            held = bytes;
        } else {
            ByteBuf joined = Unpooled.buffer(held.readableBytes() + bytes.readableBytes());
            joined.writeBytes(held).writeBytes(bytes);
            held.release();
            bytes.release();
            held = joined;
        }
    }

    /**
     * Hands out lines, the owner's to release, until there are no more or it says false.
     *
     * @return false: what is held is longer than a line may be
     */
    boolean cut(Predicate<ByteBuf> each) {
        boolean goesOn = true;
        while (goesOn) {
            int end = held.bytesBefore((byte) '\n');
            if (end < 0 || end >= LONGEST) {
                return end < 0 && held.readableBytes() < LONGEST;
            }
            goesOn = each.test(held.readRetainedSlice(end + 1));
        }
        return held.readableBytes() <= MOST_HELD;
    }

    /** Without its end. */
    static String text(ByteBuf line) {
        int length = line.readableBytes();
        while (length > 0 && isEnd(line.getByte(line.readerIndex() + length - 1))) {
            length--;
        }
        return line.toString(line.readerIndex(), length, StandardCharsets.ISO_8859_1);
    }

    private static boolean isEnd(byte one) {
        return one == '\r' || one == '\n';
    }

    void release() {
        held.release();
        held = Unpooled.EMPTY_BUFFER;
    }
}
