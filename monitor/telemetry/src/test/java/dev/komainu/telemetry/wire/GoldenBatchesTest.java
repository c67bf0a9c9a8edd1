package dev.komainu.telemetry.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import dev.komainu.telemetry.kit.GoldenFiles;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Batches that earlier releases wrote: every field of every kind of record is read as it was meant.
 */
class GoldenBatchesTest {

    static List<Path> releases() {
        return GoldenFiles.releasesWith("wire");
    }

    private static List<String> names(Path release) throws IOException {
        try (Stream<Path> files = Files.list(release.resolve("wire"))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".batch"))
                    .map(name -> name.replace(".batch", ""))
                    .sorted()
                    .toList();
        }
    }

    private static List<String> told(Path release, String name) throws IOException {
        return Files.readAllLines(release.resolve("wire/" + name + ".ndjson"));
    }

    @ParameterizedTest
    @MethodSource("releases")
    void decode_batchOfEachKind_givesWhatWasTold(Path release) throws Exception {
        List<String> names = names(release);
        assertThat(names).hasSizeGreaterThan(10).contains("mixed", "hostSample", "clusterView");
        for (String name : names) {
            GoldenFiles.check(release, "wire/" + name + ".batch", "protobuf wire format", () -> {
                DecodedBatch decoded = BatchCodec.decode(
                        Files.readAllBytes(release.resolve("wire/" + name + ".batch")));

                assertThat(decoded.batch().id().source()).isEqualTo("golden/" + name);
                assertThat(decoded.batch().id().epoch()).isEqualTo(1_764_000_000_000_000L);
                assertThat(decoded.skippedRecords()).as("unknown records").isZero();
                assertSame(name, told(release, name), decoded.batch().records());
                assertThat(decoded.skippedFields()).as("unknown fields").isZero();
            });
        }
    }

    @ParameterizedTest
    @MethodSource("releases")
    void readLines_ofEachKind_givesWhatIsInTheBatch(Path release) throws Exception {
        for (String name : names(release)) {
            GoldenFiles.check(release, "wire/" + name + ".ndjson", "NDJSON wire format", () -> {
                List<TelemetryRecord> fromLines = RecordJson.readLines(
                        Files.readAllBytes(release.resolve("wire/" + name + ".ndjson")));

                assertSame(name, told(release, name), fromLines);
            });
        }
    }

    /** The other tests catch a changed number only if the batches have it. */
    @ParameterizedTest
    @MethodSource("releases")
    void batches_ofARelease_haveEachFieldAndConstantOfItsFormat(Path release) throws Exception {
        FileDescriptor format = ProtoText.of(Files.readString(release.resolve("wire/wire.proto")));
        Set<String> seen = new HashSet<>();
        for (String name : names(release)) {
            byte[] batch = Files.readAllBytes(release.resolve("wire/" + name + ".batch"));
            byte[] plain = Compression.expand(batch, WireLimits.MAX_BATCH_BYTES);
            ProtoText.assertKnown(
                    DynamicMessage.parseFrom(format.findMessageTypeByName("Batch"), plain), seen);
        }

        assertThat(seen).isEqualTo(ProtoText.names(format).keySet());
    }

    @ParameterizedTest
    @MethodSource("releases")
    void currentFormat_hasEachFieldAndConstantOfAReleaseUnderItsNumber(Path release)
            throws Exception {
        FileDescriptor then = ProtoText.of(Files.readString(release.resolve("wire/wire.proto")));
        assertThat(ProtoText.names(ProtoText.current()))
                .containsAllEntriesOf(ProtoText.names(then));
    }

    private static void assertSame(String name, List<String> lines, List<TelemetryRecord> records) {
        assertThat(records).as(name).hasSameSizeAs(lines).hasSizeGreaterThanOrEqualTo(6);
        for (int i = 0; i < lines.size(); i++) {
            GoldenFiles.assertKept(
                    "record " + (i + 1), lines.get(i), RecordJson.write(records.get(i)));
        }
    }
}
