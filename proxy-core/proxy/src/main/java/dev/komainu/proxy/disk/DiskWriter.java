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
 * The only one who writes: answers that left memory, and orders, in the order in which they came.
 * One thread; whoever gives it something to do leaves it in a queue that is bounded in bytes and in
 * number.
 *
 * <p>What was outdated at the peak is told to the disk after it, because a request was the cause;
 * in the index it is gone at once, so only who is killed meanwhile finds it again, as fresh as its
 * origin said.
 */
final class DiskWriter {

    private static final Logger LOG = LoggerFactory.getLogger(DiskWriter.class);

    static final int MOST_WAITING = 4096;
    private static final int MOST_ORDERS = 65_536;
    private static final int MOST_DEFERRED = 8192;
    /** A record no longer than this is written by one call. */
    private static final int SCRATCH = 256 * 1024;
    /** After the system refused, nothing is tried for so long. */
    private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final Object END = new Object();
    private static final Object SETTLE = new Object();

    /**
     * An order that waits for its record.
     *
     * @param before what it drops was written before this place
     */
    private record Job(DiskPurge order, long before, boolean atOnce) {}

    private final DiskTier tier;
    private final LinkedBlockingQueue<Object> jobs = new LinkedBlockingQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicLong waitingBytes = new AtomicLong();
    private final AtomicInteger orders = new AtomicInteger();
    /** Orders that may be put off. */
    private final AtomicInteger owed = new AtomicInteger();

    private final Thread thread;
    // Of the thread.
    private final ByteBuffer scratch = ByteBuffer.allocateDirect(SCRATCH);
    private final ArrayDeque<Job> deferred = new ArrayDeque<>();
    private long restUntil = System.nanoTime();
    private boolean resting;

    DiskWriter(DiskTier tier) {
        this.tier = tier;
        this.thread =
                Thread.ofPlatform().name("komainu-disk-writer").daemon().unstarted(this::work);
    }

    void start() {
        thread.start();
    }

    long waitingBytes() {
        return waitingBytes.get();
    }

    /** @param most bytes that may wait with it */
    boolean hasRoom(int bytes, long most) {
        return waiting.get() < MOST_WAITING && waitingBytes.get() + bytes <= most;
    }

    void write(PendingWrite pending) {
        waiting.incrementAndGet();
        waitingBytes.addAndGet(pending.weight);
        jobs.add(pending);
    }

    /** @param atOnce also at the peak */
    void order(DiskPurge order, long before, boolean atOnce) {
        if (orders.incrementAndGet() <= MOST_ORDERS) {
            if (!atOnce) {
                owed.incrementAndGet();
            }
            jobs.add(new Job(order, before, atOnce));
        } else {
            orders.decrementAndGet();
            // One order more than can be remembered: after a crash nothing older is used without
            // asking.
            tier.lost();
        }
    }

    /** What was put off is written now: the peak is over, or a purge must outlive this process. */
    void settle() {
        if (owed.get() > 0) {
            jobs.add(SETTLE);
        }
    }

    private void work() {
        while (true) {
            try {
                Object job = jobs.take();
                if (job == END) {
                    settleDeferred();
                    return;
                }
                take(job);
            } catch (InterruptedException e) {
                return;
            } catch (IOException e) {
                failed(e);
            } catch (RuntimeException e) {
                LOG.error("Disk tier: a record was not written", e);
            }
        }
    }

    private void take(Object job) throws IOException {
        if (job instanceof PendingWrite pending) {
            settle(pending);
        } else if (job instanceof Job order) {
            orders.decrementAndGet();
            if (order.atOnce()) {
                append(order);
            } else {
                deferred.add(order);
            }
        }
        if (!deferred.isEmpty()
                && (tier.isOpen() || job == SETTLE || deferred.size() > MOST_DEFERRED)) {
            settleDeferred();
        }
    }

    private void failed(IOException e) {
        if (!resting) {
            LOG.warn(
                    "Disk tier: {} (nothing is written for {} s)",
                    e.getMessage(),
                    TimeUnit.NANOSECONDS.toSeconds(REST_NANOS));
        }
        resting = true;
        restUntil = System.nanoTime() + REST_NANOS;
    }

    private boolean rests() {
        resting &= System.nanoTime() - restUntil < 0;
        return resting;
    }

    private void settleDeferred() throws IOException {
        while (!deferred.isEmpty()) {
            append(deferred.getFirst());
            deferred.removeFirst();
            owed.decrementAndGet();
        }
    }

    private void append(Job job) throws IOException {
        append(DiskRecord.order(job.order(), job.before()), List.of());
    }

    /**
     * An answer that waited: written, or counted with the reason. Its reference goes in any case.
     */
    private void settle(PendingWrite pending) throws IOException {
        StoredResponse response = pending.response;
        DiskCounts.@Nullable Unwritten why = DiskCounts.Unwritten.FAILED;
        try {
            if (pending.isCancelled()) {
                why = DiskCounts.Unwritten.OUTDATED;
            } else if (!tier.isOpen()) {
                why = DiskCounts.Unwritten.PEAK;
            } else if (!rests()) {
                why = write(pending, response);
            }
        } finally {
            tier.pending.remove(response.key(), pending);
            response.letGo();
            waiting.decrementAndGet();
            waitingBytes.addAndGet(-pending.weight);
            if (why != null) {
                tier.counts.not(why);
            }
        }
    }

    /** @return why it was not written; absent when it is on the disk now */
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
            name = rule.lasting(key);
            rule(uri, rule.names());
        }
        long hash = name.longHash();
        DiskIndex.Spot there = tier.index.find(hash);
        if (there != null && !there.old()) {
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
        int sameness;
        try {
            List<ByteBuffer> parts = new ArrayList<>(body.length);
            CRC32C crc = new CRC32C();
            for (ByteBuf run : body) {
                ByteBuffer bytes = run.nioBuffer();
                crc.update(bytes.duplicate());
                parts.add(bytes);
            }
            Freshness freshness = response.freshness();
            DiskRecord record = DiskRecord.answer(
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
            if (length > tier.log.mostRecordBytes()) {
                return DiskCounts.Unwritten.TOO_LARGE;
            }
            if (!makeRoom(length, false)) {
                return DiskCounts.Unwritten.PEAK;
            }
            sameness = SameRepresentation.of(record);
            place = append(record, parts);
        } finally {
            for (ByteBuf run : body) {
                run.release();
            }
        }
        tier.index.put(hash, place, length, tier.guard(name), sameness);
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
        DiskIndex.Spot there = tier.index.find(uri.longHash());
        if (there != null && there.rule() && tier.variants.isRule(uri, names)) {
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

    /** @return where it lies */
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
     * Makes room for a record: another segment is begun, and the oldest go where there are too
     * many. What must stay of them is written again first and may fill that segment; then one more
     * is begun.
     *
     * @param peakToo not to be given up when the peak begins meanwhile
     * @return whether there is room
     */
    private boolean makeRoom(long length, boolean peakToo) throws IOException {
        SecondChance renewal = null;
        while (tier.log.needsSegment(length)) {
            if (!peakToo && !tier.isOpen()) {
                return false;
            }
            renewal = renewal == null ? new SecondChance(tier, length) : renewal;
            tier.log.begin();
            dropOldest(renewal);
        }
        return true;
    }

    /**
     * Drops the oldest segments until what is left is within the limits. Also the opening thread's,
     * before the start.
     */
    void dropOldest(SecondChance renewal) throws IOException {
        while (tier.log.isOver()
                || tier.log.count() > 1 && tier.index.size() > tier.mostRecords()) {
            Segment oldest = tier.log.oldest();
            if (oldest == null || renewal.isOwn(oldest)) {
                break;
            }
            renewal.of(oldest);
            tier.log.dropOldest();
            tier.dropped(oldest.number());
        }
    }

    /** Writes what waits, for a while, and ends. */
    void close(long millis) {
        jobs.add(END);
        try {
            if (!thread.join(java.time.Duration.ofMillis(millis))) {
                thread.interrupt();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
