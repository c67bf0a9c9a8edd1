package dev.komainu.proxy.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SweepDetectorTest {

    private static final long MINUTE = 60_000_000_000L;

    private final SweepDetector watch = new SweepDetector();
    private final Random random = new Random(1);

    private static InetAddress client(int number) {
        return InetAddress.ofLiteral("192.0.2." + number);
    }

    /** A hash as keys have. */
    private static int key(int number) {
        return number * 0x9E3779B1 ^ number >>> 7;
    }

    private int sweptOf(int client, int from, int count) {
        int swept = 0;
        for (int i = from; i < from + count; i++) {
            swept += watch.lookedUp(client(client), key(i), false, 0) ? 1 : 0;
        }
        return swept;
    }

    @Test
    void whoAsksForEverythingOnce_sweeps_fromTheSecondWindowOn() {
        assertThat(sweptOf(1, 0, 200_000)).isEqualTo(200_000 - 255);
        assertThat(watch.sweeping(0)).isEqualTo(1);
    }

    @Test
    void whoAsksForWhatOthersWant_doesNot() {
        for (int i = 0; i < 20_000; i++) {
            // Nine of ten look-ups are for a hundred things, stored or not.
            int wanted = random.nextInt(10) > 0 ? random.nextInt(100) : 1_000 + i;
            assertThat(watch.lookedUp(client(1), key(wanted), wanted < 50, 0)).isFalse();
        }
        assertThat(watch.sweeping(0)).isZero();
    }

    @Test
    void crowd_ofClientsNewToAColdCache_doesNotSweep() {
        for (int i = 0; i < 100_000; i++) {
            int wanted = (int) (Math.pow(random.nextDouble(), 4) * 20_000);
            assertThat(watch.lookedUp(client(random.nextInt(200)), key(wanted), false, 0))
                    .isFalse();
        }
    }

    @Test
    void sweep_amongACrowd_isSeenWhileItLasts() {
        int swept = 0;
        for (int i = 0; i < 40_000; i++) {
            watch.lookedUp(client(2 + random.nextInt(30)), key(random.nextInt(300)), true, 0);
            swept += watch.lookedUp(client(1), key(1_000_000 + i), false, 0) ? 1 : 0;
        }
        assertThat(swept).isGreaterThan(39_000);
        assertThat(watch.sweeping(MINUTE)).isEqualTo(1);
        assertThat(watch.sweeping(MINUTE + 1)).as("gone").isZero();
    }

    @Test
    void sweep_thatBecomesAVisitor_isForgiven() {
        sweptOf(1, 0, 1_000);
        for (int i = 0; i < 512; i++) {
            watch.lookedUp(client(1), key(i % 20), true, 0);
        }
        assertThat(watch.sweeping(0)).isZero();
        assertThat(watch.lookedUp(client(1), key(1), true, 0)).isFalse();
    }
}
