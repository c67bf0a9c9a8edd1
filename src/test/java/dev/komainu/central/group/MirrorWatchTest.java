package dev.komainu.central.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.record.Distribution;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests of the comparison of mirrors, with simulated servers: requests of uneven clients wait in
 * the queue of a server with a number of workers, and each takes a random service time.
 */
class MirrorWatchTest {

    private static final int BLOCKS_AN_HOUR = 3_600 / MirrorWatch.BLOCK_SECONDS;
    private static final int SERVERS = 4;

    /** A difference of the last server. */
    private enum Oddity {
        SLOW_DISK,
        FEW_WORKERS,
        LITTLE_CPU,
        LOSSY_LINK,
        ERRORS,
        EMPTY_PAGES
    }

    /** A server whose requests wait for one of its workers. */
    private static final class Server {
        private final Random random;
        private final PriorityQueue<Double> free = new PriorityQueue<>();
        private final int workers;
        private double meanMillis = 40;
        private double errorShare = 0.001;
        private double repeatShare = 0.001;
        private double transferMillis = 3;
        private boolean mixed;
        private double reportShare = 0.1;
        /** Share of the pages that are read from the disk. */
        private double readShare = 0.6;

        private double readMillis = 1;

        Server(Random random, int workers) {
            this.random = random;
            this.workers = workers;
            for (int worker = 0; worker < workers; worker++) {
                free.add(0.0);
            }
        }

        void make(Oddity oddity) {
            switch (oddity) {
                case SLOW_DISK -> meanMillis *= 4;
                case LITTLE_CPU -> meanMillis *= 2.5;
                case FEW_WORKERS -> {
                    while (free.size() > workers / 8) {
                        free.remove();
                    }
                }
                case LOSSY_LINK -> {
                    repeatShare = 0.06;
                    transferMillis *= 12;
                }
                case ERRORS -> errorShare = 0.2;
                case EMPTY_PAGES -> meanMillis /= 10;
            }
        }

        /** Serves a block of requests that arrive at random. */
        MirrorWindow block(double start, double perSecond) {
            Histogram response = Distribution.newRecorder();
            Histogram transfer = Distribution.newRecorder();
            long requests = 0;
            long failures = 0;
            long packets = 0;
            long repeats = 0;
            double at = start;
            double end = start + MirrorWatch.BLOCK_SECONDS;
            while (true) {
                at -= Math.log(1 - random.nextDouble()) / perSecond;
                if (at >= end) {
                    break;
                }
                double begin = Math.max(at, free.remove());
                double takes = serviceMillis() / 1_000;
                free.add(begin + takes);
                requests++;
                Distribution.record(response, (long) ((begin + takes - at) * 1e6));
                Distribution.record(transfer, (long) (transferMillis * 1_000 * logNormal(0.7)));
                failures += random.nextDouble() < errorShare ? 1 : 0;
                for (int packet = 0; packet < 8; packet++) {
                    packets++;
                    repeats += random.nextDouble() < repeatShare ? 1 : 0;
                }
            }
            return new MirrorWindow(
                    requests,
                    new BlockTimes(response),
                    new BlockTimes(transfer),
                    failures,
                    packets,
                    repeats,
                    0,
                    null);
        }

        /**
         * Returns a service time: of one kind of requests, or of pages, an application, reports.
         */
        private double serviceMillis() {
            if (!mixed) {
                return meanMillis * logNormal(0.8);
            }
            double kind = random.nextDouble();
            if (kind < reportShare) {
                return 1_000 * logNormal(0.3);
            }
            if (kind < reportShare + 0.2) {
                return 40 * logNormal(0.6);
            }
            return 2 * logNormal(0.8) + (random.nextDouble() < readShare ? readMillis : 0);
        }

        /** Returns a random factor with the mean 1. */
        private double logNormal(double sigma) {
            return Math.exp(sigma * random.nextGaussian() - sigma * sigma / 2);
        }
    }

    /**
     * Clients that stay at one server: few of them send most requests (Zipf), and each pauses for
     * half a minute now and then.
     */
    private static final class Clients {
        private static final int CLIENTS = 40;
        private final Random random;
        private final int[] server = new int[CLIENTS];
        private final boolean[] pauses = new boolean[CLIENTS];
        private final double total;

        Clients(Random random, double total) {
            this.random = random;
            this.total = total;
            Arrays.setAll(server, client -> random.nextInt(SERVERS));
        }

        double[] rates() {
            double[] rates = new double[SERVERS];
            double sum = 0;
            for (int client = 0; client < CLIENTS; client++) {
                sum += 1.0 / (client + 1);
            }
            for (int client = 0; client < CLIENTS; client++) {
                if (random.nextInt(6) == 0) {
                    pauses[client] = !pauses[client] && random.nextInt(3) == 0;
                }
                if (!pauses[client]) {
                    rates[server[client]] += total / (client + 1) / sum;
                }
            }
            for (int n = 0; n < SERVERS; n++) {
                rates[n] = Math.max(rates[n], 0.5);
            }
            return rates;
        }
    }

    private static Server[] servers(Random random, int workers) {
        Server[] servers = new Server[SERVERS];
        Arrays.setAll(servers, n -> new Server(random, workers));
        return servers;
    }

    private static void play(MirrorWatch watch, Server[] servers, double[] rates, int block) {
        Map<String, MirrorWindow> windows = new LinkedHashMap<>();
        double start = (double) block * MirrorWatch.BLOCK_SECONDS;
        for (int n = 0; n < servers.length; n++) {
            windows.put("web-" + n + ":80", servers[n].block(start, rates[n]));
        }
        watch.add((long) start + MirrorWatch.BLOCK_SECONDS - 1, windows);
    }

    /** Ten hours with different clients: evenly loaded servers, and nearly saturated ones. */
    @Test
    void add_fourEqualMirrorsUnderUnevenClients_nobodyIsNamed() {
        for (long seed = 1; seed <= 10; seed++) {
            Random random = new Random(seed);
            double total = seed % 2 == 0 ? 120 : 320;
            Server[] servers = servers(random, 8);
            Clients clients = new Clients(random, total);
            MirrorWatch watch = new MirrorWatch();
            for (int block = 0; block < BLOCKS_AN_HOUR; block++) {
                play(watch, servers, clients.rates(), block);
                assertThat(watch.named()).as("seed %s, block %s", seed, block).isEmpty();
            }
        }
    }

    /** Few requests: the medians of a block are of some tens of responses. */
    @Test
    void add_fourEqualMirrorsWithFewRequests_nobodyIsNamed() {
        for (long seed = 1; seed <= 20; seed++) {
            Random random = new Random(100 + seed);
            Server[] servers = servers(random, 8);
            MirrorWatch watch = new MirrorWatch();
            double[] rates = {5, 5, 5, 5};
            for (int block = 0; block < BLOCKS_AN_HOUR; block++) {
                play(watch, servers, rates, block);
                assertThat(watch.named()).as("seed %s, block %s", seed, block).isEmpty();
            }
        }
    }

    /** Requests of three kinds, in other proportions at each server because its clients stay. */
    @Test
    void add_fourEqualMirrorsWithOtherMixesOfPages_nobodyIsNamed() {
        for (long seed = 1; seed <= 20; seed++) {
            Random random = new Random(300 + seed);
            Server[] servers = servers(random, 24);
            double[] rates = new double[SERVERS];
            for (int n = 0; n < SERVERS; n++) {
                servers[n].mixed = true;
                servers[n].reportShare = 0.05 + 0.1 * random.nextDouble();
                rates[n] = 5 + 10 * random.nextDouble();
            }
            MirrorWatch watch = new MirrorWatch();
            for (int block = 0; block < BLOCKS_AN_HOUR; block++) {
                play(watch, servers, rates, block);
                assertThat(watch.named()).as("seed %s, block %s", seed, block).isEmpty();
            }
        }
    }

    /** Less than half of the requests read from the disk, so the median of all stays the same. */
    @Test
    void add_slowDiskThatFewRequestsNeed_isNamedByItsSlowResponses() {
        for (long seed = 1; seed <= 10; seed++) {
            Random random = new Random(400 + seed);
            Server[] servers = servers(random, 24);
            for (Server server : servers) {
                server.mixed = true;
            }
            MirrorWatch watch = new MirrorWatch();
            double[] rates = {10, 10, 10, 10};
            int block = 0;
            for (; block < 60; block++) {
                play(watch, servers, rates, block);
            }
            assertThat(watch.named()).isEmpty();

            servers[3].readMillis = 150;
            int onset = block;
            while (watch.named().isEmpty() && block < onset + 100) {
                play(watch, servers, rates, block++);
            }
            assertThat((block - onset) * MirrorWatch.BLOCK_SECONDS)
                    .as("seconds until it is named, seed %s", seed)
                    .isLessThanOrEqualTo(60);
            assertThat(watch.named()).singleElement().satisfies(odd -> {
                assertThat(odd.service()).isEqualTo("web-3:80");
                assertThat(odd.evidence())
                        .filteredOn(clue -> clue.figure().equals("slowResponses"))
                        .singleElement()
                        .satisfies(clue -> {
                            assertThat(clue.value()).isGreaterThan(clue.peersMost() + 0.2);
                            assertThat(clue.longerThanMillis()).isBetween(20.0, 160.0);
                        });
            });
        }
    }

    /**
     * Four mirrors of which the last one is as told; each with so many requests that load explains
     * nothing.
     */
    private static void addBlock(
            MirrorWatch watch, int block, double troubledShare, double peerShare, Double limit) {
        Map<String, MirrorWindow> windows = new LinkedHashMap<>();
        for (int n = 0; n < SERVERS; n++) {
            boolean isLast = n == SERVERS - 1;
            windows.put(
                    "web-" + n + ":80",
                    new MirrorWindow(
                            100,
                            new BlockTimes(Distribution.newRecorder()),
                            new BlockTimes(Distribution.newRecorder()),
                            isLast && block % 4 == 3 ? 8 : 0,
                            800,
                            0,
                            isLast ? troubledShare : n == 0 ? peerShare : 0,
                            isLast ? limit : Double.valueOf(512)));
        }
        watch.add((block + 1L) * MirrorWatch.BLOCK_SECONDS - 1, windows);
    }

    @Test
    void add_stateThatNoPeerHas_isNamedAfterFiveBlocks() {
        MirrorWatch watch = new MirrorWatch();
        for (int block = 0; block < 5; block++) {
            assertThat(watch.named()).isEmpty();
            addBlock(watch, block, 0.6, 0, 512.0);
        }
        assertThat(watch.named()).singleElement().satisfies(odd -> {
            assertThat(odd.service()).isEqualTo("web-3:80");
            assertThat(odd.evidence())
                    .filteredOn(clue -> clue.figure().equals("troubled"))
                    .singleElement()
                    .satisfies(clue -> assertThat(clue.value()).isEqualTo(0.6));
        });
    }

    @Test
    void add_stateThatAPeerHasToo_namesNoMirror() {
        MirrorWatch watch = new MirrorWatch();
        for (int block = 0; block < 20; block++) {
            addBlock(watch, block, 0.6, 0.6, 512.0);
            assertThat(watch.named()).isEmpty();
        }
    }

    /** A host that is busy with something else, as in an hour of four equal ones beside builds. */
    @Test
    void add_mirrorsThatAreInTroubleInTurn_areNotNamed() {
        for (long seed = 1; seed <= 10; seed++) {
            Random random = new Random(500 + seed);
            MirrorWatch watch = new MirrorWatch();
            int block = 0;
            for (int turn = 0; block < BLOCKS_AN_HOUR; turn++) {
                int blocks = 1 + random.nextInt(turn == 0 ? 4 : 6);
                for (int n = 0; n < blocks; n++, block++) {
                    boolean isLast = turn % 2 == 0;
                    addBlock(watch, block, isLast ? 1 : 0, isLast ? 0 : 1, 512.0);
                    assertThat(watch.named())
                            .as("seed %s, block %s", seed, block)
                            .isEmpty();
                }
            }
        }
    }

    /** Failures in every fourth block are too few by themselves. */
    @Test
    void add_lowerLimitWithAFewFailures_isNamed_andNotWithoutEither() {
        MirrorWatch equal = new MirrorWatch();
        MirrorWatch unknown = new MirrorWatch();
        MirrorWatch lower = new MirrorWatch();
        for (int block = 0; block < 8; block++) {
            addBlock(equal, block, 0, 0, 512.0);
            addBlock(unknown, block, 0, 0, null);
            addBlock(lower, block, 0, 0, 10.0);
            assertThat(lower.named()).hasSize(block < 7 ? 0 : 1);
        }
        assertThat(equal.named()).isEmpty();
        assertThat(unknown.named()).isEmpty();
        assertThat(lower.named()).singleElement().satisfies(odd -> {
            assertThat(odd.evidence())
                    .extracting(OddMember.Clue::figure)
                    .containsExactly("failures", "limit", "share");
            assertThat(odd.evidence().get(1).decisive()).isFalse();
        });
    }

    @ParameterizedTest
    @EnumSource(Oddity.class)
    void add_oneOddMirror_isNamedInAMinuteAndClearedAfterItsCure(Oddity oddity) {
        for (long seed = 1; seed <= 10; seed++) {
            Random random = new Random(200 + seed);
            Server[] servers = servers(random, 16);
            MirrorWatch watch = new MirrorWatch();
            double[] rates = {30, 30, 30, 30};
            int block = 0;
            for (; block < 60; block++) {
                play(watch, servers, rates, block);
            }
            assertThat(watch.named()).isEmpty();

            servers[3].make(oddity);
            if (oddity == Oddity.FEW_WORKERS) {
                // Two workers at 40 ms carry 50 requests a second.
                rates = new double[] {48, 48, 48, 48};
            }
            int onset = block;
            while (watch.named().isEmpty() && block < onset + 100) {
                play(watch, servers, rates, block++);
            }
            assertThat((block - onset) * MirrorWatch.BLOCK_SECONDS)
                    .as("seconds until %s is named, seed %s", oddity, seed)
                    .isLessThanOrEqualTo(60);
            List<OddMember> named = watch.named();
            assertThat(named).singleElement().satisfies(odd -> {
                assertThat(odd.service()).isEqualTo("web-3:80");
                assertThat(odd.since().getEpochSecond())
                        .isGreaterThanOrEqualTo((long) (onset - 2) * MirrorWatch.BLOCK_SECONDS);
                assertThat(odd.evidence()).first().satisfies(clue -> {
                    assertThat(clue.decisive()).isTrue();
                    assertThat(clue.value() < clue.peersLeast() || clue.value() > clue.peersMost())
                            .as("%s lies beyond all peers", clue)
                            .isTrue();
                });
                assertThat(odd.evidence().getLast().figure()).isEqualTo("share");
            });

            servers[3] = new Server(random, 16);
            int cure = block;
            while (!watch.named().isEmpty() && block < cure + 200) {
                play(watch, servers, rates, block++);
            }
            assertThat(watch.named())
                    .as("%s after the cure, seed %s", oddity, seed)
                    .isEmpty();
        }
    }

    /** The balancer sends one mirror half of all requests: its queue explains its times. */
    @Test
    void add_oneMirrorWithMoreLoad_isNotNamed() {
        Random random = new Random(7);
        Server[] servers = servers(random, 8);
        MirrorWatch watch = new MirrorWatch();
        double[] rates = {60, 60, 60, 195};
        for (int block = 0; block < BLOCKS_AN_HOUR / 4; block++) {
            play(watch, servers, rates, block);
            assertThat(watch.named()).as("block %s", block).isEmpty();
        }
    }

    /** The balancer sends one mirror twice the requests; it carries them until it loses workers. */
    @Test
    void add_mirrorThatCarriedMoreLoadBefore_isNamedWhenItGetsSlow() {
        for (long seed = 1; seed <= 10; seed++) {
            Random random = new Random(500 + seed);
            Server[] servers = servers(random, 16);
            MirrorWatch watch = new MirrorWatch();
            double[] rates = {20, 20, 20, 48};
            int block = 0;
            for (; block < 60; block++) {
                play(watch, servers, rates, block);
            }
            assertThat(watch.named()).isEmpty();

            servers[3].make(Oddity.FEW_WORKERS);
            int onset = block;
            while (watch.named().isEmpty() && block < onset + 100) {
                play(watch, servers, rates, block++);
            }
            assertThat((block - onset) * MirrorWatch.BLOCK_SECONDS)
                    .as("seconds until it is named, seed %s", seed)
                    .isLessThanOrEqualTo(60);
            assertThat(watch.named())
                    .singleElement()
                    .extracting(OddMember::service)
                    .isEqualTo("web-3:80");
        }
    }

    /** Two of four are slow: the median of the peers of a good one is slow, too. */
    @Test
    void add_twoSlowMirrors_theGoodOnesAreNotNamed() {
        Random random = new Random(9);
        Server[] servers = servers(random, 16);
        servers[0].make(Oddity.SLOW_DISK);
        servers[1].make(Oddity.SLOW_DISK);
        MirrorWatch watch = new MirrorWatch();
        for (int block = 0; block < BLOCKS_AN_HOUR / 4; block++) {
            play(watch, servers, new double[] {20, 20, 20, 20}, block);
            assertThat(watch.named())
                    .extracting(OddMember::service)
                    .doesNotContain("web-2:80", "web-3:80");
        }
    }

    @Test
    void add_twoMirrors_areNotCompared() {
        Random random = new Random(8);
        Server[] servers = {new Server(random, 16), new Server(random, 16)};
        servers[1].make(Oddity.SLOW_DISK);
        MirrorWatch watch = new MirrorWatch();
        for (int block = 0; block < 30; block++) {
            play(watch, servers, new double[] {30, 30}, block);
        }
        assertThat(watch.named()).isEmpty();
    }
}
