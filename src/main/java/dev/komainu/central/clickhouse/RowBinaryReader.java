package dev.komainu.central.clickhouse;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** The rows of a result in the format of {@link RowBinaryWriter}. Used by one thread. */
public final class RowBinaryReader {

    private static final int SEVEN_BITS = 0x7f;
    private static final int MORE = 0x80;
    /** Longest value: more than any record has. */
    private static final long MOST_BYTES = 256L << 20;

    private final InputStream in;
    private int ahead = -1;

    RowBinaryReader(InputStream in) {
        this.in = in;
    }

    /** Reports whether another row follows. */
    public boolean next() throws IOException {
        if (ahead < 0) {
            ahead = in.read();
        }
        return ahead >= 0;
    }

    private int read() throws IOException {
        int value = ahead >= 0 ? ahead : in.read();
        ahead = -1;
        if (value < 0) {
            throw new EOFException("ClickHouse: the result ends within a row");
        }
        return value;
    }

    /** Reads an {@code Int8}. */
    public int int8() throws IOException {
        return (byte) read();
    }

    /** Reads an {@code Int64} or {@code UInt64}. */
    public long int64() throws IOException {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            value |= (long) read() << shift;
        }
        return value;
    }

    /** Reads a {@code String}. */
    public String text() throws IOException {
        return new String(bytes(), StandardCharsets.UTF_8);
    }

    /** Reads the bytes of a {@code String}. */
    public byte[] bytes() throws IOException {
        long length = 0;
        int shift = 0;
        int part;
        do {
            part = read();
            length |= (long) (part & SEVEN_BITS) << shift;
            shift += 7;
        } while ((part & MORE) != 0 && shift < Long.SIZE);
        if (length < 0 || length > MOST_BYTES) {
            throw new IOException("ClickHouse: a value of " + length + " bytes (expected: at most "
                    + MOST_BYTES + ")");
        }
        byte[] value = in.readNBytes((int) length);
        if (value.length < length) {
            throw new EOFException("ClickHouse: the result ends within a row");
        }
        return value;
    }
}
