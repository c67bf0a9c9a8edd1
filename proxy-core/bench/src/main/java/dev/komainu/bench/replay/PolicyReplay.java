package dev.komainu.bench.replay;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.caching.Freshness;
import dev.komainu.proxy.cache.CacheEntry;
import dev.komainu.proxy.cache.CachePolicy;
import dev.komainu.proxy.cache.CacheSettings;
import dev.komainu.proxy.cache.PartitionSettings;
import dev.komainu.proxy.cache.StoredHead;
import dev.komainu.proxy.cache.StoredResponse;
import dev.komainu.proxy.cache.tier.MemoryCache;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import java.util.function.ToIntFunction;

/**
 * The experiment {@code bench proxy-policy}: the same requests to the proxy's own memory cache
 * under each policy, in this process, without a network. The requests are drawn with fixed seeds.
 * Each stored object occupies the room, the head and the heap that it occupies in the proxy. The
 * first half of the requests fills the cache, the second half is counted.
 *
 * <p>Arguments: the limit of the cache in MB, requests for each row.
 */
final class PolicyReplay {

    private static final byte[] HEAD = new byte[250];
    private static final String MODIFIED = "Sun, 22 Nov 2026 03:00:00 GMT";

    /** A sequence of requests: an object's number; -1 for an object that may not be stored. */
    private record Workload(String name, ToIntFunction<Dice> nextObject, IntUnaryOperator bytes) {}

    /**
     * The random numbers, and the number of objects requested in sequence so far: both restart for
     * each policy.
     */
    private static final class Dice extends Random {
        private int sequential;

        Dice() {
            super(20261122);
        }
    }

    private record Ratios(double requests, double bytes) {}

    private PolicyReplay() {}

    public static void main(String[] arguments) {
        long maxBytes = Long.parseLong(arguments[0]) << 20;
        int requests = Integer.parseInt(arguments[1]);
        System.out.printf(
                Locale.ROOT,
                "Cache of %d MB, %,d requests a row, the second half counted; hit ratio, byte hit ratio%n",
                maxBytes >> 20,
                requests);
        System.out.println(
                "| requests                                | W-TinyLFU     | LRU           | gain          |");
        System.out.println(
                "|-----------------------------------------|---------------|---------------|---------------|");
        for (Workload load : workloads(maxBytes)) {
            Ratios frequency = replay(CachePolicy.W_TINYLFU, maxBytes, load, requests);
            Ratios recency = replay(CachePolicy.LRU, maxBytes, load, requests);
            System.out.printf(
                    Locale.ROOT,
                    "| %-39s | %.3f, %.3f  | %.3f, %.3f  | %+.3f, %+.3f |%n",
                    load.name(),
                    frequency.requests(),
                    frequency.bytes(),
                    recency.requests(),
                    recency.bytes(),
                    frequency.requests() - recency.requests(),
                    frequency.bytes() - recency.bytes());
        }
    }

    private static List<Workload> workloads(long maxBytes) {
        // Ten times as many as the cache can store, of 10 KB each.
        int objects = (int) (10 * maxBytes / 10_240);
        IntUnaryOperator constantSize = object -> 10_240;
        List<Workload> all = new ArrayList<>();
        for (double skew : new double[] {0.7, 0.9, 1.1}) {
            ToIntFunction<Dice> zipf = zipf(objects, skew);
            all.add(new Workload("Zipf " + skew + ", 10 KB", zipf, constantSize));
        }
        all.add(new Workload(
                "Zipf 0.9, 0.1 to 1 KB",
                zipf((int) (maxBytes / 55), 0.9),
                object -> 100 + hash(object) % 925));
        all.add(new Workload(
                "Zipf 0.9, 0.5 to 200 KB", zipf((int) (maxBytes / 3_500), 0.9), object ->
                        (int) (512 * Math.pow(400, hash(object) / (double) (1 << 24)))));
        // A crawler: two requests of three go through eight times as many other objects, in order.
        ToIntFunction<Dice> visitors = zipf(objects, 0.9);
        all.add(new Workload(
                "Zipf 0.9 and a scan, 1 to 2, 10 KB",
                dice -> dice.nextInt(3) == 0
                        ? visitors.applyAsInt(dice)
                        : objects + dice.sequential++ % (8 * objects),
                constantSize));
        // Web Polygraph's (spec section 1): 80 % may be stored, 55 % could be hits of an unlimited
        // cache, so 55 of these 80 repeat an earlier request, by Zipf's law; mean 10 KB.
        ToIntFunction<Dice> ranks = zipf(objects, 0.9);
        all.add(new Workload(
                "the paper's: 80 % storable, 55 % repeated",
                dice -> {
                    double kind = dice.nextDouble();
                    return kind < 0.20
                            ? -1
                            : kind < 0.75 ? ranks.applyAsInt(dice) : objects + dice.sequential++;
                },
                object -> object < 0
                        ? 10_240
                        : Math.clamp(
                                (long) (-10_240
                                        * Math.log((hash(object) + 1) / (double) ((1 << 24) + 1))),
                                200,
                                200_000)));
        return all;
    }

    /** Returns 24 bits that are constant for an object. */
    private static int hash(int object) {
        return (int) (((object + 1L) * 0x9E3779B97F4A7C15L) >>> 40);
    }

    private static ToIntFunction<Dice> zipf(int count, double skew) {
        double[] cumulative = new double[count];
        double sum = 0;
        for (int i = 0; i < count; i++) {
            sum += Math.pow(i + 1, -skew);
            cumulative[i] = sum;
        }
        double all = sum;
        return dice -> {
            int index = Arrays.binarySearch(cumulative, dice.nextDouble() * all);
            return index < 0 ? Math.min(count - 1, -index - 1) : index;
        };
    }

    private static Ratios replay(CachePolicy policy, long maxBytes, Workload load, int requests) {
        CacheSettings defaults = CacheSettings.DEFAULT;
        MemoryCache cache = new MemoryCache(new CacheSettings(
                maxBytes,
                defaults.touchAtStart(),
                defaults.maxObjectShare(),
                defaults.passMarkMillis(),
                defaults.storeCookies(),
                defaults.graceSeconds(),
                defaults.negativeSeconds(),
                defaults.targets(),
                defaults.stripTags(),
                policy,
                PartitionSettings.DEFAULT));
        Dice dice = new Dice();
        long counted = 0;
        long hits = 0;
        long bytesCounted = 0;
        long bytesHit = 0;
        for (int i = 0; i < requests; i++) {
            int object = load.nextObject().applyAsInt(dice);
            int bytes = load.bytes().applyAsInt(object);
            CacheKey key = CacheKey.of("www.example.org/objects/" + object);
            CacheEntry found = object < 0 ? null : cache.get(key);
            if (i >= requests / 2) {
                counted++;
                bytesCounted += bytes;
                hits += found == null ? 0 : 1;
                bytesHit += found == null ? 0 : bytes;
            }
            if (object >= 0 && found == null) {
                store(cache, key, bytes);
            }
        }
        cache.clear();
        return new Ratios(hits / (double) counted, bytesHit / (double) bytesCounted);
    }

    private static void store(MemoryCache cache, CacheKey key, int bytes) {
        String etag = "\"" + key.hashCode() + "\"";
        List<ByteBuf> runs = new ArrayList<>(1);
        for (int left = bytes; left > 0; ) {
            ByteBuf run = cache.allocate(left, StoredHead.bytes(HEAD, etag, MODIFIED));
            if (run == null) {
                runs.forEach(ByteBuf::release);
                return;
            }
            run.writerIndex(run.capacity());
            left -= run.capacity();
            runs.add(run);
        }
        StoredHead head = cache.head(runs.getLast(), HEAD, etag, MODIFIED);
        if (head == null) {
            runs.forEach(ByteBuf::release);
            return;
        }
        Freshness freshness = new Freshness(3600, 0, 0, false, false, true, 0, 0, 0);
        cache.put(
                new StoredResponse(
                        key, 200, head, runs.toArray(ByteBuf[]::new), freshness, List.of()),
                cache.purgeTimestamps().now(),
                key,
                0);
    }
}
