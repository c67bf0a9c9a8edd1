package dev.komainu.telemetry.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.Order;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Test of the generated codecs against protobuf's own reader and writer, which are built from the
 * same .proto file.
 */
class ProtoTextTest {

    @Test
    void dynamicMessages_builtFromTheFile_readEveryRecordAndWriteItBack() throws Exception {
        FileDescriptor file = ProtoText.current();
        Set<String> seen = new HashSet<>();
        for (long seed = 0; seed < 200; seed++) {
            Batch batch = new AnyRecord(seed).batch(10);

            DynamicMessage message = DynamicMessage.parseFrom(
                    file.findMessageTypeByName("Batch"), BatchCodec.encodePlain(batch));

            ProtoText.assertKnown(message, seen);
            assertThat(BatchCodec.decodePlain(message.toByteArray()).batch()).isEqualTo(batch);
        }
        KeyPair keys = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        for (Order.Then then : Order.Then.values()) {
            Order order = new Order(
                    "00",
                    "n",
                    "s",
                    1,
                    2,
                    "s",
                    "1",
                    "2",
                    then,
                    "ff",
                    List.of(new Order.Companion("t", "3", "4")),
                    9);
            String signed = SignedOrder.sign(order, keys.getPrivate());

            DynamicMessage message = DynamicMessage.parseFrom(
                    file.findMessageTypeByName("Order"),
                    Base64.getUrlDecoder().decode(signed.substring(0, signed.indexOf('.'))));

            ProtoText.assertKnown(message, seen);
            assertThat(SignedOrder.verified(signed, keys.getPublic())).isEqualTo(order);
        }
        assertThat(seen)
                .as("each documented field and constant is written")
                .isEqualTo(ProtoText.names(file).keySet());
    }
}
