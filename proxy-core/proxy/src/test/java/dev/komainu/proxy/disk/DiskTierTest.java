package dev.komainu.proxy.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.intermediary.purge.PurgeOrder;
import dev.komainu.proxy.cache.PartitionMode;
import dev.komainu.proxy.cache.PartitionSettings;
import dev.komainu.proxy.cache.PriorityPrefix;
import dev.komainu.proxy.cache.StoredResponse;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DiskTierTest {

    @TempDir
    Path directory;

    private static final String BODY = "b".repeat(5000);

    private Path firstSegment() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(".seg"))
                    .sorted()
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void evictedResponse_isRestoredUnchanged() throws Exception {
        try (Shelf shelf = new Shelf(directory)) {
            shelf.put("/a", BODY, 100, "\"e\"", "tag");
            shelf.put("/long", "l".repeat(120_000), 100, null);
            shelf.millis.addAndGet(10_000);
            shelf.evictAll();
            assertThat(shelf.inMemory("/a")).isFalse();
            StoredResponse back = shelf.read("/a");
            assertThat(back).isNotNull();
            assertThat(back).isSameAs(shelf.cache.get(Shelf.key("/a")));
            assertThat(back.etag()).isEqualTo("\"e\"");
            assertThat(back.lastModified()).isNull();
            assertThat(back.labels()).containsExactly("tag");
            assertThat(back.freshness().ageSeconds(shelf.millis.get())).isEqualTo(10);
            assertThat(back.freshness().leftSeconds(shelf.millis.get())).isEqualTo(90);
            assertThat(new String(back.head())).isEqualTo("HTTP/1.1 200 OK\r\nX: y\r\n");
            assertThat(shelf.body("/long")).isEqualTo("l".repeat(120_000));
            assertThat(shelf.cache.tags().count("tag")).isEqualTo(1);
        }
    }

    @Test
    void restart_findsAllRecords_andAgesThemByTheWallClock() throws Exception {
        try (Shelf shelf = new Shelf(directory)) {
            shelf.put("/a", BODY, 100, null);
            shelf.evictAll();
        }
        try (Shelf again = new Shelf(directory, 1_795_000_000_000L + 40_000)) {
            StoredResponse back = again.read("/a");
            assertThat(back).isNotNull();
            assertThat(back.freshness().ageSeconds(again.millis.get())).isEqualTo(40);
            assertThat(again.tier.figures().upkeep().damaged()).isZero();
            assertThat(again.tier.figures().upkeep().torn()).isZero();
        }
        try (Shelf late = new Shelf(directory, 1_795_000_000_000L + 101_000)) {
            // Neither fresh nor with a validator.
            assertThat(late.read("/a")).isNull();
            assertThat(late.tier.counts.of(DiskCounts.Unread.STALE)).isEqualTo(1);
        }
    }

    @Test
    void tornTailAndDamagedRecord_areSkippedAndCounted() throws Exception {
        try (Shelf shelf = new Shelf(directory)) {
            for (int i = 0; i < 6; i++) {
                shelf.put("/" + i, BODY);
            }
            shelf.evictAll();
        }
        long tail;
        try (RandomAccessFile file = new RandomAccessFile(firstSegment().toFile(), "rw")) {
            // The second record's head, the third one's body, the last one's end.
            long record = DiskRecord.padded(96 + "test.example/0".length() + 24, BODY.length());
            file.seek(Segment.HEADER + record + 100);
            file.write('X');
            file.seek(Segment.HEADER + 2 * record + record - 40);
            file.write('X');
            tail = file.length() - 10;
            file.setLength(tail);
        }
        try (Shelf again = new Shelf(directory)) {
            assertThat(again.tier.figures().upkeep().damaged()).isEqualTo(1);
            assertThat(again.tier.figures().upkeep().torn()).isEqualTo(1);
            assertThat(again.body("/0")).isEqualTo(BODY);
            assertThat(again.read("/1")).isNull();
            assertThat(again.read("/2")).isNull();
            assertThat(again.tier.counts.of(DiskCounts.Unread.DAMAGED)).isEqualTo(1);
            assertThat(again.body("/3")).isEqualTo(BODY);
            again.put("/later", BODY);
            again.evictAll();
            assertThat(again.body("/later")).isEqualTo(BODY);
        }
    }

    @Test
    void secondProcess_isRefused() throws Exception {
        try (Shelf shelf = new Shelf(directory)) {
            assertThatThrownBy(() -> new Shelf(directory).close())
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("expected: a directory that no other process uses");
        }
    }

    @Test
    void newerResponse_makesTheOlderRecordUnreachable_alsoAfterARestart() throws Exception {
        try (Shelf shelf = new Shelf(directory)) {
            shelf.put("/a", "old".repeat(1000));
            shelf.evictAll();
            shelf.put("/a", "new".repeat(1000), 1, null);
            assertThat(shelf.read("/a")).isNull();
            shelf.cache.invalidate(Shelf.key("/a"));
        }
        try (Shelf again = new Shelf(directory)) {
            assertThat(again.read("/a")).isNull();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"uri", "prefix", "tag"})
    void purge_reachesTheDisk_alsoAfterARestart(String kind) throws Exception {
        PurgeOrder.Target target = target(kind);
        try (Shelf shelf = new Shelf(directory)) {
            shelf.put("/shop/a", BODY, 3600, "\"e\"", "sale");
            shelf.put("/other", BODY, 3600, "\"e\"", "calm");
            shelf.evictAll();
            shelf.purge(target, false);
            assertThat(shelf.read("/shop/a")).isNull();
            assertThat(shelf.body("/other")).isEqualTo(BODY);
            // A response fetched after the purge and evicted then is not matched by it.
            shelf.put("/shop/b", BODY, 3600, "\"e\"", "sale");
            shelf.evictAll();
            assertThat(shelf.body("/shop/b")).isEqualTo(BODY);
        }
        try (Shelf again = new Shelf(directory)) {
            assertThat(again.read("/shop/a")).isNull();
            assertThat(again.body("/shop/b")).isEqualTo(BODY);
            assertThat(again.body("/other")).isEqualTo(BODY);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"uri", "prefix", "tag"})
    void softPurge_makesTheRecordStale_alsoAfterARestart(String kind) throws Exception {
        try (Shelf shelf = new Shelf(directory)) {
            shelf.put("/shop/a", BODY, 3600, "\"e\"", "sale");
            shelf.evictAll();
            shelf.purge(target(kind), true);
            StoredResponse back = shelf.read("/shop/a");
            assertThat(back.freshness().leftSeconds(shelf.millis.get())).isLessThanOrEqualTo(0);
        }
        try (Shelf again = new Shelf(directory)) {
            StoredResponse back = again.read("/shop/a");
            assertThat(back.freshness().leftSeconds(again.millis.get())).isLessThanOrEqualTo(0);
        }
    }

    private static PurgeOrder.Target target(String kind) {
        return switch (kind) {
            case "uri" -> new PurgeOrder.Uri(Shelf.key("/shop/a"));
            case "prefix" -> PurgeOrder.prefix("test.example/shop/");
            default -> PurgeOrder.tags(List.of("sale"));
        };
    }

    @Test
    void purge_ofAPendingWrite_cancelsIt() throws Exception {
        try (Shelf shelf = new Shelf(directory)) {
            shelf.put("/a", BODY);
            StoredResponse response = (StoredResponse) shelf.cache.get(Shelf.key("/a"));
            response.retain();
            PendingWrite pendingWrite = new PendingWrite(response);
            shelf.tier.pending.put(Shelf.key("/a"), pendingWrite);
            try (DiskTier.ActivePurge purging =
                    shelf.tier.begin(List.of(DiskPurge.uri(Shelf.key("/a"), false)))) {
                assertThat(purging.apply()).isEqualTo(1);
                assertThat(shelf.tier.purgeHistory.isBeingPurged(response)).isTrue();
            }
            assertThat(shelf.tier.purgeHistory.isBeingPurged(response)).isFalse();
            assertThat(pendingWrite.finish()).isEqualTo(PendingWrite.Outcome.CANCELLED);
            response.releaseRetained();
            shelf.tier.pending.clear();
        }
    }

    /** While a purge is checking, no matched response can move in either direction. */
    @Test
    void purge_inProgress_preventsMovesOfMatches() throws Exception {
        try (Shelf shelf = new Shelf(directory)) {
            shelf.put("/onDisk", BODY, 3600, null, "tag");
            shelf.put("/other", BODY);
            shelf.evictAll();
            shelf.put("/inMemory", BODY, 3600, null, "tag");
            long onOutdated = shelf.tier.figures().writes().unwritten().get("outdated");
            try (DiskTier.ActivePurge purging =
                    shelf.tier.begin(List.of(DiskPurge.label("tag", false)))) {
                assertThat(shelf.read("/onDisk")).isNull();
                assertThat(shelf.inMemory("/onDisk")).isFalse();
                assertThat(shelf.tier.counts.of(DiskCounts.Unread.PURGED)).isEqualTo(1);
                shelf.evictAll();
                assertThat(shelf.tier.figures().writes().unwritten().get("outdated"))
                        .isEqualTo(onOutdated + 1);
                assertThat(shelf.body("/other")).isEqualTo(BODY);
                purging.apply();
            }
            assertThat(shelf.read("/onDisk")).isNull();
            assertThat(shelf.read("/inMemory")).isNull();
        }
    }

    @Test
    void purge_ofAResponseInBothTiers_countsItOnce() throws Exception {
        try (Shelf shelf = new Shelf(directory)) {
            shelf.put("/a", BODY);
            shelf.evictAll();
            shelf.read("/a");
            PurgeOrder.Uri uri = new PurgeOrder.Uri(Shelf.key("/a"));
            assertThat(shelf.purger.carryOut(new PurgeOrder(uri, false, true)).matched())
                    .isEqualTo(1);
            assertThat(shelf.purger.carryOut(new PurgeOrder(uri, true, false)).matched())
                    .isEqualTo(1);
            assertThat(shelf.purger.carryOut(new PurgeOrder(uri, false, false)).matched())
                    .isEqualTo(1);
            assertThat(shelf.purger.carryOut(new PurgeOrder(uri, false, true)).matched())
                    .isZero();
        }
    }

    @Test
    void peak_neitherReadsNorWrites_andCountsBoth() throws Exception {
        try (Shelf shelf = new Shelf(directory)) {
            shelf.put("/a", BODY);
            shelf.evictAll();
            shelf.tier.setOpen(false);
            assertThat(shelf.read("/a")).isNull();
            shelf.put("/b", BODY);
            shelf.evictAll();
            assertThat(shelf.tier.counts.of(DiskCounts.Unread.PEAK)).isEqualTo(1);
            assertThat(shelf.tier.figures().writes().unwritten().get("peak")).isPositive();
            shelf.tier.setOpen(true);
            assertThat(shelf.body("/a")).isEqualTo(BODY);
            assertThat(shelf.read("/b")).isNull();
        }
    }

    @Test
    void peak_withTheSameResponseFetchedAgain_keepsTheRecord() throws Exception {
        try (Shelf shelf = new Shelf(directory)) {
            for (String path : List.of("/same", "/changed", "/relabelled", "/unknown")) {
                shelf.put(path, BODY, 3600, path.equals("/unknown") ? null : "\"e\"", "tag");
            }
            shelf.evictAll();
            shelf.tier.setOpen(false);
            shelf.millis.addAndGet(100_000);
            shelf.put("/same", BODY, 3600, "\"e\"", "tag");
            shelf.put("/changed", BODY, 3600, "\"f\"", "tag");
            shelf.put("/relabelled", BODY, 3600, "\"e\"", "tag", "other");
            shelf.put("/unknown", BODY, 3600, null, "tag");
            shelf.evictAll();
            shelf.tier.setOpen(true);
            assertThat(shelf.body("/same")).isEqualTo(BODY);
            assertThat(shelf.read("/changed")).isNull();
            assertThat(shelf.read("/relabelled")).isNull();
            assertThat(shelf.read("/unknown")).isNull();
            // Off-peak, the newer response replaces the record.
            shelf.tier.setOpen(false);
            shelf.cache.invalidate(Shelf.key("/nothing"));
            shelf.put("/same", BODY, 3600, "\"e\"", "tag");
            shelf.tier.setOpen(true);
            shelf.evictAll();
            assertThat(shelf.read("/same").freshness().ageSeconds(shelf.millis.get()))
                    .isZero();
        }
    }

    @Test
    void purge_ofAResponseInBothTiers_atThePeak_survivesTheProcess() throws Exception {
        try (Shelf shelf = new Shelf(directory)) {
            shelf.put("/a", BODY);
            shelf.evictAll();
            shelf.read("/a");
            shelf.tier.setOpen(false);
            shelf.purge(new PurgeOrder.Uri(Shelf.key("/a")), false);
            long bytes = shelf.tier.log.bytes();
            org.awaitility.Awaitility.await().until(() -> shelf.tier.log.bytes() >= bytes);
        }
        try (Shelf again = new Shelf(directory)) {
            assertThat(again.read("/a")).isNull();
        }
    }

    private static final PartitionSettings DIVIDED = new PartitionSettings(
            PartitionMode.PARTITION, List.of(PriorityPrefix.parse("/first/")), 20, 20);

    /** Stores objects of 120 KB that are not requested again. */
    private static void sweep(Shelf shelf, String prefix, int from, int to) {
        String body = "s".repeat(120_000);
        for (int i = from; i < to; i++) {
            shelf.put(prefix + i, body);
            shelf.awaitWrites();
        }
    }

    /**
     * Stores until more was written than the disk can hold: responses are skipped while too much
     * waits.
     */
    private static void sweepPast(Shelf shelf) {
        long end = shelf.tier.figures().writes().writtenBytes() + Shelf.DISK * 5 / 4;
        for (int i = 0; shelf.tier.figures().writes().writtenBytes() < end; i += 20) {
            assertThat(i).as("written: %s", shelf.tier.figures()).isLessThan(10_000);
            sweep(shelf, "/rest/", i, i + 20);
        }
    }

    /**
     * Returns the objects of this number that are on the disk: some were still in memory, or
     * arrived when too much waited to be written.
     */
    private static List<String> onDisk(Shelf shelf, String prefix, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> prefix + i)
                .filter(path -> shelf.tier.count(Shelf.key(path)) > 0)
                .toList();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void sweepLongerThanTheDisk_keepsPriority_onlyIfTheCacheIsDivided(boolean divided)
            throws Exception {
        PartitionSettings settings = divided ? DIVIDED : PartitionSettings.DEFAULT;
        try (Shelf shelf = new Shelf(directory, settings)) {
            sweep(shelf, "/first/", 0, 40);
            List<String> before = onDisk(shelf, "/first/", 40);
            // The number depends on the speed of this disk; some are skipped while too much waits.
            assertThat(before).hasSizeGreaterThan(5);
            sweepPast(shelf);
            assertThat(shelf.tier.figures().upkeep().aged()).isPositive();
            assertThat(shelf.tier.figures().space().bytes()).isLessThanOrEqualTo(Shelf.DISK);
            if (divided) {
                assertThat(onDisk(shelf, "/first/", 40)).containsAll(before);
                assertThat(shelf.body(before.getFirst())).isEqualTo("s".repeat(120_000));
            } else {
                assertThat(onDisk(shelf, "/first/", 40)).isEmpty();
            }
        }
        try (Shelf again = new Shelf(directory, settings)) {
            assertThat(again.tier.figures().space().protectedBytes() > 5 * 120_000L)
                    .isEqualTo(divided);
        }
    }

    @Test
    void priorityBeyondItsShare_isDropped_theOldestFirst() throws Exception {
        try (Shelf shelf = new Shelf(directory, DIVIDED)) {
            long share = shelf.tier.guardedShareBytes();
            int twice = (int) (2 * share / 120_000);
            sweep(shelf, "/first/", 0, twice);
            List<String> before = onDisk(shelf, "/first/", twice);
            assertThat(shelf.tier.figures().space().protectedBytes()).isGreaterThan(share * 5 / 4);
            sweepPast(shelf);
            assertThat(shelf.tier.figures().space().protectedBytes())
                    .isBetween(share * 3 / 4, share);
            List<String> after = onDisk(shelf, "/first/", twice);
            assertThat(after).doesNotContain(before.getFirst()).contains(before.getLast());
        }
    }

    @Test
    void prioritySlightlyBeyondItsShare_losesOnlyTheExcess() throws Exception {
        try (Shelf shelf = new Shelf(directory, DIVIDED)) {
            long share = shelf.tier.guardedShareBytes();
            int count = 0;
            while (shelf.tier.figures().space().protectedBytes() <= share) {
                assertThat(count).as("written: %s", shelf.tier.figures()).isLessThan(2_000);
                sweep(shelf, "/first/", count, ++count);
            }
            List<String> before = onDisk(shelf, "/first/", count);
            sweepPast(shelf);
            // Memory contained at most eight more. A segment contains 34: it must not be dropped as
            // a whole for a small excess.
            assertThat(shelf.tier.figures().space().protectedBytes())
                    .isBetween(share * 9 / 10, share);
            assertThat(onDisk(shelf, "/first/", count))
                    .doesNotContain(before.getFirst())
                    .contains(before.get(20));
        }
    }

    @Test
    void otherPrefixes_changeTheKeptRecords_segmentBySegment() throws Exception {
        try (Shelf shelf = new Shelf(directory, DIVIDED)) {
            sweep(shelf, "/first/", 0, 10);
            sweep(shelf, "/second/", 0, 10);
            List<String> second = onDisk(shelf, "/second/", 10);
            assertThat(second).isNotEmpty();
            shelf.cache.divide(new PartitionSettings(
                    PartitionMode.PARTITION, List.of(PriorityPrefix.parse("/second/")), 20, 20));
            sweepPast(shelf);
            assertThat(onDisk(shelf, "/second/", 10)).containsAll(second);
            assertThat(onDisk(shelf, "/first/", 10)).isEmpty();
        }
    }

    @Test
    void moreThanTheLimit_dropsTheOldest_andKeepsRequestedRecords() throws Exception {
        try (Shelf shelf = new Shelf(directory)) {
            String body = "x".repeat(100_000);
            for (int i = 0; i < 1_800; i++) {
                shelf.put("/" + i, body);
                if (shelf.cache.get(Shelf.key("/" + i)) instanceof StoredResponse stored) {
                    stored.hit();
                }
                shelf.awaitWrites();
                if (i == 30) {
                    shelf.evictAll();
                    int restoredCount = 0;
                    for (int early = 0; early < 20; early++) {
                        restoredCount += shelf.body("/" + early).isEmpty() ? 0 : 1;
                    }
                    assertThat(restoredCount).isPositive();
                }
                assertThat(shelf.tier.figures().space().bytes()).isLessThanOrEqualTo(Shelf.DISK);
            }
            shelf.evictAll();
            DiskFigures figures = shelf.tier.figures();
            assertThat(figures.upkeep().aged()).isPositive();
            assertThat(figures.upkeep().renewed()).isPositive();
            assertThat(figures.space().bytes()).isBetween(Shelf.DISK * 3 / 4, Shelf.DISK);
            assertThat(shelf.read("/1")).isNull();
            int recent = 0;
            for (int i = 1_700; i < 1_800; i++) {
                String found = shelf.body("/" + i);
                assertThat(found).isIn("", body);
                recent += found.isEmpty() ? 0 : 1;
            }
            assertThat(recent).isGreaterThan(20);
        }
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files.mapToLong(file -> file.toFile().length()).sum())
                    .isLessThanOrEqualTo(Shelf.DISK + 10_000_000);
        }
    }

    @Test
    void index_isLimitedByTheDiskAndByTheHeap() {
        assertThat(DiskTier.maxRecords(64L << 20, 128L << 20)).isEqualTo(16_384);
        assertThat(DiskTier.maxRecords(1L << 40, 128L << 20)).isEqualTo(524_288);
    }

    @Test
    void writeAhead_writesBeforeTheEviction() throws Exception {
        try (Shelf shelf = new Shelf(directory)) {
            shelf.put("/asked", BODY);
            shelf.put("/never", BODY);
            ((StoredResponse) shelf.cache.get(Shelf.key("/asked"))).hit();
            assertThat(shelf.tier.writeAhead(100)).isEqualTo(1);
            shelf.awaitWrites();
            assertThat(shelf.tier.figures().writes().written()).isEqualTo(1);
            shelf.evictAll();
            assertThat(shelf.tier.figures().writes().kept()).isPositive();
            assertThat(shelf.body("/asked")).isEqualTo(BODY);
        }
    }

    @Test
    void peakWorkingSet_restoresTheResponsesOfThePeak() throws Exception {
        try (Shelf shelf = new Shelf(directory)) {
            shelf.put("/hot", BODY);
            shelf.put("/refused", BODY);
            shelf.evictAll();
            shelf.read("/hot").hit();
            shelf.tier.setOpen(false);
            assertThat(shelf.read("/refused")).isNull();
            shelf.tier.setOpen(true);
            shelf.tier.peakWorkingSet().capture();
            shelf.evictAll();
            assertThat(shelf.inMemory("/hot")).isFalse();
        }
        try (Shelf again = new Shelf(directory)) {
            assertThat(again.tier.peakWorkingSet().restore(Long.MAX_VALUE / 4)).isEqualTo(2);
            assertThat(again.inMemory("/hot")).isTrue();
            assertThat(again.inMemory("/refused")).isTrue();
        }
    }

    /**
     * Versions only increase; a purged version is never found afterwards, wherever it was
     * meanwhile.
     */
    @Test
    void purges_duringMovesBetweenTheTiers_missNothing() throws Exception {
        try (Shelf shelf = new Shelf(directory)) {
            AtomicLong version = new AtomicLong(1);
            AtomicLong floor = new AtomicLong();
            AtomicBoolean over = new AtomicBoolean();
            List<String> seen = java.util.Collections.synchronizedList(new ArrayList<>());
            List<Thread> threads = new ArrayList<>();
            threads.add(Thread.ofPlatform().start(() -> {
                Random random = new Random(1);
                while (!over.get()) {
                    shelf.put(
                            "/filler/" + random.nextInt(40),
                            "f".repeat(60_000 + random.nextInt(40_000)),
                            1,
                            null);
                }
            }));
            for (int i = 0; i < 2; i++) {
                threads.add(Thread.ofPlatform().start(() -> {
                    while (!over.get()) {
                        long before = floor.get();
                        try {
                            String body =
                                    shelf.cache.get(Shelf.key("/v")) instanceof StoredResponse there
                                                    && there.retain()
                                            ? Shelf.text(there)
                                            : shelf.body("/v");
                            if (!body.isEmpty() && Long.parseLong(body.strip()) <= before) {
                                seen.add(body.strip() + " after " + before);
                            }
                        } catch (Exception e) {
                            seen.add(e.toString());
                        }
                    }
                }));
            }
            for (int i = 0; i < 1_500; i++) {
                long now = version.incrementAndGet();
                shelf.put("/v", String.format(Locale.ROOT, "%3000d", now), 3600, null, "tag");
                for (int turns = i % 7; turns > 0; turns--) {
                    Thread.yield();
                }
                shelf.purge(
                        i % 2 == 0
                                ? new PurgeOrder.Uri(Shelf.key("/v"))
                                : PurgeOrder.tags(List.of("tag")),
                        false);
                floor.set(now);
            }
            over.set(true);
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(seen).isEmpty();
        }
    }
}
