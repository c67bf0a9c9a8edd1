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
 * The threads that restore records into the memory cache, behind a short queue. A read that does
 * not fit into the queue is refused.
 *
 * <pre>
 *   since = timestamps' now ── index ── read, verify ── restore(since) ── is the index entry unchanged? ── callback
 * </pre>
 *
 * A purge checks memory first and the index afterwards. A response restored too late for the check
 * of memory is then missing in the index; a response that a purge in progress matches is refused.
 */
final class DiskReader {

    private static final Logger LOG = LoggerFactory.getLogger(DiskReader.class);

    static final int THREADS = 4;
    static final int MAX_WAITING = 256;
    /** Bytes of a record that the first call reads: most records are not longer. */
    private static final int FIRST_READ_BYTES = 64 * 1024;

    private static final ThreadLocal<ByteBuffer> SCRATCH =
            ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(FIRST_READ_BYTES));

    private final DiskTier tier;
    private final ThreadPoolExecutor threads;
    private final AtomicInteger inProgress = new AtomicInteger();
    final ReadTimes times = new ReadTimes();

    /** The reason why a record could not be read. */
    private static final class Unreadable extends Exception {
        private static final long serialVersionUID = 1;

        final DiskCounts.Unread reason;

        Unreadable(DiskCounts.Unread reason) {
            super(reason.text(), null, false, false);
            this.reason = reason;
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
                new ArrayBlockingQueue<>(MAX_WAITING),
                task -> Thread.ofPlatform()
                        .name("komainu-disk-" + number.incrementAndGet())
                        .daemon()
                        .unstarted(task));
    }

    /** Returns the number of reads waiting or in progress. */
    int inProgress() {
        return inProgress.get();
    }

    /**
     * Reads a record on a thread of this reader.
     *
     * @param request the fields that select among variants; absent where the name is complete
     * @param callback called on that thread with the response in memory, retained for the callback;
     *     with null when it could not be restored
     * @return false, without a call of {@code callback}, when too many reads wait
     */
    boolean read(
            CacheKey name,
            DiskIndex.Entry entry,
            long since,
            @Nullable Fields request,
            Consumer<@Nullable StoredResponse> callback) {
        long submittedNanos = System.nanoTime();
        inProgress.incrementAndGet();
        try {
            threads.execute(() -> {
                StoredResponse found = null;
                try {
                    found = readBlocking(name, entry, since, request);
                } finally {
                    inProgress.decrementAndGet();
                    times.record(System.nanoTime() - submittedNanos);
                    callback.accept(found);
                }
            });
            return true;
        } catch (RejectedExecutionException full) {
            inProgress.decrementAndGet();
            return false;
        }
    }

    @Nullable
    StoredResponse readBlocking(
            CacheKey name, DiskIndex.Entry entry, long since, @Nullable Fields request) {
        long startedNanos = System.nanoTime();
        DiskCounts.Unread reason;
        try {
            StoredResponse found = restore(name, entry, since, request);
            tier.counts.found.increment();
            tier.counts.foundBytes.add(found.bodyLength());
            return found;
        } catch (Unreadable e) {
            reason = e.reason;
        } catch (IOException e) {
            reason = DiskCounts.Unread.FAILED;
            LOG.warn("Disk tier: {}", e.getMessage());
        } catch (RuntimeException e) {
            reason = DiskCounts.Unread.FAILED;
            LOG.error("Disk tier: a record was not read", e);
        } finally {
            tier.counts.busyNanos.add(System.nanoTime() - startedNanos);
        }
        tier.counts.count(reason);
        return null;
    }

    private StoredResponse restore(
            CacheKey name, DiskIndex.Entry entry, long since, @Nullable Fields request)
            throws IOException, Unreadable {
        delay();
        Segment segment = tier.log.segment(entry.segment());
        if (segment == null || !segment.retain()) {
            throw new Unreadable(DiskCounts.Unread.GONE);
        }
        try {
            ByteBuffer first =
                    SCRATCH.get().clear().limit((int) Math.min(FIRST_READ_BYTES, entry.length()));
            readFully(segment.channel(), first, entry.offset());
            first.flip();
            int meta = DiskRecord.metaLength(first, 0);
            ByteBuffer buffer = first;
            if (meta > first.limit()) {
                buffer = ByteBuffer.allocate((int) Math.min(meta, entry.length()));
                readFully(segment.channel(), buffer, entry.offset());
                buffer.flip();
            }
            DiskRecord record = DiskRecord.read(buffer, 0, tier.salt());
            if (record == null || DiskRecord.padded(meta, record.bodyLength()) != entry.length()) {
                throw damaged(name, entry);
            }
            if (!Arrays.equals(record.name(), name.toBytes())) {
                throw new Unreadable(DiskCounts.Unread.GONE);
            }
            if (record.kind() == DiskRecord.RULE) {
                return restoreVariant(name, record, since, request);
            }
            return restore(name, entry, since, record, meta, buffer, segment);
        } finally {
            segment.release();
        }
    }

    private Unreadable damaged(CacheKey name, DiskIndex.Entry entry) {
        tier.index.remove(name.longHash(), entry.place());
        return new Unreadable(DiskCounts.Unread.DAMAGED);
    }

    /**
     * Restores the variant that the request selects among the URI's responses, and their rule
     * before.
     */
    private StoredResponse restoreVariant(
            CacheKey uri, DiskRecord record, long since, @Nullable Fields request)
            throws IOException, Unreadable {
        if (request == null) {
            throw new Unreadable(DiskCounts.Unread.GONE);
        }
        VaryRule rule = tier.cache.varyRule(uri.copy(), record.names());
        CacheKey variant = uri.copy();
        rule.select(variant, request);
        CacheKey name = rule.persistentKey(variant);
        DiskIndex.Entry entry = tier.index.find(name.longHash());
        if (entry == null || entry.rule()) {
            throw new Unreadable(DiskCounts.Unread.GONE);
        }
        return restore(name, entry, since, null);
    }

    private StoredResponse restore(
            CacheKey name,
            DiskIndex.Entry entry,
            long since,
            DiskRecord record,
            int meta,
            ByteBuffer buffer,
            Segment segment)
            throws IOException, Unreadable {
        PurgeHistory.Verdict verdict =
                tier.purgeHistory.evaluate(entry.place(), name, record.labels());
        if (verdict == PurgeHistory.Verdict.DROP) {
            tier.index.remove(name.longHash(), entry.place());
            throw new Unreadable(DiskCounts.Unread.PURGED);
        }
        long now = tier.clock.steadyMillis();
        Freshness freshness = record.freshness(tier.steadyMillis(record.arrivedWallMillis()));
        boolean fresh = freshness.leftSeconds(now) > 0 && !freshness.alwaysValidate();
        if (!fresh && record.etag() == null && record.lastModified() == null) {
            tier.index.remove(name.longHash(), entry.place());
            throw new Unreadable(DiskCounts.Unread.STALE);
        }
        ByteBuf[] runs = body(record, meta, buffer, segment, entry, name);
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
        if (entry.soft() || verdict == PurgeHistory.Verdict.SOFTEN) {
            response.soften(now);
        }
        response.retain();
        StoredResponse inMemory = tier.cache.restore(
                response,
                since,
                uri,
                now,
                () -> isUnchanged(name, entry, record, verdict, response));
        if (inMemory == response && !isUnchanged(name, entry, record, verdict, response)) {
            tier.cache.invalidate(response);
            response.releaseRetained();
            inMemory = null;
        }
        if (inMemory == null) {
            throw new Unreadable(DiskCounts.Unread.PURGED);
        }
        tier.index.mark(name.longHash(), entry.place(), DiskIndex.HIT);
        return inMemory;
    }

    /** Reports whether no purge changed the record since the index was read. */
    private boolean isUnchanged(
            CacheKey name,
            DiskIndex.Entry entry,
            DiskRecord record,
            PurgeHistory.Verdict verdict,
            StoredResponse response) {
        if (tier.purgeHistory.isBeingPurged(response)) {
            return false;
        }
        DiskIndex.Entry now = tier.index.find(name.longHash());
        return now != null
                && now.place() == entry.place()
                && now.soft() == entry.soft()
                && tier.purgeHistory.evaluate(entry.place(), name, record.labels()) == verdict;
    }

    /**
     * Returns the key in memory: a variant's key contains the generation of the rule now in memory.
     */
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
            ByteBuffer buffer,
            Segment segment,
            DiskIndex.Entry entry,
            CacheKey name)
            throws IOException, Unreadable {
        List<ByteBuf> runs = new ArrayList<>(1);
        try {
            int headBytes = StoredHead.bytes(record.head(), record.etag(), record.lastModified());
            ByteBuffer first =
                    buffer.slice(meta, (int) Math.min(buffer.limit() - meta, record.bodyLength()));
            long position = entry.offset() + meta + first.remaining();
            CRC32C crc = new CRC32C();
            for (long left = record.bodyLength(); left > 0; ) {
                int next = (int) Math.min(left, tier.cache.memory().longestRun());
                ByteBuf run = tier.cache.allocate(next, next == left ? headBytes : 0, name);
                if (run == null) {
                    throw new Unreadable(DiskCounts.Unread.NO_ROOM);
                }
                runs.add(run);
                int needed = (int) Math.min(left, run.capacity());
                int available = Math.min(needed, first.remaining());
                run.writeBytes(first.slice(first.position(), available));
                first.position(first.position() + available);
                while (run.readableBytes() < needed) {
                    int count = run.writeBytes(
                            segment.channel(), position, needed - run.readableBytes());
                    if (count < 0) {
                        throw damaged(name, entry);
                    }
                    position += count;
                }
                crc.update(run.nioBuffer());
                left -= needed;
            }
            if ((int) crc.getValue() != record.bodyCrc()) {
                throw damaged(name, entry);
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

    private static void readFully(FileChannel channel, ByteBuffer into, long position)
            throws IOException {
        long from = position;
        while (into.hasRemaining()) {
            int count = channel.read(into, from);
            if (count < 0) {
                throw new EOFException("a record ends before its length");
            }
            from += count;
        }
    }

    /** Waits for the configured delay, which imitates a slower disk in experiments. */
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
