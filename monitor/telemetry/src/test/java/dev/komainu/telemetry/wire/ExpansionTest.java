package dev.komainu.telemetry.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.ZstdOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests of the expansion of malicious batches: how much of them is ever in memory. */
class ExpansionTest {

    private static final int MB = 1 << 20;

    /** Loads the classes and the native library, whose memory is not the subject. */
    @BeforeAll
    static void load() {
        allocated(() -> BatchCodec.decode(Compression.compress(unknownFields(MB))));
        allocated(() -> BatchCodec.decode(withoutAnnouncedSize(unknownFields(33 * MB))));
    }

    private static long allocated(ThrowingDecode decode) {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        assertThatThrownBy(decode::run).isInstanceOf(MalformedBatchException.class);
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    /** A decoding that a test expects to fail. */
    @FunctionalInterface
    private interface ThrowingDecode {
        void run() throws MalformedBatchException;
    }

    /** Returns a batch of unknown fields of 1 KB, which are skipped: readable to its end. */
    private static byte[] unknownFields(int bytes) {
        byte[] plain = new byte[bytes];
        for (int i = 0; i < bytes; i += 1 << 10) {
            plain[i] = 0x7a; // field 15, bytes; 3 bytes for tag and length
            plain[i + 1] = (byte) 0xfd;
            plain[i + 2] = 0x07;
        }
        return plain;
    }

    private static byte[] withoutAnnouncedSize(byte[] plain) {
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        try (ZstdOutputStream zstd = new ZstdOutputStream(frame, 1)) {
            zstd.write(plain);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return frame.toByteArray();
    }

    @Test
    void zstdBomb_ofAnnouncedSize_isRefusedBeforeItIsExpanded() {
        byte[] bomb = Compression.compress(new byte[100 * MB]);

        assertThat(allocated(() -> BatchCodec.decode(bomb))).isLessThan(MB);
        assertThatThrownBy(() -> BatchCodec.decode(bomb))
                .hasMessage("Malformed batch: its zstd frame announces 104857600 bytes"
                        + " (expected: at most 33554432)");
    }

    @Test
    void zstdBomb_withinTheLimit_isNeverInMemoryAsAWhole() {
        byte[] bomb = Compression.compress(unknownFields(31 * MB));

        assertThat(allocated(() -> BatchCodec.decode(bomb))).isLessThan(4 * MB);
    }

    @Test
    void zstdBomb_withoutAnnouncedSize_stopsAtTheLimit() {
        byte[] bomb = withoutAnnouncedSize(unknownFields(100 * MB));

        assertThat(allocated(() -> BatchCodec.decode(bomb))).isLessThan(4 * MB);
        assertThatThrownBy(() -> BatchCodec.decode(bomb))
                .hasMessage("Malformed batch: expands beyond the limit of 33554432 bytes");
    }

    @Test
    void unknownFields_ofTwoBytes_areRefusedAfterANumber() {
        byte[] plain = new byte[31 * MB];
        for (int i = 0; i + 1 < plain.length; i += 2) {
            plain[i] = 0x78; // field 15, a number
        }

        assertThatThrownBy(() -> BatchCodec.decode(Compression.compress(plain)))
                .hasMessageEndingWith(": more than 2000000 unknown fields");
    }

    @Test
    void source_ofMegabytes_isRefusedUnread() {
        byte[] plain = new byte[8 * MB];
        Arrays.fill(plain, (byte) 'a');
        plain[0] = 0x0a;
        plain[1] = (byte) 0xf0;
        plain[2] = (byte) 0xff;
        plain[3] = 0x03;
        byte[] bomb = Compression.compress(plain);

        assertThat(allocated(() -> BatchCodec.decode(bomb))).isLessThan(MB);
    }

    @Test
    void records_takeTheirMemoryBeforeTheyAreRead() throws Exception {
        byte[] line = "{\"type\":\"proxyExchange\"}\n".repeat(5).getBytes("UTF-8");
        AtomicLong taken = new AtomicLong();

        assertThatThrownBy(() -> RecordJson.readLines(new ByteArrayInputStream(line), bytes -> {
                    taken.addAndGet(bytes);
                    throw new IllegalStateException("no memory left");
                }))
                .hasMessage("no memory left");

        assertThat(taken.get()).isGreaterThan(300);
    }
}
