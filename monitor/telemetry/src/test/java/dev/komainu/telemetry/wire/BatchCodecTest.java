package dev.komainu.telemetry.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.CodedOutputStream;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class BatchCodecTest {

    private static final BatchId ID = new BatchId("web-01", 1_763_000_000_000_000L, 7);

    @Property(tries = 300)
    void decode_encodedBatch_isTheSameBatch(@ForAll long seed) throws MalformedBatchException {
        Batch batch = new AnyRecord(seed).batch(20);

        DecodedBatch decoded = BatchCodec.decode(BatchCodec.encode(batch));

        assertThat(decoded.batch()).isEqualTo(batch);
        assertThat(decoded.skippedFields()).isZero();
        assertThat(decoded.skippedRecords()).isZero();
    }

    /** A record that code made against its contract costs itself only. */
    @Property(tries = 50)
    void add_recordThatCannotBeWritten_isLeftOut_theOthersStay(@ForAll long seed)
            throws MalformedBatchException {
        AnyRecord any = new AnyRecord(seed);
        TelemetryRecord before = any.next();
        TelemetryRecord after = any.next();
        ServiceSighting broken = new ServiceSighting(
                "a:80", "a", "nginx", "nginx", null, List.of(), null, List.of(), 1);
        BatchWriter writer = new BatchWriter();

        writer.add(before);
        assertThatThrownBy(() -> writer.add(broken)).isInstanceOf(NullPointerException.class);
        writer.add(after);

        assertThat(BatchCodec.decode(writer.finish(ID)).batch().records())
                .containsExactly(before, after);
    }

    @Property(tries = 200)
    void decodeRecord_encodedRecord_isTheSameRecord(@ForAll long seed)
            throws MalformedBatchException {
        TelemetryRecord record = new AnyRecord(seed).next();

        assertThat(RecordCodec.decode(RecordCodec.encode(record))).contains(record);
    }

    @Property(tries = 2000)
    void decode_mutatedOrTruncated_returnsABatchOrMalformed(@ForAll long seed) {
        Random random = new Random(seed);
        byte[] bytes = BatchCodec.encodePlain(new AnyRecord(seed).batch(6));
        for (int n = random.nextInt(4); n > 0; n--) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        }
        byte[] cut =
                random.nextBoolean() ? Arrays.copyOf(bytes, random.nextInt(bytes.length)) : bytes;

        assertOnlyMalformed(() -> BatchCodec.decodePlain(cut));
        byte[] packed = Compression.compress(cut);
        packed[random.nextInt(packed.length)] ^= (byte) (1 << random.nextInt(8));
        assertOnlyMalformed(() -> BatchCodec.decode(packed));
    }

    @Property(tries = 1000)
    void decode_randomBytes_returnsABatchOrMalformed(@ForAll @Size(max = 200) byte[] bytes) {
        assertOnlyMalformed(() -> BatchCodec.decode(bytes));
        assertOnlyMalformed(() -> BatchCodec.decodePlain(bytes));
        assertOnlyMalformed(() -> RecordCodec.decode(bytes));
    }

    private interface Reading {
        Object read() throws MalformedBatchException;
    }

    private static void assertOnlyMalformed(Reading reading) {
        try {
            assertThat(reading.read()).isNotNull();
        } catch (MalformedBatchException expected) {
            assertThat(expected).hasMessageStartingWith("Malformed batch");
        }
    }

    @Test
    void decode_lengthBeyondTheEnd_namesByteLengthAndRest() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        out.writeString(1, "x".repeat(38));
        out.writeTag(BatchWriter.RECORD, 2);
        out.writeUInt32NoTag(9000);
        out.writeRawBytes(new byte[8192]);
        out.flush();

        assertThatThrownBy(() -> BatchCodec.decodePlain(bytes.toByteArray()))
                .isInstanceOf(MalformedBatchException.class)
                .hasMessage("Malformed batch at byte 41: record length 9000 exceeds the 8192 left");
    }

    @Test
    void decode_recordBeyondTheLimit_isMalformed() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        out.writeString(1, "x");
        out.writeByteArray(BatchWriter.RECORD, new byte[WireLimits.MAX_RECORD_BYTES + 1]);
        out.flush();

        assertThatThrownBy(() -> BatchCodec.decodePlain(bytes.toByteArray()))
                .hasMessage(
                        "Malformed batch at byte 4: record length 4194305 exceeds the limit of 4194304");
    }

    @Test
    void decode_bomb_stopsAtTheLimit() {
        byte[] bomb = Compression.compress(new byte[100 << 20]);

        assertThat(bomb.length).isLessThan(20_000);
        assertThatThrownBy(() -> BatchCodec.decode(bomb))
                .hasMessage("Malformed batch: its zstd frame announces 104857600 bytes"
                        + " (expected: at most 33554432)");
    }

    @Test
    void decode_tooManyRecords_isMalformed() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        out.writeString(1, "x");
        for (int i = 0; i <= WireLimits.MAX_RECORDS; i++) {
            out.writeByteArray(BatchWriter.RECORD, new byte[0]);
        }
        out.flush();

        assertThatThrownBy(() -> BatchCodec.decodePlain(bytes.toByteArray()))
                .hasMessageContaining("65536 records");
    }

    @Test
    void decode_knownFieldOfAnotherType_namesBoth() {
        assertThatThrownBy(() -> BatchCodec.decodePlain(new byte[] {0x08, 1}))
                .hasMessage("Malformed batch at byte 1: field 1 has wire type 0 (expected: 2)");
    }

    @Test
    void decode_newerWriter_skipsAndCountsTheUnknown() throws Exception {
        TelemetryRecord known = new AnyRecord(1).exchange();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        out.writeString(1, ID.source());
        out.writeInt64(2, ID.epoch());
        out.writeInt64(3, ID.sequence());
        out.writeFixed32(77, 4);
        out.writeByteArray(BatchWriter.RECORD, new byte[] {0x7a, 3, 1, 2, 3});
        byte[] withUnknownEnum = RecordCodec.encode(known);
        replaceOutcome(withUnknownEnum);
        out.writeByteArray(BatchWriter.RECORD, withUnknownEnum);
        out.writeByteArray(BatchWriter.RECORD, RecordCodec.encode(known));
        out.flush();

        DecodedBatch decoded = BatchCodec.decodePlain(bytes.toByteArray());

        assertThat(decoded.batch()).isEqualTo(new Batch(ID, List.of(known)));
        assertThat(decoded.skippedRecords()).isEqualTo(2);
        assertThat(decoded.skippedFields()).isEqualTo(2);
    }

    /** Field 7 as a varint is 0x38 followed by 1 to 8; set it to an unknown constant. */
    private static void replaceOutcome(byte[] record) {
        for (int i = 0; i + 1 < record.length; i++) {
            if (record[i] == 0x38 && record[i + 1] >= 1 && record[i + 1] <= 8) {
                record[i + 1] = 99;
                return;
            }
        }
        throw new AssertionError("no outcome in the record");
    }

    @Test
    void writer_reused_startsEmpty() throws MalformedBatchException {
        BatchWriter writer = new BatchWriter();
        TelemetryRecord one = new AnyRecord(2).window();
        TelemetryRecord two = new AnyRecord(3).status();
        writer.add(one);
        int size = writer.size();
        byte[] first = writer.finish(ID);
        assertThat(size).isPositive();
        assertThat(writer.size()).isZero();
        writer.add(two);
        byte[] second = writer.finish(ID);

        assertThat(BatchCodec.decode(first).batch().records()).containsExactly(one);
        assertThat(BatchCodec.decode(second).batch().records()).containsExactly(two);
    }
}
