package dev.komainu.telemetry.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.CodedOutputStream;
import dev.komainu.telemetry.record.DirectionTotals;
import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.Failures;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.record.TimesGrid;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The failures of a window, on both wires, between agents and central services of different
 * versions.
 */
class FailuresOnTheWireTest {

    private static final Failures NONE = new Failures(0, 0, 0, 0, 0, 0);

    @Test
    void readWindow_writtenByAnOldAgent_failuresAreUnknown() throws Exception {
        // ServiceWindow is kind 2 of a record: the fields of 1.0 only, as its writer ordered them.
        ByteArrayOutputStream window = new ByteArrayOutputStream();
        CodedOutputStream fields = CodedOutputStream.newInstance(window);
        fields.writeString(1, "web-01:80");
        fields.writeInt64(2, 1_763_683_200_000_000L);
        fields.writeInt64(3, 1_000_000);
        fields.writeInt64(12, 7);
        fields.flush();

        ServiceWindow read =
                (ServiceWindow) RecordCodec.decode(record(window.toByteArray())).orElseThrow();

        assertThat(read.exchanges().errors()).isEqualTo(7);
        assertThat(read.failures()).isNull();
    }

    @Test
    void encode_noFailures_isNotAbsent() throws Exception {
        assertThat(read(window(NONE)).failures()).isEqualTo(NONE);
        assertThat(read(window(null)).failures()).isNull();
    }

    @Test
    void encode_failures_followAllOldFieldsUnderTheirOwnNumber() throws Exception {
        byte[] without = RecordCodec.encode(window(null));
        byte[] with = RecordCodec.encode(window(new Failures(1, 2, 3, 4, 5, 6)));

        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        CodedOutputStream out = CodedOutputStream.newInstance(expected);
        out.writeByteArray(28, new byte[] {8, 1, 16, 2, 24, 3, 32, 4, 40, 5, 48, 6});
        out.flush();
        int old = without.length - headerOf(without);
        assertThat(with).hasSize(headerOf(with) + old + expected.size());
        assertThat(tail(with, headerOf(with), old))
                .isEqualTo(tail(without, headerOf(without), old));
        assertThat(tail(with, headerOf(with) + old, expected.size()))
                .isEqualTo(expected.toByteArray());
    }

    @Test
    void readLine_writtenByAnOldAgent_failuresAreUnknown() throws Exception {
        String line =
                "{\"type\":\"serviceWindow\",\"service\":\"web\",\"fromMicros\":1,\"lengthMicros\":2,\"errors\":7}";

        assertThat(readLine(line).failures()).isNull();
        assertThat(readLine(line.replace("}", ",\"failedHandshakes\":3}")).failures())
                .isEqualTo(new Failures(0, 0, 0, 0, 0, 3));
    }

    @Test
    void sum_oneWindowWithoutFailures_isUnknown() {
        ServiceWindow one = window(new Failures(1, 2, 3, 4, 5, 6));

        assertThat(Failures.sum(List.of(one, one))).isEqualTo(new Failures(2, 4, 6, 8, 10, 12));
        assertThat(Failures.sum(List.of(one, window(null)))).isNull();
    }

    private static ServiceWindow read(ServiceWindow window) throws Exception {
        return (ServiceWindow) RecordCodec.decode(RecordCodec.encode(window)).orElseThrow();
    }

    private static ServiceWindow readLine(String line) throws MalformedBatchException {
        List<TelemetryRecord> read = RecordJson.readLines(line.getBytes(StandardCharsets.UTF_8));
        return (ServiceWindow) read.getFirst();
    }

    private static byte[] record(byte[] window) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        out.writeByteArray(2, window);
        out.flush();
        return bytes.toByteArray();
    }

    /** Returns the length of the kind's tag and of the length after it. */
    private static int headerOf(byte[] record) {
        return record[1] < 0 ? 3 : 2;
    }

    private static byte[] tail(byte[] bytes, int from, int length) {
        return Arrays.copyOfRange(bytes, from, from + length);
    }

    private static ServiceWindow window(@Nullable Failures failures) {
        Distribution empty = Distribution.empty();
        DirectionTotals none = DirectionTotals.NONE;
        return new ServiceWindow(
                "web",
                1,
                2,
                new ServiceWindow.Connections(3, 0, 0, 0, 0, 0, 9),
                new ServiceWindow.Exchanges(0, 0, 7),
                new ServiceWindow.Concurrency(0, 0, 0),
                new ServiceWindow.Packets(none, none, 0, 0, 0, 0),
                new ServiceWindow.Times(
                        empty, empty, empty, ServiceWindow.RoundTrips.NONE, TimesGrid.EMPTY),
                failures);
    }
}
