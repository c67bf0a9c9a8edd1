package dev.komainu.proxy.disk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.caching.Freshness;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.AlphaChars;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

class DiskRecordTest {

    private static DiskRecord response(
            String name, String etag, List<String> labels, Freshness freshness) {
        return DiskRecord.response(
                name.getBytes(StandardCharsets.ISO_8859_1),
                203,
                "HTTP/1.1 203 x\r\n".getBytes(StandardCharsets.US_ASCII),
                etag,
                null,
                labels,
                freshness,
                1_795_000_000_123L,
                77,
                -5);
    }

    @Property(tries = 100)
    void writtenRecord_isRead(
            @ForAll @AlphaChars @StringLength(max = 300) String name,
            @ForAll @Size(max = 5) List<@AlphaChars @StringLength(max = 40) String> labels,
            @ForAll long seed,
            @ForAll @IntRange(max = 40) int before) {
        Random random = new Random(seed);
        Freshness freshness = new Freshness(
                random.nextLong(),
                random.nextInt(),
                0,
                random.nextBoolean(),
                random.nextBoolean(),
                random.nextBoolean(),
                random.nextInt(),
                random.nextLong(),
                random.nextLong());
        DiskRecord record =
                response(name, random.nextBoolean() ? "\"caf\u00e9\"" : null, labels, freshness);
        ByteBuffer meta = record.meta(9);
        ByteBuffer whole = ByteBuffer.allocate(before + meta.remaining() + 5);
        whole.put(before, meta, 0, meta.remaining());
        DiskRecord again = DiskRecord.read(whole, before, 9);
        assertThat(again).usingRecursiveComparison().isEqualTo(record);
        assertThat(again.freshness(0)).isEqualTo(freshness);
        assertThat(DiskRecord.metaLength(whole, before)).isEqualTo(meta.remaining());
    }

    @Property(tries = 300)
    void flippedBit_isDetected(@ForAll @IntRange(max = 10_000) int bit) {
        ByteBuffer meta = response(
                        "host/path",
                        "\"e\"",
                        List.of("a", "b"),
                        new Freshness(60, 0, 0, false, false, true, 0, 0, 0))
                .meta(9);
        int at = bit / 8 % meta.remaining();
        meta.put(at, (byte) (meta.get(at) ^ 1 << bit % 8));
        assertThat(DiskRecord.read(meta, 0, 9)).isNull();
    }

    @Test
    void recordOfAnotherDirectory_isRejected() {
        ByteBuffer meta = response(
                        "h/p",
                        null,
                        List.of(),
                        new Freshness(60, 0, 0, false, false, true, 0, 0, 0))
                .meta(9);
        assertThat(DiskRecord.read(meta, 0, 9)).isNotNull();
        assertThat(DiskRecord.read(meta, 0, 8)).isNull();
    }

    @Test
    void orders_areReadAsWritten() {
        for (DiskPurge order : List.of(
                DiskPurge.uri(CacheKey.of("h/p"), true),
                DiskPurge.prefix(new byte[0], false),
                DiskPurge.label("\1h/group \u00e9", false),
                DiskPurge.name(CacheKey.of("h/p\0accept\n=x")))) {
            DiskRecord read = DiskRecord.read(DiskRecord.order(order, 42).padded(9), 0, 9);
            assertThat(read.dated()).isEqualTo(42);
            assertThat(read.order()).usingRecursiveComparison().isEqualTo(order);
        }
        assertThat(DiskRecord.read(
                                DiskRecord.rule("h/p".getBytes(), List.of("accept", "cookie"))
                                        .padded(9),
                                0,
                                9)
                        .names())
                .containsExactly("accept", "cookie");
    }

    @Test
    void kindsOfPurge_keepTheirPositionsInTheFile() {
        assertThat(DiskPurge.Kind.values())
                .startsWith(
                        DiskPurge.Kind.NAME,
                        DiskPurge.Kind.URI,
                        DiskPurge.Kind.PREFIX,
                        DiskPurge.Kind.LABEL);
    }
}
