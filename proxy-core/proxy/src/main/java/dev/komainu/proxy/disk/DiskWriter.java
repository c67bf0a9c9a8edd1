package dev.komainu.proxy.disk;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.caching.Freshness;
import dev.komainu.proxy.cache.StoredResponse;
import dev.komainu.proxy.cache.VaryRule;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The only thread that writes records: responses that left memory, and purge orders, in the order
 * of arrival. Other threads put their jobs into a queue that is bounded in bytes and in number.
 *
 * <p>An order that results from a request at the peak is written after the peak. In the index it
 * takes effect at once. Only when the process is killed meanwhile does the next one find the record
 * again, as fresh as its origin declared it.
 */
final class DiskWriter {

    private static final Logger LOG = LoggerFactory.getLogger(DiskWriter.class);

    static final int MAX_WAITING = 4096;
    private static final int MAX_ORDERS = 65_536;
    private static final int MAX_DEFERRED = 8192;
    /** A record of at most this length is written by one call. */
    private static final int SCRATCH = 256 * 1024;
    /** After the system refused a write, no write is tried for this time. */
    private static final long BACKOFF_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final Object STOP = new Object();
    private static final Object FLUSH = new Object();

    /**
     * A purge order that waits to be written.
     *
     * @param before the order drops records written before this place
     */
    private record Job(DiskPurge order, long before, boolean immediate) {}

    private final DiskTier tier;
    private final LinkedBlockingQueue<Object> queue = new LinkedBlockingQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicLong waitingBytes = new AtomicLong();
    private final AtomicInteger orders = new AtomicInteger();
    /** Orders not yet written whose writing may be deferred. */
    private final AtomicInteger deferrable = new AtomicInteger();

    private final Thread thread;
    // Used by the writer's thread only.
    private final ByteBuffer scratch = ByteBuffer.allocateDirect(SCRATCH);
    private final ArrayDeque<Job> deferred = new ArrayDeque<>();
    private long backoffUntil = System.nanoTime();
    private boolean backingOff;

    DiskWriter(DiskTier tier) {
        this.tier = tier;
        this.thread = Thread.ofPlatform().name("komainu-disk-writer").daemon().unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    long waitingBytes() {
        return waitingBytes.get();
    }

    /**
     * Reports whether a response of so many bytes may wait.
     *
     * @param maxBytes bytes that may wait in total
     */
    boolean hasRoom(int bytes, long maxBytes) {
        return waiting.get() < MAX_WAITING && waitingBytes.get() + bytes <= maxBytes;
    }

    void write(PendingWrite pending) {
        waiting.incrementAndGet();
        waitingBytes.addAndGet(pending.weight);
        queue.add(pending);
    }

    /**
     * Queues a purge order.
     *
     * @param immediate whether to write it at the peak, too
     */
    void order(DiskPurge order, long before, boolean immediate) {
        if (orders.incrementAndGet() <= MAX_ORDERS) {
            if (!immediate) {
                deferrable.incrementAndGet();
            }
            queue.add(new Job(order, before, immediate));
        } else {
            orders.decrementAndGet();
            // One order more than the queue may hold: after a crash no older record is used without
            // validation.
            tier.onOrderLost();
        }
    }

    /** Writes the deferred orders: the peak is over, or a purge must survive this process. */
    void flushDeferred() {
        if (deferrable.get() > 0) {
            queue.add(FLUSH);
        }
    }

    private void run() {
        while (true) {
            try {
                Object job = queue.take();
                if (job == STOP) {
                    writeDeferred();
                    return;
                }
                process(job);
            } catch (InterruptedException e) {
                return;
            } catch (IOException e) {
                onWriteFailure(e);
            } catch (RuntimeException e) {
                LOG.error("Disk tier: a record was not written", e);
            }
        }
    }

    private void process(Object job) throws IOException {
        if (job instanceof PendingWrite pending) {
            process(pending);
        } else if (job instanceof Job order) {
            orders.decrementAndGet();
            if (order.immediate()) {
                append(order);
            } else {
                deferred.add(order);
            }
        }
        if (!deferred.isEmpty()
                && (tier.isOpen() || job == FLUSH || deferred.size() > MAX_DEFERRED)) {
            writeDeferred();
        }
    }

    private void onWriteFailure(IOException e) {
        if (!backingOff) {
            LOG.warn(
                    "Disk tier: {} (nothing is written for {} s)",
                    e.getMessage(),
                    TimeUnit.NANOSECONDS.toSeconds(BACKOFF_NANOS));
        }
        backingOff = true;
        backoffUntil = System.nanoTime() + BACKOFF_NANOS;
    }

    private boolean isBackingOff() {
        backingOff &= System.nanoTime() - backoffUntil < 0;
        return backingOff;
    }

    private void writeDeferred() throws IOException {
        while (!deferred.isEmpty()) {
            append(deferred.getFirst());
            deferred.removeFirst();
            deferrable.decrementAndGet();
        }
    }

    private void append(Job job) throws IOException {
        append(DiskRecord.order(job.order(), job.before()), List.of());
    }

    /**
     * Writes a response that waited, or counts the reason why not. Releases its reference in any
     * case.
     */
    private void process(PendingWrite pending) throws IOException {
        StoredResponse response = pending.response;
        DiskCounts.@Nullable Unwritten reason = DiskCounts.Unwritten.FAILED;
        try {
            if (pending.isCancelled()) {
                reason = DiskCounts.Unwritten.OUTDATED;
            } else if (!tier.isOpen()) {
                reason = DiskCounts.Unwritten.PEAK;
            } else if (!isBackingOff()) {
                reason = write(pending, response);
            }
        } finally {
            tier.pending.remove(response.key(), pending);
            response.releaseRetained();
            waiting.decrementAndGet();
            waitingBytes.addAndGet(-pending.weight);
            if (reason != null) {
                tier.counts.count(reason);
            }
        }
    }

    /** Returns the reason why the response was not written; null when it is on the disk now. */
    @SuppressWarnings("ReferenceEquality") // the name is the key itself unless it is a variant's
    private DiskCounts.@Nullable Unwritten write(PendingWrite pending, StoredResponse response)
            throws IOException {
        CacheKey key = response.key();
        CacheKey name = key;
        if (key.isVariant()) {
            CacheKey uri = CacheKey.of(key.uri());
            VaryRule rule = tier.rule(uri, key);
            if (rule == null) {
                return DiskCounts.Unwritten.NO_RULE;
            }
            name = rule.persistentKey(key);
            rule(uri, rule.names());
        }
        long hash = name.longHash();
        DiskIndex.Entry existing = tier.index.find(hash);
        if (existing != null && !existing.old()) {
            tier.counts.kept.increment();
            return null;
        }
        byte[] head = response.head();
        ByteBuf @Nullable [] body = head == null ? null : response.retainBody();
        if (head == null || body == null) {
            return DiskCounts.Unwritten.OUTDATED;
        }
        long place;
        long length;
        int representationHash;
        try {
            List<ByteBuffer> parts = new ArrayList<>(body.length);
            CRC32C crc = new CRC32C();
            for (ByteBuf run : body) {
                ByteBuffer bytes = run.nioBuffer();
                crc.update(bytes.duplicate());
                parts.add(bytes);
            }
            Freshness freshness = response.freshness();
            DiskRecord record = DiskRecord.response(
                    name.toBytes(),
                    response.status(),
                    head,
                    response.etag(),
                    response.lastModified(),
                    response.labels(),
                    freshness,
                    tier.wallMillis(freshness.arrivedMillis()),
                    response.bodyLength(),
                    (int) crc.getValue());
            length = DiskRecord.padded(record.meta(tier.salt()).remaining(), record.bodyLength());
            if (length > tier.log.maxRecordBytes()) {
                return DiskCounts.Unwritten.TOO_LARGE;
            }
            if (!makeRoom(length, false)) {
                return DiskCounts.Unwritten.PEAK;
            }
            representationHash = SameRepresentation.of(record);
            place = append(record, parts);
        } finally {
            for (ByteBuf run : body) {
                run.release();
            }
        }
        tier.index.put(hash, place, length, tier.guard(name), representationHash);
        if (name != key) {
            tier.variants.add(CacheKey.of(key.uri()), hash);
        }
        tier.pending.remove(key, pending);
        tier.counts.written.increment();
        tier.counts.writtenBytes.add(length);
        switch (pending.finish()) {
            case KEPT -> {}
            case SOFTENED -> {
                tier.index.mark(hash, place, DiskIndex.SOFT);
                append(new Job(
                        new DiskPurge(DiskPurge.Kind.NAME, name.toBytes(), true),
                        tier.log.end(),
                        true));
            }
            case CANCELLED -> {
                tier.index.remove(hash, place);
                append(new Job(DiskPurge.name(name), tier.log.end(), true));
            }
        }
        return null;
    }

    private void rule(CacheKey uri, List<String> names) throws IOException {
        DiskIndex.Entry existing = tier.index.find(uri.longHash());
        if (existing != null && existing.rule() && tier.variants.isRule(uri, names)) {
            return;
        }
        DiskRecord record = DiskRecord.rule(uri.toBytes(), names);
        long place = append(record, List.of());
        tier.variants.rule(uri, names);
        tier.index.put(
                uri.longHash(),
                place,
                DiskRecord.padded(record.meta(tier.salt()).remaining(), 0),
                DiskIndex.RULE,
                0);
    }

    /** Appends a record and returns its place. */
    private long append(DiskRecord record, List<ByteBuffer> body) throws IOException {
        ByteBuffer meta = record.meta(tier.salt());
        long length = DiskRecord.padded(meta.remaining(), record.bodyLength());
        makeRoom(length, true);
        if (length <= SCRATCH) {
            scratch.clear().put(meta);
            for (ByteBuffer part : body) {
                scratch.put(part);
            }
            while (scratch.position() < length) {
                scratch.put((byte) 0);
            }
            return tier.log.append(scratch.flip());
        }
        List<ByteBuffer> parts = new ArrayList<>(body.size() + 2);
        parts.add(meta);
        parts.addAll(body);
        parts.add(ByteBuffer.allocate((int) (length - meta.remaining() - record.bodyLength())));
        return tier.log.append(parts.toArray(ByteBuffer[]::new));
    }

    /**
     * Makes room for a record: starts another segment and drops the oldest ones when there are too
     * many. Records that must stay are first written again and may fill the new segment; then one
     * more is started.
     *
     * @param duringPeak whether to continue when the peak starts meanwhile
     * @return whether there is room
     */
    private boolean makeRoom(long length, boolean duringPeak) throws IOException {
        SecondChance secondChance = null;
        while (tier.log.needsSegment(length)) {
            if (!duringPeak && !tier.isOpen()) {
                return false;
            }
            secondChance = secondChance == null ? new SecondChance(tier, length) : secondChance;
            tier.log.startSegment();
            dropOldest(secondChance);
        }
        return true;
    }

    /**
     * Drops the oldest segments until the rest is within the limits. Also called by the opening
     * thread, before the writer's start.
     */
    void dropOldest(SecondChance secondChance) throws IOException {
        while (tier.log.isOverLimit()
                || (tier.log.count() > 1 && tier.index.size() > tier.maxRecords())) {
            Segment oldest = tier.log.oldest();
            if (oldest == null || secondChance.isNewSegment(oldest)) {
                break;
            }
            secondChance.rewrite(oldest);
            tier.log.dropOldest();
            tier.onSegmentDropped(oldest.number());
        }
    }

    /** Writes the waiting jobs, for at most this time, and ends the thread. */
    void close(long millis) {
        queue.add(STOP);
        try {
            if (!thread.join(java.time.Duration.ofMillis(millis))) {
                thread.interrupt();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
