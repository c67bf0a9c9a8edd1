package dev.komainu.telemetry.wire;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import dev.komainu.telemetry.record.ConnectionParts;
import dev.komainu.telemetry.record.Distribution;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A reader of one protobuf message, field by field, from untrusted bytes.
 *
 * <p>Use: {@code while (in.next()) switch (in.field()) { case 1 -> a = in.int64(); default ->
 * in.skip(); }}. Lengths are compared with the remaining bytes before they are used. A known field
 * of another wire type, a list that is too long and an argument that a record refuses are
 * malformed; an unknown field is skipped and counted. Belongs to one thread.
 */
final class FieldReader {

    /** A parser of one kind of message from its fields. */
    @FunctionalInterface
    interface Shape<T> {
        T read(FieldReader in) throws MalformedBatchException;
    }

    /** Bytes of a stream that are in memory at a time. */
    private static final int PIECE = 64 << 10;

    private final CodedInputStream in;
    private final LongConsumer memory;
    private long owed;
    private int tag;
    private int end;
    private int elements;
    private int skippedFields;

    FieldReader(byte[] bytes) {
        in = CodedInputStream.newInstance(bytes);
        end = bytes.length;
        memory = needed -> {};
    }

    /**
     * Creates a reader of a stream, of which it holds one piece at a time.
     *
     * @param memory called with the heap bytes that records will need, before they are read
     */
    FieldReader(InputStream bytes, LongConsumer memory) {
        in = CodedInputStream.newInstance(bytes, PIECE);
        end = WireLimits.MAX_BATCH_BYTES;
        this.memory = memory;
        owe(2L * PIECE);
    }

    /** Adds heap bytes that will be needed; they are taken in steps of one piece. */
    private void owe(long bytes) {
        owed += bytes;
        if (owed >= PIECE) {
            memory.accept(owed);
            owed = 0;
        }
    }

    /** Moves to the next field; false at the end of the message. */
    boolean next() throws MalformedBatchException {
        try {
            tag = in.readTag();
            return tag != 0;
        } catch (IOException e) {
            throw malformed(e.getMessage());
        }
    }

    int field() {
        return WireFormat.getTagFieldNumber(tag);
    }

    int position() {
        return in.getTotalBytesRead();
    }

    int left() {
        return end - position();
    }

    int skippedFields() {
        return skippedFields;
    }

    MalformedBatchException malformed(@Nullable String what) {
        return MalformedBatchException.atByte(position(), what == null ? "unreadable" : what);
    }

    /** Skips a field of a newer writer. */
    void skip() throws MalformedBatchException {
        try {
            switch (WireFormat.getTagWireType(tag)) {
                case WireFormat.WIRETYPE_VARINT,
                        WireFormat.WIRETYPE_FIXED64,
                        WireFormat.WIRETYPE_FIXED32 -> in.skipField(tag);
                case WireFormat.WIRETYPE_LENGTH_DELIMITED -> in.skipRawBytes(length(null, end));
                // Groups nest without a length and so could nest without end; proto3 has none.
                default -> throw malformed("field " + field() + " is a group (expected: none)");
            }
            if (++skippedFields > WireLimits.MAX_SKIPPED_FIELDS) {
                throw malformed("more than " + WireLimits.MAX_SKIPPED_FIELDS + " unknown fields");
            }
        } catch (IOException e) {
            throw malformed(e.getMessage());
        }
    }

    /** The error for a field that a message of {@code last} fields does not have. */
    MalformedBatchException unknown(int last) {
        return malformed("field " + field() + " is unknown (expected: 1 to " + last + ")");
    }

    long int64() throws MalformedBatchException {
        expect(WireFormat.WIRETYPE_VARINT);
        try {
            return in.readInt64();
        } catch (IOException e) {
            throw malformed(e.getMessage());
        }
    }

    int int32() throws MalformedBatchException {
        long value = int64();
        if (value != (int) value) {
            throw malformed("field " + field() + ": " + value + " (expected: 32 bits)");
        }
        return (int) value;
    }

    double number() throws MalformedBatchException {
        expect(WireFormat.WIRETYPE_FIXED64);
        try {
            return in.readDouble();
        } catch (IOException e) {
            throw malformed(e.getMessage());
        }
    }

    String text() throws MalformedBatchException {
        expect(WireFormat.WIRETYPE_LENGTH_DELIMITED);
        try {
            return in.readStringRequireUtf8();
        } catch (IOException e) {
            throw malformed(e.getMessage());
        }
    }

    /** Reads a text of at most {@code most} bytes. */
    String text(String name, int most) throws MalformedBatchException {
        expect(WireFormat.WIRETYPE_LENGTH_DELIMITED);
        int length = length(name, most);
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(in.readRawBytes(length)))
                    .toString();
        } catch (IOException e) {
            throw malformed(e.getMessage());
        }
    }

    void texts(List<String> into) throws MalformedBatchException {
        admit(into);
        into.add(text());
    }

    Distribution distribution() throws MalformedBatchException {
        byte[] bytes = bytes();
        try {
            return Distribution.ofEncoded(bytes);
        } catch (IllegalArgumentException e) {
            throw malformed(e.getMessage());
        }
    }

    ConnectionParts parts() throws MalformedBatchException {
        byte[] bytes = bytes();
        try {
            return ConnectionParts.ofEncoded(bytes);
        } catch (IllegalArgumentException e) {
            throw malformed(e.getMessage());
        }
    }

    byte[] bytes() throws MalformedBatchException {
        expect(WireFormat.WIRETYPE_LENGTH_DELIMITED);
        try {
            return in.readByteArray();
        } catch (IOException e) {
            throw malformed(e.getMessage());
        }
    }

    /** Reads a record of a batch. */
    <T> T record(Shape<T> shape) throws MalformedBatchException {
        owe(WireLimits.RECORD_HEAP_BYTES);
        return message("record", WireLimits.MAX_RECORD_BYTES, inner -> {
            owe((long) WireLimits.HEAP_BYTES_PER_BYTE * left());
            return shape.read(inner);
        });
    }

    <T> T message(String name, Shape<T> shape) throws MalformedBatchException {
        return message(name, end, shape);
    }

    /**
     * Reads a nested message of at most {@code most} bytes; afterwards this reader is positioned
     * after it.
     */
    <T> T message(String name, int most, Shape<T> shape) throws MalformedBatchException {
        expect(WireFormat.WIRETYPE_LENGTH_DELIMITED);
        int length = length(name, most);
        int outerTag = tag;
        int outerEnd = end;
        try {
            int outerLimit = in.pushLimit(length);
            end = position() + length;
            try {
                T value = shape.read(this);
                if (left() != 0) {
                    throw malformed(name + " ends " + left() + " bytes early");
                }
                return value;
            } catch (EnumNumbers.UnknownConstant e) {
                // Move behind this message, so that the caller can skip the record and continue.
                in.skipRawBytes(left());
                throw e;
            } finally {
                in.popLimit(outerLimit);
                end = outerEnd;
                tag = outerTag;
            }
        } catch (IOException e) {
            throw malformed(e.getMessage());
        } catch (IllegalArgumentException e) {
            // A record's own check refused a value; its message names the value.
            throw malformed(name + ": " + e.getMessage());
        }
    }

    <T> void messages(String name, List<T> into, Shape<T> shape) throws MalformedBatchException {
        admit(into);
        into.add(message(name, shape));
    }

    /**
     * Checks that a list may grow. Entries need more memory than bytes on the wire (an empty entry
     * is two bytes), so they are counted too.
     */
    private void admit(List<?> list) throws MalformedBatchException {
        if (list.size() >= WireLimits.MAX_LIST) {
            throw malformed(
                    "field " + field() + " has more than " + WireLimits.MAX_LIST + " entries");
        }
        if (++elements > WireLimits.MAX_ELEMENTS) {
            throw malformed("more than " + WireLimits.MAX_ELEMENTS + " list entries in the batch");
        }
        owe(WireLimits.ELEMENT_HEAP_BYTES);
    }

    static <T> List<T> list() {
        return new ArrayList<>(4);
    }

    <T> T require(@Nullable T value, String name) throws MalformedBatchException {
        if (value == null) {
            throw malformed(name + " is missing");
        }
        return value;
    }

    /**
     * Reads a length.
     *
     * @param name of what has the length, for messages; null: the field's number
     */
    private int length(@Nullable String name, int most) throws MalformedBatchException {
        int before = position();
        try {
            long length = in.readRawVarint64();
            int left = left();
            if (length < 0 || length > left) {
                throw MalformedBatchException.atByte(
                        before,
                        named(name) + " length " + Long.toUnsignedString(length) + " exceeds the "
                                + left + " left");
            }
            if (length > most) {
                throw MalformedBatchException.atByte(
                        before,
                        named(name) + " length " + length + " exceeds the limit of " + most);
            }
            return (int) length;
        } catch (IOException e) {
            throw malformed(e.getMessage());
        }
    }

    private String named(@Nullable String name) {
        return name == null ? "field " + field() : name;
    }

    private void expect(int wireType) throws MalformedBatchException {
        int actual = WireFormat.getTagWireType(tag);
        if (actual != wireType) {
            throw malformed("field " + field() + " has wire type " + actual + " (expected: "
                    + wireType + ")");
        }
    }
}
