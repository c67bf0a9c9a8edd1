package dev.komainu.bench.replay;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.caching.Freshness;
import dev.komainu.proxy.cache.CacheEntry;
import dev.komainu.proxy.cache.CachePolicy;
import dev.komainu.proxy.cache.CacheSettings;
import dev.komainu.proxy.cache.PartitionMode;
import dev.komainu.proxy.cache.PartitionSettings;
import dev.komainu.proxy.cache.PriorityPrefix;
import dev.komainu.proxy.cache.StoredHead;
import dev.komainu.proxy.cache.StoredResponse;
import dev.komainu.proxy.cache.partition.PartitionFigures;
import dev.komainu.proxy.cache.tier.MemoryCache;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The experiment {@code bench partition}: the workload of the I/O partition paper with the proxy's
 * own memory cache, in this process, without a network. Each stored object occupies the room, the
 * head and the heap that it occupies in the proxy; only its bytes are not written.
 *
 * <p>Arguments: directory for the tables, limit of the cache in MB, Zipf exponent, floor M in
 * percent, time of a hit in microseconds, additional time of a miss in microseconds, and the
 * origin's rate in bytes a second.
 */
final class PartitionReplay {

    private static final byte[] HEAD = new byte[250];
    private static final String MODIFIED = "Sun, 22 Nov 2026 03:00:00 GMT";
    private static final int DIRECTORIES = 14;
    private static final int ALL_FILES = 260_000;
    private static final long ALL_BYTES = 19_000_000_000L;
    /** Below the limit of one object in the cache (1/8). */
    private static final long LARGEST = 10_000_000;

    /** The kind of work of a request. */
    enum Kind {
        /** Priority work, to priority files. */
        PRIORITY(23_571, 52, 10_700_000),
        /** Other work, to priority files. */
        SHARED(26_105, 109, 4_000_000),
        /** Other work, to other files. */
        OTHER(50_324, 818, 296_300_000);

        final int requests;
        final int files;
        final long bytes;

        Kind(int requests, int files, long bytes) {
            this.requests = requests;
            this.files = files;
            this.bytes = bytes;
        }
    }

    record Item(CacheKey key, int bytes) {}

    record Request(Kind kind, Item item) {}

    record Variant(String name, String file, CachePolicy policy, PartitionMode mode, int damping) {}

    /** The totals of one kind of requests. */
    static final class Sum {
        long requests;
        long hits;
        double micros;

        void add(boolean hit, double elapsedMicros) {
            requests++;
            hits += hit ? 1 : 0;
            micros += elapsedMicros;
        }

        Sum plus(Sum other) {
            Sum both = new Sum();
            both.requests = requests + other.requests;
            both.hits = hits + other.hits;
            both.micros = micros + other.micros;
            return both;
        }

        double millis() {
            return micros / requests / 1000;
        }

        double ratio() {
            return 100.0 * hits / requests;
        }
    }

    private record Result(
            Variant variant,
            Sum priority,
            Sum shared,
            Sum other,
            double calmPriorityRatio,
            PartitionFigures end) {

        Sum work() {
            return shared.plus(other);
        }

        Sum files() {
            return priority.plus(shared);
        }
    }

    private final Path out;
    private final long maxBytes;
    private final double skew;
    private final int floor;
    private final double hitMicros;
    private final double missMicros;
    private final double bytesPerMicro;

    final List<Request> requests = new ArrayList<>();
    final List<Item> sweep = new ArrayList<>();

    PartitionReplay(String[] arguments, double skew, int floor, long seed) {
        out = Path.of(arguments[0]);
        maxBytes = Long.parseLong(arguments[1]) * 1_000_000;
        this.skew = skew;
        this.floor = floor;
        hitMicros = Double.parseDouble(arguments[4]);
        missMicros = Double.parseDouble(arguments[5]);
        bytesPerMicro = Double.parseDouble(arguments[6]) / 1e6;
        workload(seed);
    }

    /** Seed of the main table; the others use the following numbers. */
    static final long SEED = 2015;

    public static void main(String[] arguments) throws IOException {
        Locale.setDefault(Locale.ROOT);
        double skew = Double.parseDouble(arguments[2]);
        int floor = Integer.parseInt(arguments[3]);
        StringBuilder text = new StringBuilder();
        new PartitionReplay(arguments, skew, floor, SEED).compare(text);
        PartitionSeeds.write(arguments, text);
        Files.writeString(Path.of(arguments[0]).resolve("table.md"), text);
        System.out.print(text);
    }

    // The workload: determined by its seed, the same for all variants.

    private void workload(long seed) {
        Random random = new Random(seed);
        List<List<Item>> directories = new ArrayList<>();
        for (int i = 0; i < DIRECTORIES; i++) {
            directories.add(new ArrayList<>());
        }
        int fileNumber = 0;
        List<Item> otherFiles = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            int[] sizes = sizes(kind.files, kind.bytes, random);
            List<Item> items = new ArrayList<>();
            for (int size : sizes) {
                boolean isPriority = kind != Kind.OTHER;
                int directory = random.nextInt(DIRECTORIES);
                Item item = item(
                        isPriority ? "/first/" + directory : "/rest/" + fileNumber % 1000,
                        fileNumber++,
                        size);
                items.add(item);
                (isPriority ? directories.get(directory) : otherFiles).add(item);
            }
            ask(kind, items, random);
        }
        Collections.shuffle(requests, random);
        // Priority files requested only by the sweep: 486 in total, 315 MB.
        for (int size : sizes(486 - 161, 315_000_000 - 14_700_000, random)) {
            int directory = random.nextInt(DIRECTORIES);
            directories.get(directory).add(item("/first/" + directory, fileNumber++, size));
        }
        int rest = ALL_FILES - 486 - Kind.OTHER.files;
        for (int size : sizes(rest, ALL_BYTES - 315_000_000 - Kind.OTHER.bytes, random)) {
            otherFiles.add(item("/rest/" + fileNumber % 1000, fileNumber++, size));
        }
        // Directory by directory: the priority ones evenly among the others.
        Collections.shuffle(otherFiles, random);
        int from = 0;
        for (int i = 0; i < DIRECTORIES; i++) {
            int to = (int) ((i + 0.5) * otherFiles.size() / DIRECTORIES);
            sweep.addAll(otherFiles.subList(from, to));
            sweep.addAll(directories.get(i));
            from = to;
        }
        sweep.addAll(otherFiles.subList(from, otherFiles.size()));
    }

    private static Item item(String directory, int number, int bytes) {
        return new Item(CacheKey.of("www.example.org" + directory + "/" + number), bytes);
    }

    /** Returns log-normal sizes, sigma 1, with a given total. */
    private static int[] sizes(int files, long bytes, Random random) {
        double[] raw = new double[files];
        for (int i = 0; i < files; i++) {
            raw[i] = Math.exp(random.nextGaussian());
        }
        double scale = bytes / Arrays.stream(raw).sum();
        for (int round = 0; round < 50; round++) {
            double largest = LARGEST / scale;
            double sum = Arrays.stream(raw).map(size -> Math.min(size, largest)).sum();
            scale = bytes / sum;
        }
        double last = scale;
        return Arrays.stream(raw)
                .mapToInt(size -> (int) Math.clamp(Math.round(size * last), 100L, LARGEST))
                .toArray();
    }

    /**
     * Adds requests by Zipf's law over the files in the order in which they were drawn: size and
     * popularity are independent.
     */
    private void ask(Kind kind, List<Item> items, Random random) {
        double[] cumulative = new double[items.size()];
        double sum = 0;
        for (int i = 0; i < cumulative.length; i++) {
            sum += Math.pow(i + 1, -skew);
            cumulative[i] = sum;
        }
        // Each file at least once: the paper counts requested files.
        items.forEach(item -> requests.add(new Request(kind, item)));
        for (int i = items.size(); i < kind.requests; i++) {
            int index = Arrays.binarySearch(cumulative, random.nextDouble() * sum);
            requests.add(new Request(
                    kind,
                    items.get(index < 0 ? Math.min(cumulative.length - 1, -index - 1) : index)));
        }
    }

    // The replay.

    private Result replay(Variant variant) throws IOException {
        Sum calm = pass(variant, false)[Kind.PRIORITY.ordinal()];
        Sum[] sums = pass(variant, true);
        return new Result(
                variant, sums[0], sums[1], sums[2], calm.ratio(), Objects.requireNonNull(last));
    }

    private @Nullable PartitionFigures last;
    /** Whether the progress of the boundary is written for a figure. */
    private boolean isShown;

    /** Returns a cache after one pass of the requests without the sweep. */
    MemoryCache warmed(Variant variant) {
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
                variant.policy(),
                new PartitionSettings(
                        variant.mode(),
                        List.of(PriorityPrefix.parse("/first/")),
                        floor,
                        variant.damping())));
        requests.forEach(request -> lookUp(cache, request.item()));
        return cache;
    }

    Sum[] pass(Variant variant, boolean swept) throws IOException {
        MemoryCache cache = warmed(variant);
        Sum[] sums = IntStream.range(0, 3).mapToObj(i -> new Sum()).toArray(Sum[]::new);
        Path series = out.resolve(
                (isShown && swept ? "series-" : "not-shown-") + variant.file() + ".dat");
        try (PrintWriter lines = new PrintWriter(Files.newBufferedWriter(series))) {
            int sweptSoFar = 0;
            for (int i = 0; i < requests.size(); i++) {
                Request request = requests.get(i);
                boolean hit = lookUp(cache, request.item());
                sums[request.kind().ordinal()].add(
                        hit,
                        hitMicros
                                + (hit ? 0 : missMicros + request.item().bytes() / bytesPerMicro));
                int due = swept ? (int) ((i + 1L) * sweep.size() / requests.size()) : 0;
                for (; sweptSoFar < due; sweptSoFar++) {
                    lookUp(cache, sweep.get(sweptSoFar));
                }
                if (i % 500 == 0) {
                    PartitionFigures figures = cache.partition();
                    lines.printf(
                            Locale.ROOT,
                            "%d %.3f %.3f %.3f %.3f%n",
                            i,
                            figures.guarded().bytes() / 1e6,
                            figures.targetBytes() / 1e6,
                            figures.guarded().unreferencedBytes() / 1e6,
                            figures.normal().unreferencedBytes() / 1e6);
                }
            }
        }
        last = cache.partition();
        cache.clear();
        return sums;
    }

    /** Returns whether the object was in the cache; if not, it is stored. */
    static boolean lookUp(MemoryCache cache, Item item) {
        CacheEntry found = cache.get(item.key());
        if (found == null) {
            store(cache, item.key(), item.bytes());
        }
        return found != null;
    }

    static void store(MemoryCache cache, CacheKey key, int bytes) {
        if (!cache.admits(key, bytes)) {
            return;
        }
        String etag = "\"" + key.hashCode() + "\"";
        List<ByteBuf> runs = new ArrayList<>(1);
        for (int left = bytes; left > 0; ) {
            int next = Math.min(left, cache.memory().longestRun());
            ByteBuf run = cache.allocate(
                    next, next == left ? StoredHead.bytes(HEAD, etag, MODIFIED) : 0, key);
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

    // The tables.

    static final Variant BASIC_LRU = new Variant(
            "basic, LRU (the paper's)", "basic-lru", CachePolicy.LRU, PartitionMode.BASIC, 20);
    static final Variant PARTITION_LRU = new Variant(
            "partition, LRU, α = 20 %",
            "partition-lru-20", CachePolicy.LRU, PartitionMode.PARTITION, 20);
    static final Variant BASIC_LFU = new Variant(
            "basic, W-TinyLFU", "basic-lfu", CachePolicy.W_TINYLFU, PartitionMode.BASIC, 20);
    static final Variant SINGLE_LRU =
            new Variant("single, LRU", "single-lru", CachePolicy.LRU, PartitionMode.SINGLE, 20);
    static final Variant SINGLE_LFU = new Variant(
            "single, W-TinyLFU", "single-lfu", CachePolicy.W_TINYLFU, PartitionMode.SINGLE, 20);
    static final Variant PARTITION_LFU = new Variant(
            "partition, W-TinyLFU, α = 20 %",
            "partition-lfu-20", CachePolicy.W_TINYLFU, PartitionMode.PARTITION, 20);

    private void compare(StringBuilder text) throws IOException {
        isShown = true;
        List<Result> results = new ArrayList<>();
        for (Variant variant : List.of(
                SINGLE_LRU,
                BASIC_LRU,
                PARTITION_LRU,
                new Variant(
                        "partition, LRU, α = 100 %",
                        "partition-lru-100", CachePolicy.LRU, PartitionMode.PARTITION, 100),
                SINGLE_LFU,
                BASIC_LFU,
                PARTITION_LFU,
                new Variant(
                        "partition, W-TinyLFU, α = 100 %",
                        "partition-lfu-100",
                        CachePolicy.W_TINYLFU,
                        PartitionMode.PARTITION,
                        100))) {
            results.add(replay(variant));
        }
        text.append(String.format(
                Locale.ROOT,
                "Cache of %d MB (bodies, heads, heap), floor M = %d %%, Zipf %.2f in each of the three groups of requests; a hit takes %.2f ms, "
                        + "a miss %.1f ms more and its bytes at %.0f MB/s; %,d requests while %,d files (%.1f GB) are swept, after one pass of the same "
                        + "requests without the sweep.%n%n",
                maxBytes / 1_000_000,
                floor,
                skew,
                hitMicros / 1000,
                missMicros / 1000,
                bytesPerMicro,
                requests.size(),
                sweep.size(),
                sweep.stream().mapToLong(Item::bytes).sum() / 1e9));
        text.append(
                "| | priority work: mean T_r, ms | other work: mean T_r, ms | priority files, all work: mean T_r, ms | hit ratio of priority work, % | "
                        + "… without the sweep | of other work on priority files, % | on other files, % | S_cur, S_target at the end, MB | periods |\n");
        text.append("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
        for (Result result : results) {
            text.append(String.format(
                    Locale.ROOT,
                    "| %s | %.3f | %.2f | %.3f | %.2f | %.2f | %.2f | %.2f | %.1f, %.1f | %d |%n",
                    result.variant().name(),
                    result.priority().millis(),
                    result.work().millis(),
                    result.files().millis(),
                    result.priority().ratio(),
                    result.calmPriorityRatio(),
                    result.shared().ratio(),
                    result.other().ratio(),
                    result.end().guarded().bytes() / 1e6,
                    result.end().targetBytes() / 1e6,
                    result.end().periods()));
        }
        text.append("\nShorter mean T_r, in percent (below 0: longer):\n\n");
        text.append(
                "| | paper | LRU in both pools | W-TinyLFU in both | W-TinyLFU against basic with LRU |\n|---|--:|--:|--:|--:|\n");
        Result basic = results.get(1);
        Result lru20 = results.get(2);
        Result lru100 = results.get(3);
        Result basicLfu = results.get(5);
        Result lfu20 = results.get(6);
        Result lfu100 = results.get(7);
        double[][] rows = {
            {
                21.6,
                reduction(lru20.priority(), basic.priority()),
                reduction(lfu20.priority(), basicLfu.priority()),
                reduction(lfu20.priority(), basic.priority())
            },
            {
                3.4,
                reduction(lru20.work(), basic.work()),
                reduction(lfu20.work(), basicLfu.work()),
                reduction(lfu20.work(), basic.work())
            },
            {
                6.4,
                reduction(lru20.files(), lru100.files()),
                reduction(lfu20.files(), lfu100.files()),
                Double.NaN
            },
        };
        String[] names = {
            "priority work, α = 20 % against basic",
            "other work, α = 20 % against basic",
            "priority files, α = 20 % against 100 %"
        };
        StringBuilder bars = new StringBuilder();
        for (int i = 0; i < rows.length; i++) {
            double[] row = rows[i];
            text.append(String.format(
                    Locale.ROOT,
                    "| %s | %.1f | %.1f | %.1f | %s |%n",
                    names[i],
                    row[0],
                    row[1],
                    row[2],
                    Double.isNaN(row[3]) ? "" : String.format(Locale.ROOT, "%.1f", row[3])));
            bars.append(String.format(
                    Locale.ROOT,
                    "\"%s\" %.2f %.2f %.2f %s%n",
                    names[i].replace(", ", "\\n"),
                    row[0],
                    row[1],
                    row[2],
                    Double.isNaN(row[3]) ? "NaN" : String.format(Locale.ROOT, "%.2f", row[3])));
        }
        Files.writeString(out.resolve("bars.dat"), bars);
    }

    static double reduction(Sum sum, Sum base) {
        return 100 * (1 - sum.millis() / base.millis());
    }
}
