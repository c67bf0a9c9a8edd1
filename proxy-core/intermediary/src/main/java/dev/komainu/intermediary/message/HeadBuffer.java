package dev.komainu.intermediary.message;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/**
 * A buffer for writing a head: bytes on the heap that grow, because about thirty short pieces cost
 * less there than one by one in direct memory. Text is written as ISO 8859-1 (RFC 9110 section
 * 5.5). For one thread; nothing is flushed or released.
 */
public final class HeadBuffer {

    private byte[] bytes;
    private int length;

    /**
     * Creates an empty buffer.
     *
     * @param capacity expected bytes; the buffer grows beyond them
     */
    public HeadBuffer(int capacity) {
        bytes = new byte[Math.max(64, capacity)];
    }

    public HeadBuffer add(byte[] piece) {
        return add(piece, 0, piece.length);
    }

    public HeadBuffer add(byte[] source, int from, int count) {
        ensure(count);
        System.arraycopy(source, from, bytes, length, count);
        length += count;
        return this;
    }

    /** Appends characters up to U+00FF. */
    // This copy creates no array; the upper bytes it drops are 0 in ISO 8859-1.
    @SuppressWarnings("deprecation")
    public HeadBuffer add(String text) {
        int count = text.length();
        ensure(count);
        text.getBytes(0, count, bytes, length);
        length += count;
        return this;
    }

    public HeadBuffer add(char c) {
        ensure(1);
        bytes[length++] = (byte) c;
        return this;
    }

    /** Appends a non-negative number in decimal. */
    public HeadBuffer decimal(long number) {
        ensure(20);
        int digits = 1;
        for (long rest = number / 10; rest > 0; rest /= 10) {
            digits++;
        }
        long rest = number;
        for (int index = length + digits - 1; index >= length; index--) {
            bytes[index] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        length += digits;
        return this;
    }

    /** Appends a field line from the bytes it was read from: name, colon, space, value, CRLF. */
    public HeadBuffer field(Fields fields, int index) {
        int name = fields.nameLength(index);
        int value = fields.valueLength(index);
        ensure(name + value + 4);
        byte[] source = fields.bytes();
        System.arraycopy(source, fields.nameFrom(index), bytes, length, name);
        length += name;
        bytes[length++] = ':';
        bytes[length++] = ' ';
        System.arraycopy(source, fields.valueFrom(index), bytes, length, value);
        length += value;
        return end();
    }

    /** Appends CRLF. */
    public HeadBuffer end() {
        ensure(2);
        bytes[length++] = '\r';
        bytes[length++] = '\n';
        return this;
    }

    private void ensure(int more) {
        if (bytes.length - length < more) {
            bytes = Arrays.copyOf(bytes, Math.max(length + more, bytes.length * 2));
        }
    }

    public int length() {
        return length;
    }

    public void writeTo(ByteBuf out) {
        out.writeBytes(bytes, 0, length);
    }

    /** Returns a copy of the bytes. */
    public byte[] toArray() {
        return Arrays.copyOf(bytes, length);
    }
}
