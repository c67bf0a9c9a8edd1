package dev.komainu.proxy.disk;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.caching.Freshness;
import dev.komainu.intermediary.message.Fields;
import dev.komainu.proxy.cache.StoredHead;
import dev.komainu.proxy.cache.StoredResponse;
import dev.komainu.proxy.cache.VaryRule;
import io.netty.buffer.ByteBuf;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings records back into the memory cache: a few threads behind a short queue. What does not fit
 * into the queue is not read.
 *
 * <pre>
 *   since = stamps' now ── index ── read, verify ── restore(since) ── does the index still know it, as it was? ── told
 * </pre>
 *
 * A purge looks at memory first and at the index behind it: what comes into memory too late for the
 * first look is missing in the index afterwards, and what is being looked for right now is refused.
 */
final class DiskReader {

    private static final Logger LOG = LoggerFactory.getLogger(DiskReader.class);

    static final int THREADS = 4;
    static final int MOST_WAITING = 256;
    /** Of a record, had by the first call: most are not longer. */
    private static final int FIRST = 64 * 1024;

    private static final ThreadLocal<ByteBuffer> SCRATCH =
            ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(FIRST));

    private final DiskTier tier;
    private final ThreadPoolExecutor threads;
    private final AtomicInteger underWay = new AtomicInteger();
    final ReadTimes times = new ReadTimes();

    /** Why there is nothing to give. */
    private static final class Unreadable extends Exception {
        private static final long serialVersionUID = 1;

        final DiskCounts.Unread why;

        Unreadable(DiskCounts.Unread why) {
            super(why.text(), null, false, false);
            this.why = why;
        }
    }

    DiskReader(DiskTier tier) {
        this.tier = tier;
        AtomicInteger number = new AtomicInteger();
        this.threads = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                0,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(MOST_WAITING),
                task -> Thread.ofPlatform()
                        .name("komainu-disk-" + number.incrementAndGet())
                        .daemon()
                        .unstarted(task));
    }

    /** Reads that wait or are under way. */
    int underWay() {
        return underWay.get();
    }

    /**
     * Reads on a thread of its own.
     *
     * @param request the fields that select among variants; absent where the name is whole
     * @param told on that thread: what is in memory now, held for whoever is told; absent when it
     *     could not be had
     * @return false, with nobody told, when too many wait
     */
    boolean read(
            CacheKey name,
            DiskIndex.Spot spot,
            long since,
            @Nullable Fields request,
            Consumer<@Nullable StoredResponse> told) {
        long asked = System.nanoTime();
        underWay.incrementAndGet();
        try {
            threads.execute(() -> {
                StoredResponse found = null;
                try {
                    found = found(name, spot, since, request);
                } finally {
                    underWay.decrementAndGet();
                    times.took(System.nanoTime() - asked);
                    told.accept(found);
                }
            });
            return true;
        } catch (RejectedExecutionException full) {
            underWay.decrementAndGet();
            return false;
        }
    }

    @Nullable
    StoredResponse found(CacheKey name, DiskIndex.Spot spot, long since, @Nullable Fields request) {
        long began = System.nanoTime();
        DiskCounts.Unread why;
        try {
            StoredResponse found = restored(name, spot, since, request);
            tier.counts.found.increment();
            tier.counts.foundBytes.add(found.bodyLength());
            return found;
        } catch (Unreadable e) {
            why = e.why;
        } catch (IOException e) {
            why = DiskCounts.Unread.FAILED;
            LOG.warn("Disk tier: {}", e.getMessage());
        } catch (RuntimeException e) {
            why = DiskCounts.Unread.FAILED;
            LOG.error("Disk tier: a record was not read", e);
        } finally {
            tier.counts.busyNanos.add(System.nanoTime() - began);
        }
        tier.counts.not(why);
        return null;
    }

    private StoredResponse restored(
            CacheKey name, DiskIndex.Spot spot, long since, @Nullable Fields request)
            throws IOException, Unreadable {
        delay();
        Segment segment = tier.log.segment(spot.segment());
        if (segment == null || !segment.hold()) {
            throw new Unreadable(DiskCounts.Unread.GONE);
        }
        try {
            ByteBuffer first = SCRATCH.get().clear().limit((int) Math.min(FIRST, spot.length()));
            readFully(segment.channel(), first, spot.offset());
            first.flip();
            int meta = DiskRecord.metaLength(first, 0);
            ByteBuffer whole = first;
            if (meta > first.limit()) {
                whole = ByteBuffer.allocate((int) Math.min(meta, spot.length()));
                readFully(segment.channel(), whole, spot.offset());
                whole.flip();
            }
            DiskRecord record = DiskRecord.read(whole, 0, tier.salt());
            if (record == null || DiskRecord.padded(meta, record.bodyLength()) != spot.length()) {
                throw damaged(name, spot);
            }
            if (!Arrays.equals(record.name(), name.toBytes())) {
                throw new Unreadable(DiskCounts.Unread.GONE);
            }
            if (record.kind() == DiskRecord.RULE) {
                return ofRule(name, record, since, request);
            }
            return restored(name, spot, since, record, meta, whole, segment);
        } finally {
            segment.letGo();
        }
    }

    private Unreadable damaged(CacheKey name, DiskIndex.Spot spot) {
        tier.index.remove(name.longHash(), spot.place());
        return new Unreadable(DiskCounts.Unread.DAMAGED);
    }

    /**
     * The answers of this URI vary: puts the rule back, and reads the variant that the request
     * selects.
     */
    private StoredResponse ofRule(
            CacheKey uri, DiskRecord record, long since, @Nullable Fields request)
            throws IOException, Unreadable {
        if (request == null) {
            throw new Unreadable(DiskCounts.Unread.GONE);
        }
        VaryRule rule = tier.cache.varyRule(uri.copy(), record.names());
        CacheKey variant = uri.copy();
        rule.select(variant, request);
        CacheKey name = rule.lasting(variant);
        DiskIndex.Spot spot = tier.index.find(name.longHash());
        if (spot == null || spot.rule()) {
            throw new Unreadable(DiskCounts.Unread.GONE);
        }
        return restored(name, spot, since, null);
    }

    private StoredResponse restored(
            CacheKey name,
            DiskIndex.Spot spot,
            long since,
            DiskRecord record,
            int meta,
            ByteBuffer whole,
            Segment segment)
            throws IOException, Unreadable {
        PurgeHistory.Verdict verdict = tier.book.judge(spot.place(), name, record.labels());
        if (verdict == PurgeHistory.Verdict.DROP) {
            tier.index.remove(name.longHash(), spot.place());
            throw new Unreadable(DiskCounts.Unread.PURGED);
        }
        long now = tier.clock.steadyMillis();
        Freshness freshness = record.freshness(tier.steadyMillis(record.arrivedWallMillis()));
        boolean fresh = freshness.leftSeconds(now) > 0 && !freshness.alwaysValidate();
        if (!fresh && record.etag() == null && record.lastModified() == null) {
            tier.index.remove(name.longHash(), spot.place());
            throw new Unreadable(DiskCounts.Unread.STALE);
        }
        ByteBuf[] runs = body(record, meta, whole, segment, spot, name);
        StoredHead head = tier.cache.head(
                runs.length == 0 ? null : runs[runs.length - 1],
                record.head(),
                record.etag(),
                record.lastModified());
        if (head == null) {
            release(runs);
            throw new Unreadable(DiskCounts.Unread.NO_ROOM);
        }
        CacheKey uri = CacheKey.of(name.uri());
        StoredResponse response = new StoredResponse(
                memoryKey(name, uri), record.status(), head, runs, freshness, record.labels());
        if (spot.soft() || verdict == PurgeHistory.Verdict.SOFTEN) {
            response.soften(now);
        }
        response.hold();
        StoredResponse there = tier.cache.restore(
                response, since, uri, now, () -> isStill(name, spot, record, verdict, response));
        if (there == response && !isStill(name, spot, record, verdict, response)) {
            tier.cache.invalidate(response);
            response.letGo();
            there = null;
        }
        if (there == null) {
            throw new Unreadable(DiskCounts.Unread.PURGED);
        }
        tier.index.mark(name.longHash(), spot.place(), DiskIndex.HIT);
        return there;
    }

    /** Whether no purge was at work on it between the look into the index and now. */
    private boolean isStill(
            CacheKey name,
            DiskIndex.Spot spot,
            DiskRecord record,
            PurgeHistory.Verdict verdict,
            StoredResponse response) {
        if (tier.book.acts(response)) {
            return false;
        }
        DiskIndex.Spot now = tier.index.find(name.longHash());
        return now != null
                && now.place() == spot.place()
                && now.soft() == spot.soft()
                && tier.book.judge(spot.place(), name, record.labels()) == verdict;
    }

    /** The key in memory: a variant's names the rule that memory knows now. */
    private CacheKey memoryKey(CacheKey name, CacheKey uri) {
        if (!name.isVariant()) {
            return name.copy();
        }
        String text = name.toString();
        int divider = text.indexOf('\0');
        int values = text.indexOf('\n', divider);
        VaryRule rule = tier.cache.varyRule(
                uri, List.of(text.substring(divider + 1, values).split(",")));
        return CacheKey.of(
                text.substring(0, divider + 1) + rule.generation() + text.substring(values));
    }

    private ByteBuf[] body(
            DiskRecord record,
            int meta,
            ByteBuffer whole,
            Segment segment,
            DiskIndex.Spot spot,
            CacheKey name)
            throws IOException, Unreadable {
        List<ByteBuf> runs = new ArrayList<>(1);
        try {
            int behind = StoredHead.bytes(record.head(), record.etag(), record.lastModified());
            ByteBuffer first =
                    whole.slice(meta, (int) Math.min(whole.limit() - meta, record.bodyLength()));
            long at = spot.offset() + meta + first.remaining();
            CRC32C crc = new CRC32C();
            for (long left = record.bodyLength(); left > 0; ) {
                int next = (int) Math.min(left, tier.cache.memory().longestRun());
                ByteBuf run = tier.cache.room(next, next == left ? behind : 0, name);
                if (run == null) {
                    throw new Unreadable(DiskCounts.Unread.NO_ROOM);
                }
                runs.add(run);
                int wanted = (int) Math.min(left, run.capacity());
                int here = Math.min(wanted, first.remaining());
                run.writeBytes(first.slice(first.position(), here));
                first.position(first.position() + here);
                while (run.readableBytes() < wanted) {
                    int count = run.writeBytes(segment.channel(), at, wanted - run.readableBytes());
                    if (count < 0) {
                        throw damaged(name, spot);
                    }
                    at += count;
                }
                crc.update(run.nioBuffer());
                left -= wanted;
            }
            if ((int) crc.getValue() != record.bodyCrc()) {
                throw damaged(name, spot);
            }
            return runs.toArray(ByteBuf[]::new);
        } catch (IOException | Unreadable | RuntimeException e) {
            release(runs.toArray(ByteBuf[]::new));
            throw e;
        }
    }

    private static void release(ByteBuf[] runs) {
        for (ByteBuf run : runs) {
            run.release();
        }
    }

    private static void readFully(FileChannel channel, ByteBuffer into, long at)
            throws IOException {
        long from = at;
        while (into.hasRemaining()) {
            int count = channel.read(into, from);
            if (count < 0) {
                throw new EOFException("a record ends before its length");
            }
            from += count;
        }
    }

    /** For experiments: a disk that is slower than this one. */
    private void delay() {
        long nanos = tier.delayNanos();
        if (nanos > 0) {
            try {
                TimeUnit.NANOSECONDS.sleep(nanos);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    void close() {
        threads.shutdown();
        try {
            if (!threads.awaitTermination(2, TimeUnit.SECONDS)) {
                threads.shutdownNow();
            }
        } catch (InterruptedException e) {
            threads.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
