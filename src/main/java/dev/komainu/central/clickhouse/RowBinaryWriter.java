package dev.komainu.central.clickhouse;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;

/**
 * Rows in ClickHouse's format {@code RowBinary}: the values of each row one after the other, in
 * little-endian order; a text or bytes with their length before, seven bits a byte. Not
 * thread-safe.
 */
public final class RowBinaryWriter {

    private static final int SEVEN_BITS = 0x7f;
    private static final int MORE = 0x80;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream(1 << 12);

    /** Appends an {@code Int8}. */
    public RowBinaryWriter int8(int value) {
        out.write(value);
        return this;
    }

    /** Appends an {@code Int32}. */
    public RowBinaryWriter int32(int value) {
        for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
            out.write(value >> shift);
        }
        return this;
    }

    /** Appends an {@code Int64}. */
    public RowBinaryWriter int64(long value) {
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            out.write((int) (value >> shift));
        }
        return this;
    }

    /** Appends a {@code Date}: 1970 to 2105. */
    public RowBinaryWriter date(LocalDate day) {
        long days = day.toEpochDay();
        out.write((int) days);
        out.write((int) (days >> Byte.SIZE));
        return this;
    }

    /** Appends a {@code String}. */
    public RowBinaryWriter text(String value) {
        return bytes(value.getBytes(StandardCharsets.UTF_8));
    }

    /** Appends a {@code String} with any bytes. */
    public RowBinaryWriter bytes(byte[] value) {
        int length = value.length;
        while (length > SEVEN_BITS) {
            out.write((length & SEVEN_BITS) | MORE);
            length >>>= 7;
        }
        out.write(length);
        out.writeBytes(value);
        return this;
    }

    public byte[] toByteArray() {
        return out.toByteArray();
    }
}
