package dev.komainu.telemetry.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.ConnectionState;
import dev.komainu.telemetry.record.DirectionTotals;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.Handshake;
import dev.komainu.telemetry.record.HttpExchange;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.record.TlsFacts;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class RecordJsonTest {

    @Property(tries = 500)
    void read_writtenRecord_isTheSameRecord(@ForAll long seed) throws MalformedBatchException {
        TelemetryRecord record = new AnyRecord(seed).next();

        String line = RecordJson.write(record);

        assertThat(line).doesNotContain("\n");
        assertThat(RecordJson.read(line, 1)).isEqualTo(record);
    }

    @Property(tries = 2000)
    void read_mutated_returnsARecordOrMalformed(@ForAll long seed) {
        Random random = new Random(seed);
        StringBuilder line = new StringBuilder(RecordJson.write(new AnyRecord(seed).next()));
        String alphabet = "{}[]\":,0123456789.eE-+tfn\\ \u0000xé";
        for (int n = 1 + random.nextInt(3); n > 0; n--) {
            line.setCharAt(
                    random.nextInt(line.length()),
                    alphabet.charAt(random.nextInt(alphabet.length())));
        }
        if (random.nextBoolean()) {
            line.setLength(random.nextInt(line.length()));
        }
        try {
            assertThat(RecordJson.readLines(line.toString().getBytes(StandardCharsets.UTF_8)))
                    .isNotNull();
        } catch (MalformedBatchException expected) {
            assertThat(expected)
                    .hasMessageMatching("(?s)Malformed record at line \\d+, column \\d+: .*");
        }
    }

    @Test
    void read_cellBeyondTheGrid_isMalformedWithItsPlace() {
        String line =
                "{\"type\":\"serviceWindow\",\"service\":\"a:80\",\"fromMicros\":1,\"lengthMicros\":1,"
                        + "\"responseByTransfer\":[{\"responseStep\":76,\"transferStep\":77,\"count\":1}]}";

        assertThatThrownBy(() -> RecordJson.read(line, 3))
                .isInstanceOf(MalformedBatchException.class)
                .hasMessageContaining("line 3")
                .hasMessageContaining("transferStep: 77 (expected: 0 to 76)");
    }

    @Test
    void write_connection_hasTheContractsNamesAndLeavesOutTheAbsent() {
        ConnectionRecord record = new ConnectionRecord(
                null,
                Endpoint.parse("192.0.2.1:40000"),
                Endpoint.parse("[2001:db8::1]:80"),
                new ConnectionRecord.Times(1, 9, 8, null),
                ConnectionState.RST_CLIENT,
                new Handshake(1L, 2L, 3L, 1, null, 1L),
                new DirectionTotals(1, 2, 3, 4, 5, 6, 7),
                new DirectionTotals(11, 12, 13, 14, 15, 16, 17),
                List.of(new HttpExchange("GET", "/", 200, 3, 4L, 5L, 1L, 1L)),
                0,
                new TlsFacts("1.3", null, null, 6L));

        assertThat(RecordJson.write(record))
                .isEqualTo(
                        "{\"type\":\"connection\",\"client\":\"192.0.2.1:40000\",\"server\":\"[2001:db8::1]:80\","
                                + "\"startMicros\":1,\"endMicros\":9,\"durationMicros\":8,\"state\":\"rst-client\","
                                + "\"synMicros\":1,\"synAckMicros\":2,\"handshakeMicros\":3,\"clientRttMicros\":1,"
                                + "\"packetsUp\":1,\"packetsDown\":11,\"wireBytesUp\":2,\"wireBytesDown\":12,"
                                + "\"payloadBytesUp\":3,\"payloadBytesDown\":13,\"uniqueBytesUp\":4,\"uniqueBytesDown\":14,"
                                + "\"retransmissionsUp\":5,\"retransmissionsDown\":15,\"outOfOrderUp\":6,\"outOfOrderDown\":16,"
                                + "\"zeroWindowUp\":7,\"zeroWindowDown\":17,\"synCount\":1,"
                                + "\"exchanges\":[{\"method\":\"GET\",\"target\":\"/\",\"status\":200,\"requestMicros\":3,"
                                + "\"firstByteMicros\":4,\"lastByteMicros\":5,\"responseMicros\":1,\"transferMicros\":1}],"
                                + "\"tls\":{\"version\":\"1.3\",\"handshakeDoneMicros\":6}}");
    }

    @Test
    void read_wrongValue_namesLineColumnFieldAndExpectation() {
        assertThatThrownBy(() -> RecordJson.read("{\"type\":\"proxyExchange\", \"service\": 7}", 3))
                .hasMessage(
                        "Malformed record at line 3, column 37: service: 7 (expected: a string)");
        assertThatThrownBy(() -> RecordJson.read("{\"type\":\"lorry\"}", 1))
                .hasMessageStartingWith(
                        "Malformed record at line 1, column 9: type: lorry (expected: one of connection, ");
        assertThatThrownBy(() -> RecordJson.read("{\"type\":\"hostSample\"}", 2))
                .hasMessage(
                        "Malformed record at line 2, column 1: node is missing (expected: a string)");
    }

    @Test
    void readLines_secondLineBroken_namesIt() {
        String good = RecordJson.write(new AnyRecord(5).status());
        byte[] lines = (good + "\n\n{\"type\":").getBytes(StandardCharsets.UTF_8);

        assertThatThrownBy(() -> RecordJson.readLines(lines))
                .isInstanceOf(MalformedBatchException.class)
                .hasMessageStartingWith("Malformed record at line 3, column ");
    }

    @Test
    void readLines_hostName_isNeverResolved() {
        String line =
                "{\"type\":\"proxyExchange\",\"service\":\"p\",\"atMicros\":1,\"client\":\"localhost:80\"}";

        assertThatThrownBy(() -> RecordJson.read(line, 1)).hasMessageContaining("no host names");
    }
}
