package dev.komainu.telemetry.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class ConnectionPartsTest {

    @Property(tries = 2_000)
    void bucketOf_anyDuration_isThatOfTheLibrary(@ForAll long seed) {
        long micros = (long) Math.exp(new Random(seed).nextDouble() * 23);
        Histogram one = Distribution.newRecorder();
        Distribution.record(one, micros);
        BucketCounts counts = BucketCounts.take();
        counts.add(Distribution.bucketOf(micros), 1);

        assertThat(Distribution.of(counts)).isEqualTo(Distribution.of(one));
        counts.release();
    }

    @Test
    void bucketOf_outOfRange_isClamped() {
        assertThat(Distribution.bucketOf(-5)).isZero();
        assertThat(Distribution.bucketOf(Long.MAX_VALUE)).isLessThan(Distribution.BUCKETS);
    }

    @Test
    void read_whatWasBuilt_passesKeysCellsAndSteps() {
        ConnectionParts.Builder builder = new ConnectionParts.Builder();
        builder.part(7, 2);
        builder.cell(0, 1);
        builder.cell(35_944, Long.MAX_VALUE);
        builder.steps(2);
        builder.step(100, true);
        builder.step(100, false);
        builder.key(-1);
        List<String> seen = new ArrayList<>();

        ConnectionParts.ofEncoded(builder.build().encoded()).read(listing(seen));

        assertThat(seen)
                .containsExactly(
                        "key 7", "0=1", "35944=" + Long.MAX_VALUE, "+100", "-100", "key -1");
    }

    private static ConnectionParts.Reader listing(List<String> seen) {
        return new ConnectionParts.Reader() {
            @Override
            public boolean part(long key) {
                seen.add("key " + key);
                return true;
            }

            @Override
            public void cell(int cell, long value) {
                seen.add(cell + "=" + value);
            }

            @Override
            public void step(int micros, boolean up) {
                seen.add((up ? "+" : "-") + micros);
            }
        };
    }

    @Test
    void ofEncoded_keysOutOfOrderOrTwice_isRefused() {
        for (long[] keys : new long[][] {{2, 1}, {1, 1}, {-1, 1}}) {
            ConnectionParts.Builder builder = new ConnectionParts.Builder();
            Arrays.stream(keys).forEach(builder::key);

            assertThatThrownBy(() -> ConnectionParts.ofEncoded(builder.build().encoded()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("not in order");
        }
    }

    @Test
    void ofEncoded_moreConnectionsThanTheLimit_isRefused() {
        ConnectionParts.Builder builder = new ConnectionParts.Builder();
        for (int key = 0; key <= ConnectionParts.MOST; key++) {
            builder.key(key);
        }

        assertThatThrownBy(() -> ConnectionParts.ofEncoded(builder.build().encoded()))
                .hasMessageContaining("more than 5000 connections");
    }

    @Test
    void ofEncoded_cellsOutOfRangeOrOrder_areRefused() {
        for (int[] cells : new int[][] {{35_945}, {3, 3}, {Integer.MAX_VALUE}}) {
            ConnectionParts.Builder builder = new ConnectionParts.Builder();
            builder.part(1, cells.length);
            Arrays.stream(cells).forEach(cell -> builder.cell(cell, 1));
            builder.steps(0);

            assertThatThrownBy(() -> ConnectionParts.ofEncoded(builder.build().encoded()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("cell");
        }
    }

    @Property(tries = 3_000)
    void ofEncoded_damagedBytes_areReadOrRefused(@ForAll long seed) {
        Random random = new Random(seed);
        ConnectionParts.Builder builder = new ConnectionParts.Builder();
        long key = 0;
        for (int part = 0; part < 5; part++) {
            key += 1 + random.nextInt(1_000);
            builder.part(key, 1);
            builder.cell(random.nextInt(30_000), random.nextInt(100_000));
            builder.steps(1);
            builder.step(random.nextInt(1_000_000), random.nextBoolean());
        }
        byte[] bytes = builder.build().encoded();
        for (int damage = random.nextInt(4); damage >= 0; damage--) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        }
        byte[] cut = Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));

        assertThatCode(() -> {
                    try {
                        ConnectionParts parts = ConnectionParts.ofEncoded(cut);
                        assertThat(parts.keys()).hasSize(parts.count());
                    } catch (IllegalArgumentException expected) {
                        assertThat(expected).hasMessageStartingWith("parts: ");
                    }
                })
                .doesNotThrowAnyException();
    }
}
