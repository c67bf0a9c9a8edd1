package dev.komainu.telemetry.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import dev.komainu.telemetry.record.Batch;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * The .proto text on the format's page is correct: protobuf's own reader, built from it, reads
 * every record.
 */
class ProtoTextTest {

    private static final Path PAGE = Path.of("../../docs/formats/telemetry-wire.md");

    @Test
    void dynamicMessages_builtFromThePage_readEveryRecordAndWriteItBack() throws Exception {
        FileDescriptor file = ProtoText.ofPage(Files.readString(PAGE));
        Set<String> seen = new HashSet<>();
        for (long seed = 0; seed < 200; seed++) {
            Batch batch = new AnyRecord(seed).batch(10);

            DynamicMessage message = DynamicMessage.parseFrom(
                    file.findMessageTypeByName("Batch"), BatchCodec.encodePlain(batch));

            ProtoText.assertKnown(message, seen);
            assertThat(BatchCodec.decodePlain(message.toByteArray()).batch()).isEqualTo(batch);
        }
        assertThat(seen)
                .as("each documented field and constant is written")
                .isEqualTo(ProtoText.names(file).keySet());
    }
}
