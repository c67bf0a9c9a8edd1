package dev.komainu.proxy.disk;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.caching.Freshness;
import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.intermediary.purge.PurgeOrder;
import dev.komainu.proxy.cache.CacheSettings;
import dev.komainu.proxy.cache.PartitionSettings;
import dev.komainu.proxy.cache.StoredHead;
import dev.komainu.proxy.cache.StoredResponse;
import dev.komainu.proxy.cache.tier.MemoryCache;
import dev.komainu.proxy.fetch.InFlightFetches;
import dev.komainu.proxy.purge.Purger;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A memory cache of 1 MB with a disk tier behind it, and a clock that only the test moves. */
final class Shelf implements AutoCloseable {

    static final long DISK = 64L << 20;

    private static final Fields FIELDS = fields();

    final MemoryCache cache;
    final DiskTier tier;
    final Purger purger;
    final AtomicLong millis = new AtomicLong();
    private final long wall;

    Shelf(Path directory) throws IOException {
        this(directory, 1_795_000_000_000L);
    }

    /**
     * Opens the cache and the tier.
     *
     * @param wallMillis present time
     */
    Shelf(Path directory, long wallMillis) throws IOException {
        this(directory, wallMillis, PartitionSettings.DEFAULT);
    }

    Shelf(Path directory, PartitionSettings partition) throws IOException {
        this(directory, 1_795_000_000_000L, partition);
    }

    private Shelf(Path directory, long wallMillis, PartitionSettings partition) throws IOException {
        CacheSettings d = CacheSettings.DEFAULT;
        wall = wallMillis;
        cache = new MemoryCache(new CacheSettings(
                1 << 20,
                d.touchAtStart(),
                d.maxObjectShare(),
                d.passMarkMillis(),
                true,
                600,
                0,
                d.targets(),
                true,
                dev.komainu.proxy.cache.CachePolicy.LRU,
                partition));
        ProxyClock clock = new ProxyClock() {
            @Override
            public long steadyMillis() {
                return millis.get();
            }

            @Override
            public long wallMillis() {
                return wall + millis.get();
            }
        };
        tier = DiskTier.open(
                new DiskSettings(directory, DISK, Duration.ZERO), directory, cache, clock);
        purger = new Purger(cache, tier, new InFlightFetches(), clock);
    }

    /** Returns the fields of a request. */
    static Fields fields(String... lines) {
        RequestHead head = new RequestHead();
        String more = lines.length == 0 ? "" : String.join("\r\n", lines) + "\r\n";
        head.read(Unpooled.copiedBuffer(
                "GET / HTTP/1.1\r\nHost: test.example\r\n" + more + "\r\n",
                StandardCharsets.US_ASCII));
        return head.detached().fields();
    }

    static CacheKey key(String path) {
        return CacheKey.of("test.example", path);
    }

    /** Stores a response like a fetch. */
    void put(String path, String body, long freshSeconds, @Nullable String etag, String... labels) {
        put(key(path), key(path), body, freshSeconds, etag, labels);
    }

    /** Stores the response of a URI to requests with these fields. Returns its key in memory. */
    CacheKey putVariant(String path, String name, Fields request, String body) {
        CacheKey variant = key(path);
        cache.varyRule(key(path), List.of(name)).select(variant, request);
        put(variant, key(path), body, 3600, null);
        return variant;
    }

    private void put(
            CacheKey key,
            CacheKey uri,
            String body,
            long freshSeconds,
            @Nullable String etag,
            String... labels) {
        long since = cache.purgeTimestamps().now();
        List<ByteBuf> runs = new ArrayList<>();
        for (int at = 0; at < body.length(); ) {
            ByteBuf run = cache.allocate(body.length() - at, 200);
            if (run == null) {
                // An evicted response is retained until it is written.
                Thread.yield();
                continue;
            }
            int end = Math.min(body.length(), at + run.capacity());
            run.writeCharSequence(body.substring(at, end), StandardCharsets.ISO_8859_1);
            runs.add(run);
            at = end;
        }
        StoredHead head = null;
        while (head == null) {
            head = cache.head(
                    runs.getLast(),
                    "HTTP/1.1 200 OK\r\nX: y\r\n".getBytes(StandardCharsets.US_ASCII),
                    etag,
                    null);
        }
        Freshness freshness =
                new Freshness(freshSeconds, 0, millis.get(), false, false, true, 0, 0, wall);
        cache.put(
                new StoredResponse(
                        key, 200, head, runs.toArray(ByteBuf[]::new), freshness, List.of(labels)),
                since,
                uri,
                millis.get());
    }

    void put(String path, String body) {
        put(path, body, 3600, null);
    }

    /** Evicts all responses from memory. */
    void evictAll() {
        for (int i = 0; i < 12; i++) {
            put("/filler/" + i, "f".repeat(100_000), 1, null);
        }
        awaitWrites();
    }

    /** Waits until all pending writes are done. */
    void awaitWrites() {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
        while (!tier.pending.isEmpty() || tier.figures().writes().waitingBytes() > 0) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("still waits to be written: " + tier.figures());
            }
            Thread.yield();
        }
    }

    boolean inMemory(String path) {
        return cache.get(key(path)) != null;
    }

    /** Restores a response from the disk; null when there is none. */
    @Nullable
    StoredResponse read(String path) throws Exception {
        CompletableFuture<@Nullable StoredResponse> result = new CompletableFuture<>();
        if (!tier.read(key(path), key(path), FIELDS, result::complete)) {
            return null;
        }
        StoredResponse found = result.get(60, TimeUnit.SECONDS);
        if (found != null) {
            found.releaseRetained();
        }
        return found;
    }

    /** Returns the body restored from the disk; "" for none. */
    String body(String path) throws Exception {
        return body(path, FIELDS);
    }

    String body(String path, Fields request) throws Exception {
        CompletableFuture<String> result = new CompletableFuture<>();
        boolean accepted =
                tier.read(key(path), key(path), request, found -> result.complete(text(found)));
        return accepted ? result.get(60, TimeUnit.SECONDS) : "";
    }

    static String text(@Nullable StoredResponse response) {
        if (response == null) {
            return "";
        }
        ByteBuf out = Unpooled.buffer();
        response.copyBody(out);
        response.releaseRetained();
        return out.toString(StandardCharsets.ISO_8859_1);
    }

    void purge(PurgeOrder.Target target, boolean soft) {
        purger.carryOut(new PurgeOrder(target, soft, false));
    }

    @Override
    public void close() {
        purger.close();
        tier.close();
        cache.clear();
    }
}
