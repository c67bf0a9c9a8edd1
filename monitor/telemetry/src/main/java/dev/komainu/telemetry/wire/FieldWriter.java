package dev.komainu.telemetry.wire;

import com.google.protobuf.CodedOutputStream;
import dev.komainu.telemetry.record.ConnectionParts;
import dev.komainu.telemetry.record.Distribution;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A writer of one protobuf message, field by field, by proto3's rules: a zero or empty value is
 * left out, except for {@code optional} fields (the {@code …OrAbsent} methods), where only
 * {@code null} is left out.
 *
 * <p>A nested message is written by a child with reused buffers, then copied after its length: one
 * pass over the record without size computation, at the cost of one copy of mostly short messages.
 * Belongs to one thread.
 */
final class FieldWriter {

    /** A writer of one kind of message into its fields. */
    @FunctionalInterface
    interface Layout<T> {
        void write(T value, FieldWriter out) throws IOException;
    }

    /** A stream that exposes its array, so that a nested message is copied once and not twice. */
    private static final class Bytes extends ByteArrayOutputStream {
        byte[] array() {
            return buf;
        }
    }

    private final Bytes bytes = new Bytes();
    private final CodedOutputStream out = CodedOutputStream.newInstance(bytes, 1024);
    private @Nullable FieldWriter child;

    /** Returns the bytes written since the last {@link #take}. */
    int size() {
        return out.getTotalBytesWritten() - taken;
    }

    private int taken;

    /** Returns the message and resets the writer. */
    byte[] take() {
        flush();
        byte[] message = bytes.toByteArray();
        clear();
        return message;
    }

    private void flush() {
        try {
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException("a buffer in memory does not fail", e);
        }
    }

    private void clear() {
        bytes.reset();
        taken = out.getTotalBytesWritten();
    }

    void int64(int field, long value) throws IOException {
        if (value != 0) {
            out.writeInt64(field, value);
        }
    }

    void int64OrAbsent(int field, @Nullable Long value) throws IOException {
        if (value != null) {
            out.writeInt64(field, value);
        }
    }

    void int32(int field, int value) throws IOException {
        if (value != 0) {
            out.writeInt32(field, value);
        }
    }

    void int32OrAbsent(int field, @Nullable Integer value) throws IOException {
        if (value != null) {
            out.writeInt32(field, value);
        }
    }

    void number(int field, double value) throws IOException {
        if (Double.doubleToRawLongBits(value) != 0) {
            out.writeDouble(field, value);
        }
    }

    void numberOrAbsent(int field, @Nullable Double value) throws IOException {
        if (value != null) {
            out.writeDouble(field, value);
        }
    }

    void text(int field, String value) throws IOException {
        if (!value.isEmpty()) {
            out.writeString(field, value);
        }
    }

    void textOrAbsent(int field, @Nullable String value) throws IOException {
        if (value != null) {
            out.writeString(field, value);
        }
    }

    void texts(int field, List<String> values) throws IOException {
        for (String value : values) {
            out.writeString(field, value);
        }
    }

    void distribution(int field, Distribution value) throws IOException {
        byte[] encoded = value.encoded();
        if (encoded.length > 0) {
            out.writeByteArray(field, encoded);
        }
    }

    void parts(int field, ConnectionParts value) throws IOException {
        byte[] encoded = value.encoded();
        if (encoded.length > 0) {
            out.writeByteArray(field, encoded);
        }
    }

    /** Empty bytes are written, too. */
    void bytes(int field, byte[] value) throws IOException {
        out.writeByteArray(field, value);
    }

    <T> void message(int field, T value, Layout<T> layout) throws IOException {
        FieldWriter nested = child;
        if (nested == null) {
            nested = new FieldWriter();
            child = nested;
        }
        try {
            layout.write(value, nested);
            nested.flush();
            out.writeByteArray(field, nested.bytes.array(), 0, nested.bytes.size());
        } finally {
            // Half of a message that could not be written must not begin the next one.
            nested.flush();
            nested.clear();
        }
    }

    <T> void messageOrAbsent(int field, @Nullable T value, Layout<T> layout) throws IOException {
        if (value != null) {
            message(field, value, layout);
        }
    }

    <T> void messages(int field, List<T> values, Layout<T> layout) throws IOException {
        for (T value : values) {
            message(field, value, layout);
        }
    }
}
