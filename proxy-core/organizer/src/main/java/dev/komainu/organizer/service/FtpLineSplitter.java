package dev.komainu.organizer.service;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.function.Predicate;

/** The splitter of a control connection's bytes into lines. Each line includes its end. */
final class FtpLineSplitter {

    /** Limit of a line, in bytes. A path in Linux has at most 4,096. */
    static final int MAX_LINE = 8 << 10;

    /** Limit of the bytes that wait to be split. More than that is an attack or a fault. */
    static final int MAX_BUFFERED = 64 << 10;

    private ByteBuf buffered = Unpooled.EMPTY_BUFFER;

    /** Appends bytes and takes ownership of them. */
    void add(ByteBuf bytes) {
        if (!buffered.isReadable()) {
            buffered.release();
            buffered = bytes;
        } else {
            ByteBuf joined = Unpooled.buffer(buffered.readableBytes() + bytes.readableBytes());
            joined.writeBytes(buffered).writeBytes(bytes);
            buffered.release();
            bytes.release();
            buffered = joined;
        }
    }

    /**
     * Passes each complete line to a predicate, which takes ownership of it, until no line is left
     * or the predicate returns false.
     *
     * @return false: the stored bytes exceed a limit
     */
    boolean split(Predicate<ByteBuf> consumer) {
        boolean more = true;
        while (more) {
            int end = buffered.bytesBefore((byte) '\n');
            if (end < 0 || end >= MAX_LINE) {
                return end < 0 && buffered.readableBytes() < MAX_LINE;
            }
            more = consumer.test(buffered.readRetainedSlice(end + 1));
        }
        return buffered.readableBytes() <= MAX_BUFFERED;
    }

    /** Returns the text of a line without its end. */
    static String text(ByteBuf line) {
        int length = line.readableBytes();
        while (length > 0 && isEnd(line.getByte(line.readerIndex() + length - 1))) {
            length--;
        }
        return line.toString(line.readerIndex(), length, StandardCharsets.ISO_8859_1);
    }

    private static boolean isEnd(byte value) {
        return value == '\r' || value == '\n';
    }

    void release() {
        buffered.release();
        buffered = Unpooled.EMPTY_BUFFER;
    }
}
