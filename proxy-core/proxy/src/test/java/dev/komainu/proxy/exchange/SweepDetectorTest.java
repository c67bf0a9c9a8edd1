package dev.komainu.proxy.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SweepDetectorTest {

    private static final long MINUTE = 60_000_000_000L;

    private final SweepDetector detector = new SweepDetector();
    private final Random random = new Random(1);

    private static InetAddress client(int number) {
        return InetAddress.ofLiteral("192.0.2." + number);
    }

    /** Returns a hash like those of keys. */
    private static int key(int number) {
        return number * 0x9E3779B1 ^ number >>> 7;
    }

    private int sweptOf(int client, int from, int count) {
        int swept = 0;
        for (int i = from; i < from + count; i++) {
            swept += detector.lookedUp(client(client), key(i), false, 0) ? 1 : 0;
        }
        return swept;
    }

    @Test
    void clientOfAllObjectsOnce_sweeps_fromTheSecondWindowOn() {
        assertThat(sweptOf(1, 0, 200_000)).isEqualTo(200_000 - 255);
        assertThat(detector.sweeping(0)).isEqualTo(1);
    }

    @Test
    void clientOfPopularObjects_doesNotSweep() {
        for (int i = 0; i < 20_000; i++) {
            // Nine of ten lookups are for a hundred objects, stored or not.
            int wanted = random.nextInt(10) > 0 ? random.nextInt(100) : 1_000 + i;
            assertThat(detector.lookedUp(client(1), key(wanted), wanted < 50, 0))
                    .isFalse();
        }
        assertThat(detector.sweeping(0)).isZero();
    }

    @Test
    void crowd_ofClientsNewToAColdCache_doesNotSweep() {
        for (int i = 0; i < 100_000; i++) {
            int wanted = (int) (Math.pow(random.nextDouble(), 4) * 20_000);
            assertThat(detector.lookedUp(client(random.nextInt(200)), key(wanted), false, 0))
                    .isFalse();
        }
    }

    @Test
    void sweep_amongACrowd_isSeenWhileItLasts() {
        int swept = 0;
        for (int i = 0; i < 40_000; i++) {
            detector.lookedUp(client(2 + random.nextInt(30)), key(random.nextInt(300)), true, 0);
            swept += detector.lookedUp(client(1), key(1_000_000 + i), false, 0) ? 1 : 0;
        }
        assertThat(swept).isGreaterThan(39_000);
        assertThat(detector.sweeping(MINUTE)).isEqualTo(1);
        assertThat(detector.sweeping(MINUTE + 1)).as("gone").isZero();
    }

    @Test
    void sweep_thatBecomesAVisitor_isForgiven() {
        sweptOf(1, 0, 1_000);
        for (int i = 0; i < 512; i++) {
            detector.lookedUp(client(1), key(i % 20), true, 0);
        }
        assertThat(detector.sweeping(0)).isZero();
        assertThat(detector.lookedUp(client(1), key(1), true, 0)).isFalse();
    }
}
