package dev.komainu.proxy.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class LogRingTest {

    private static boolean put(LogRing ring, String line) {
        byte[] bytes = line.getBytes(StandardCharsets.US_ASCII);
        return ring.put(bytes, bytes.length);
    }

    private static String waiting(LogRing ring) {
        StringBuilder all = new StringBuilder();
        for (ByteBuffer part : ring.waiting()) {
            all.append(StandardCharsets.US_ASCII.decode(part));
        }
        return all.toString();
    }

    @Test
    void put_aroundTheEnd_isReadComplete() {
        LogRing ring = new LogRing(16);
        assertThat(put(ring, "123456789\n")).isTrue();
        ring.release(10);
        assertThat(put(ring, "abcdefghi\n")).isTrue();
        assertThat(ring.waiting()).hasSize(2);
        assertThat(waiting(ring)).isEqualTo("abcdefghi\n");
    }

    @Test
    void put_withoutRoom_changesNothing() {
        LogRing ring = new LogRing(16);
        put(ring, "123456789\n");
        assertThat(put(ring, "1234567")).isFalse();
        assertThat(put(ring, "12345\n")).isTrue();
        assertThat(waiting(ring)).isEqualTo("123456789\n12345\n");
        ring.release(16);
        assertThat(ring.waiting()).isEmpty();
        assertThat(put(ring, "1234567")).isTrue();
    }

    @Test
    void completeLines_withinALine_endsBeforeIt() {
        LogRing ring = new LogRing(16);
        put(ring, "0123456789\n");
        ring.release(11);
        put(ring, "ab\ncdefgh\n");
        assertThat(ring.completeLines(9)).isEqualTo(3);
        assertThat(ring.completeLines(10)).isEqualTo(10);
        assertThat(ring.completeLines(2)).isZero();
    }

    @Test
    void isHalfFull_onlyAboveHalfOfWhatWaits() {
        LogRing ring = new LogRing(16);
        put(ring, "1234567\n");
        assertThat(ring.isHalfFull()).isFalse();
        put(ring, "8\n");
        assertThat(ring.isHalfFull()).isTrue();
        ring.release(8);
        assertThat(ring.isHalfFull()).isFalse();
    }

    /**
     * Each line put into the ring is read once, complete and in order, for any interleaving of the
     * two threads.
     */
    @Test
    void twoThreads_everyLineOnceInOrder() throws InterruptedException {
        LogRing ring = new LogRing(256);
        int lines = 200_000;
        Thread producer = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < lines; i++) {
                while (!put(ring, i + "\n")) {
                    Thread.onSpinWait();
                }
            }
        });
        StringBuilder line = new StringBuilder();
        int next = 0;
        while (next < lines) {
            for (ByteBuffer part : ring.waiting()) {
                int size = part.remaining();
                while (part.hasRemaining()) {
                    char c = (char) part.get();
                    if (c != '\n') {
                        line.append(c);
                    } else {
                        assertThat(line.toString()).isEqualTo(Integer.toString(next));
                        next++;
                        line.setLength(0);
                    }
                }
                ring.release(size);
            }
        }
        producer.join();
    }
}
