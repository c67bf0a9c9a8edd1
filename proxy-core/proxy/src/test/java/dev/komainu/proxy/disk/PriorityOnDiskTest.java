package dev.komainu.proxy.disk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.purge.PurgeOrder;
import dev.komainu.proxy.cache.PartitionMode;
import dev.komainu.proxy.cache.PartitionSettings;
import dev.komainu.proxy.cache.PriorityPrefix;
import dev.komainu.proxy.cache.StoredResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Records with priority within their share of the disk, which are never lost to later writes. */
class PriorityOnDiskTest {

    private static final PartitionSettings DIVIDED = new PartitionSettings(
            PartitionMode.PARTITION, List.of(PriorityPrefix.parse("/first/")), 20, 20);

    private static final String OTHER = "s".repeat(120_000);
    private static final long SEGMENT =
            new DiskSettings(null, Shelf.DISK, java.time.Duration.ZERO).segmentBytes();

    @TempDir
    Path directory;

    private Shelf open() throws IOException {
        return new Shelf(directory, DIVIDED);
    }

    /**
     * Writes one response to the disk now, whether it is in memory or not: the order of the records
     * is the order of these calls.
     */
    private static void write(Shelf shelf, String path, String body) {
        shelf.put(path, body);
        shelf.awaitWrites();
        if (shelf.cache.get(Shelf.key(path)) instanceof StoredResponse stored) {
            shelf.tier.onEviction(stored);
            shelf.awaitWrites();
        }
        assertThat(shelf.tier.count(Shelf.key(path))).as(path).isEqualTo(1);
    }

    /** Fills the current segment with responses that have priority. Returns their number. */
    private static int fillSegment(Shelf shelf, String body) {
        int count = 0;
        do {
            write(shelf, "/first/" + count++, body);
        } while (shelf.tier.log.remainingBytes() > body.length() + 256);
        return count;
    }

    private static void sweep(Shelf shelf, int from, int to) {
        for (int i = from; i < to; i++) {
            write(shelf, "/rest/" + i, OTHER);
        }
    }

    /**
     * Writes other responses until none of the first ones is left, and each segment was rewritten
     * at least once.
     */
    private static void sweepPast(Shelf shelf) {
        sweep(shelf, 0, (int) (Shelf.DISK / OTHER.length()) * 5 / 4);
        assertThat(shelf.tier.count(Shelf.key("/rest/0"))).isZero();
        assertThat(shelf.tier.figures().space().bytes()).isLessThanOrEqualTo(Shelf.DISK);
    }

    private static List<String> lost(Shelf shelf, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> "/first/" + i)
                .filter(path -> shelf.tier.count(Shelf.key(path)) == 0)
                .toList();
    }

    /** A segment with nothing else leaves no room for the record that caused the next one. */
    @ParameterizedTest
    @ValueSource(ints = {120_000, 8_000})
    void segmentFullOfPriority_isRewrittenCompletely(int length) throws Exception {
        try (Shelf shelf = open()) {
            int count = fillSegment(shelf, "f".repeat(length));
            sweepPast(shelf);
            assertThat(lost(shelf, count)).isEmpty();
            assertThat(shelf.body("/first/" + (count - 1))).isEqualTo("f".repeat(length));
        }
        try (Shelf again = open()) {
            assertThat(again.tier.figures().space().protectedBytes())
                    .isGreaterThan(SEGMENT * 9 / 10);
        }
    }

    /** A variant cannot be found after a restart without its rule, which is a record of its own. */
    @Test
    void variantsInAFullSegment_keepTheirRule() throws Exception {
        Fields german = Shelf.fields("Accept-Language: de");
        try (Shelf shelf = open()) {
            CacheKey variant = shelf.putVariant("/first/vary", "accept-language", german, "hallo");
            shelf.tier.onEviction((StoredResponse) shelf.cache.get(variant));
            shelf.awaitWrites();
            fillSegment(shelf, OTHER);
            sweepPast(shelf);
        }
        try (Shelf again = open()) {
            assertThat(again.body("/first/vary", german)).isEqualTo("hallo");
        }
    }

    /** Each start leaves a short segment: to make room for one, two of them are dropped at once. */
    @Test
    void segmentBehindAShortOne_isRewritten() throws Exception {
        try (Shelf shelf = open()) {
            write(shelf, "/rest/0", OTHER);
        }
        try (Shelf shelf = open()) {
            int count = fillSegment(shelf, OTHER);
            sweepPast(shelf);
            assertThat(lost(shelf, count)).isEmpty();
        }
    }

    @Test
    void restart_ofAFullDisk_dropsNothing() throws Exception {
        int count;
        try (Shelf shelf = open()) {
            count = fillSegment(shelf, OTHER);
            for (int i = 0; shelf.tier.figures().space().bytes() <= Shelf.DISK - 2 * SEGMENT; i++) {
                sweep(shelf, i, i + 1);
            }
            assertThat(shelf.tier.figures().upkeep().aged()).isZero();
        }
        try (Shelf again = open()) {
            assertThat(again.tier.figures().upkeep().aged()).isZero();
            assertThat(lost(again, count)).isEmpty();
            sweepPast(again);
            assertThat(lost(again, count)).isEmpty();
        }
    }

    /**
     * At the peak only purge orders are written; records with priority that they would drop are
     * rewritten.
     */
    @Test
    void ordersAtThePeak_thatFillASegment_loseNoPriority() throws Exception {
        try (Shelf shelf = open()) {
            int count = fillSegment(shelf, OTHER);
            int full = (int) ((Shelf.DISK - SEGMENT) / SEGMENT);
            for (int i = 0; shelf.tier.log.count() < full; i++) {
                sweep(shelf, i, i + 1);
            }
            assertThat(shelf.tier.figures().upkeep().aged()).isZero();
            shelf.tier.setOpen(false);
            String name = "n".repeat(2_000);
            for (int i = 0; shelf.tier.figures().upkeep().aged() == 0; i++) {
                assertThat(i).as("orders, without a segment dropped").isLessThan(20_000);
                shelf.purge(PurgeOrder.tags(List.of(name + i)), false);
                shelf.awaitWrites();
            }
            assertThat(lost(shelf, count)).isEmpty();
        }
    }
}
