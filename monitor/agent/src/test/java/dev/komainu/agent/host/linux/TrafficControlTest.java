package dev.komainu.agent.host.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TrafficControlTest {

    @Test
    void queue_tokenBucket_hasRateDropsAndBacklog() {
        ByteBuffer data = bucket("tbf", 2_500_000);
        assertThat(TrafficControl.queue(data, 0, data.limit()))
                .isEqualTo(new TrafficControl.Queue(20_000_000L, 33, 9_000));
    }

    @Test
    void queue_ofAnotherKind_hasNoRate() {
        ByteBuffer data = bucket("fq_codel", 2_500_000);
        assertThat(TrafficControl.queue(data, 0, data.limit()))
                .isEqualTo(new TrafficControl.Queue(null, 33, 9_000));
    }

    @Test
    void queue_cutOrDamagedAnywhere_neverReadsBeyondItsEnd() {
        Random random = new Random(5);
        for (int i = 0; i < 2_000; i++) {
            ByteBuffer whole = bucket("tbf", 1);
            for (int n = 0; n < 4; n++) {
                whole.put(random.nextInt(whole.limit()), (byte) random.nextInt());
            }
            ByteBuffer data = whole.slice(0, random.nextInt(whole.limit() + 1))
                    .order(ByteOrder.nativeOrder());
            TrafficControl.Queue queue = TrafficControl.queue(data, 0, data.limit());
            assertThat(queue.drops()).isNotNegative();
        }
    }

    @Test
    void read_thisHost_returnsItsInterfacesOrNothing() {
        try (TrafficControl queried = new TrafficControl(true);
                TrafficControl copied = new TrafficControl(false)) {
            assertThat(queried.read().keySet())
                    .allSatisfy(
                            name -> assertThat(NetworkInterface.getByName(name)).isNotNull());
            assertThat(copied.read()).isEmpty();
        }
    }

    private static ByteBuffer bucket(String kind, int bytesPerSecond) {
        ByteBuffer data = ByteBuffer.allocate(256).order(ByteOrder.nativeOrder());
        byte[] name = (kind + "\0").getBytes(StandardCharsets.ISO_8859_1);
        attribute(data, 1, name.length).put(name);
        pad(data);
        attribute(data, 2, 4 + 36).putShort((short) (4 + 36)).putShort((short) 1);
        int parameters = data.position();
        data.putInt(parameters + 8, bytesPerSecond);
        data.position(parameters + 36);
        attribute(data, 7, 4 + 20).putShort((short) (4 + 20)).putShort((short) 3);
        data.putInt(6).putInt(9_000).putInt(33).putInt(0).putInt(0);
        data.flip();
        return data.slice().order(ByteOrder.nativeOrder());
    }

    private static ByteBuffer attribute(ByteBuffer data, int type, int length) {
        return data.putShort((short) (4 + length)).putShort((short) type);
    }

    private static void pad(ByteBuffer data) {
        data.position(data.position() + 3 & ~3);
    }
}
