package dev.komainu.bench.replay;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.caching.Freshness;
import dev.komainu.proxy.cache.CacheEntry;
import dev.komainu.proxy.cache.CachePolicy;
import dev.komainu.proxy.cache.CacheSettings;
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
 * bench proxy-policy: the same requests to the proxy's own memory cache under each policy, in this
 * process, without network. What is asked for is drawn with fixed seeds; each object stored takes
 * the room, the head and the heap that it takes in the proxy. The first half of the requests fills
 * the cache, the second is counted.
 *
 * <p>Arguments: the cap in MB, requests for each row.
 */
final class PolicyReplay {

    private static final byte[] HEAD = new byte[250];
    private static final String MODIFIED = "Sun, 22 Nov 2026 03:00:00 GMT";

    /** What is asked for: an object's number; -1 for what may not be stored. */
    private record Workload(String name, ToIntFunction<Dice> wish, IntUnaryOperator bytes) {}

    /**
     * Chance, and how many objects were asked for in turn so far: both begin anew for each policy.
     */
    private static final class Dice extends Random {
        private int turns;

        Dice() {
            super(20261122);
        }
    }

    private record Ratios(double requests, double bytes) {}

    private PolicyReplay() {}

    public static void main(String[] arguments) {
        long cap = Long.parseLong(arguments[0]) << 20;
        int requests = Integer.parseInt(arguments[1]);
        System.out.printf(
                Locale.ROOT,
                "Cap of %d MB, %,d requests a row, the second half counted; hit ratio, byte hit ratio%n",
                cap >> 20,
                requests);
        System.out.println(
                "| requests                                | W-TinyLFU     | LRU           | gain          |");
        System.out.println(
                "|-----------------------------------------|---------------|---------------|---------------|");
        for (Workload load : workloads(cap)) {
            Ratios frequency = replay(CachePolicy.W_TINYLFU, cap, load, requests);
            Ratios recency = replay(CachePolicy.LRU, cap, load, requests);
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

    private static List<Workload> workloads(long cap) {
        // Ten times as much as the cache holds, of 10 KB each.
        int many = (int) (10 * cap / 10_240);
        IntUnaryOperator same = object -> 10_240;
        List<Workload> all = new ArrayList<>();
        for (double skew : new double[] {0.7, 0.9, 1.1}) {
            ToIntFunction<Dice> zipf = zipf(many, skew);
            all.add(new Workload("Zipf " + skew + ", 10 KB", zipf, same));
        }
        all.add(new Workload(
                "Zipf 0.9, 0.1 to 1 KB",
                zipf((int) (cap / 55), 0.9),
                object -> 100 + mixed(object) % 925));
        all.add(new Workload("Zipf 0.9, 0.5 to 200 KB", zipf((int) (cap / 3_500), 0.9), object ->
                (int) (512 * Math.pow(400, mixed(object) / (double) (1 << 24)))));
        // A crawler: two requests of three go through eight times as many others, in order.
        ToIntFunction<Dice> visitors = zipf(many, 0.9);
        all.add(new Workload(
                "Zipf 0.9 and a scan, 1 to 2, 10 KB",
                dice -> dice.nextInt(3) == 0
                        ? visitors.applyAsInt(dice)
                        : many + dice.turns++ % (8 * many),
                same));
        // Web Polygraph's (spec section 1): 80 % may be stored, 55 % could be hits of a cache
        // without end, so 55 of these 80 ask again for what was asked for before, by Zipf's law
        // over it; mean 10 KB.
        ToIntFunction<Dice> ranks = zipf(many, 0.9);
        all.add(new Workload(
                "the paper's: 80 % storable, 55 % again",
                dice -> {
                    double kind = dice.nextDouble();
                    return kind < 0.20
                            ? -1
                            : kind < 0.75 ? ranks.applyAsInt(dice) : many + dice.turns++;
                },
                object -> object < 0
                        ? 10_240
                        : Math.clamp(
                                (long) (-10_240
                                        * Math.log((mixed(object) + 1) / (double) ((1 << 24) + 1))),
                                200,
                                200_000)));
        return all;
    }

    /** 24 bits that an object always has. */
    private static int mixed(int object) {
        return (int) (((object + 1L) * 0x9E3779B97F4A7C15L) >>> 40);
    }

    private static ToIntFunction<Dice> zipf(int objects, double skew) {
        double[] upTo = new double[objects];
        double sum = 0;
        for (int i = 0; i < objects; i++) {
            sum += Math.pow(i + 1, -skew);
            upTo[i] = sum;
        }
        double all = sum;
        return dice -> {
            int at = Arrays.binarySearch(upTo, dice.nextDouble() * all);
            return at < 0 ? Math.min(objects - 1, -at - 1) : at;
        };
    }

    private static Ratios replay(CachePolicy policy, long cap, Workload load, int requests) {
        CacheSettings d = CacheSettings.DEFAULT;
        MemoryCache cache = new MemoryCache(new CacheSettings(
                        cap,
                        d.maxObjectShare(),
                        d.passMarkMillis(),
                        d.storeCookies(),
                        d.graceSeconds(),
                        d.negativeSeconds(),
                        d.targets(),
                        d.stripTags())
                .withPolicy(policy));
        Dice dice = new Dice();
        long counted = 0;
        long hits = 0;
        long bytesCounted = 0;
        long bytesHit = 0;
        for (int i = 0; i < requests; i++) {
            int object = load.wish().applyAsInt(dice);
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
