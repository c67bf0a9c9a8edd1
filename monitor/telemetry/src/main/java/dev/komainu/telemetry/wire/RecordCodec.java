package dev.komainu.telemetry.wire;

import dev.komainu.telemetry.record.TelemetryRecord;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;

/**
 * One record as one protobuf message: a {@code oneof} of the eleven kinds. The store keeps records
 * in this form, so it obeys the same rule as the wire: numbers are never reused, an older reader
 * skips what it does not know.
 */
public final class RecordCodec {

    private RecordCodec() {}

    /** The record as a {@code Record} message, not compressed. */
    public static byte[] encode(TelemetryRecord record) {
        FieldWriter out = new FieldWriter();
        try {
            KindFields.write(record, out);
        } catch (IOException e) {
            throw new UncheckedIOException("a buffer in memory does not fail", e);
        }
        return out.take();
    }

    /**
     * Reads {@link #encode} back.
     *
     * @return empty when the record is of a kind, or holds an enum constant, that this version does
     *     not know
     * @throws MalformedBatchException when the bytes are no such message
     */
    public static Optional<TelemetryRecord> decode(byte[] bytes) throws MalformedBatchException {
        FieldReader in = new FieldReader(bytes);
        try {
            return read(in);
        } catch (EnumNumbers.UnknownConstant e) {
            return Optional.empty();
        } catch (IllegalArgumentException e) {
            throw in.malformed(e.getMessage());
        }
    }

    static Optional<TelemetryRecord> read(FieldReader in) throws MalformedBatchException {
        TelemetryRecord record = null;
        while (in.next()) {
            TelemetryRecord known = KindFields.read(in);
            if (known == null) {
                in.skip();
            } else {
                record = known;
            }
        }
        return Optional.ofNullable(record);
    }
}
