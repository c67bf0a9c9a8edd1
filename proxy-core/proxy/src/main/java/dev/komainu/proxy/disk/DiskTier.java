package dev.komainu.proxy.disk;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.caching.Freshness;
import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.intermediary.message.Fields;
import dev.komainu.proxy.cache.CacheEntry;
import dev.komainu.proxy.cache.PartitionMode;
import dev.komainu.proxy.cache.PartitionSettings;
import dev.komainu.proxy.cache.StoredRepresentation;
import dev.komainu.proxy.cache.StoredResponse;
import dev.komainu.proxy.cache.VaryRule;
import dev.komainu.proxy.cache.tier.EvictionListener;
import dev.komainu.proxy.cache.tier.MemoryCache;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The second cache tier: a lookup goes to memory first, then to this tier, then to the origin
 * (tmproxy's future work, spec section 1).
 *
 * <pre>
 *   memory ── leaving ──► pending ──► writer ──► log, index    while it is open: at the peak no request waits for disks
 *   memory ◄── restore ───────────── readers ◄── index ◄── a miss
 * </pre>
 *
 * A purge can find a response at any moment: in memory until {@link #onEviction(StoredResponse)},
 * then in {@link #pending}, then in the index. A purge checks these three in this order. While it
 * does, no response that it matches moves ({@link PurgeHistory#isBeingPurged}). Thread-safe.
 * Methods called by event loops take no lock but that of an index shard, and access no file.
 */
public final class DiskTier implements EvictionListener, Restorer, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(DiskTier.class);
    /** A response without a validator is written only if it stays fresh for longer than this. */
    private static final long WORTH_SECONDS = 5;
    /** The tier has at most one record for so many bytes of disk. */
    private static final long BYTES_PER_RECORD = 4096;

    /** Heap bytes counted for a record: a slot has 24 bytes, in a table one to two thirds full. */
    private static final long HEAP_PER_RECORD = 64;

    private static final int MAX_RULES = 4_096;
    private static final long CLOSE_MILLIS = 2_000;

    final MemoryCache cache;
    final ProxyClock clock;
    final DiskIndex index = new DiskIndex();
    final DiskVariants variants = new DiskVariants();
    final PurgeHistory purgeHistory = new PurgeHistory();
    final DiskCounts counts = new DiskCounts();
    final SegmentLog log;
    /**
     * Responses that wait to be written, by their key in memory. A newer response replaces an older
     * one, which is then cancelled.
     */
    final ConcurrentHashMap<CacheKey, PendingWrite> pending = new ConcurrentHashMap<>();

    /** The rules that left memory last. Guarded by itself. */
    private final Map<CacheKey, VaryRule> rules = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<CacheKey, VaryRule> eldest) {
            return size() > MAX_RULES;
        }
    };

    private final DiskDirectory diskDirectory;
    /**
     * The wall clock minus the steady clock, at the start: later jumps of the wall clock have no
     * effect within this process.
     */
    private final long wallAheadMillis;

    private final PeakWorkingSet peakWorkingSet;
    private final DiskReader reader;
    private final DiskWriter writer;
    private final AtomicBoolean ordersLost = new AtomicBoolean();
    private volatile DiskSettings settings;
    private volatile boolean open = true;
    private long damaged;
    private long torn;
    /** Used only by the thread that calls {@link #writeAhead}. */
    private Iterator<Map.Entry<CacheKey, CacheEntry>> writeAheadEntries =
            Collections.emptyIterator();

    private DiskTier(DiskSettings settings, Path directory, MemoryCache cache, ProxyClock clock)
            throws IOException {
        this.settings = settings;
        this.cache = cache;
        this.clock = clock;
        this.wallAheadMillis = clock.wallMillis() - clock.steadyMillis();
        this.diskDirectory = DiskDirectory.open(directory);
        this.log = new SegmentLog(directory, settings.bytes(), settings.segmentBytes());
        this.peakWorkingSet = new PeakWorkingSet(cache, this, directory);
        this.reader = new DiskReader(this);
        this.writer = new DiskWriter(this);
    }

    /**
     * Opens the tier in a directory with the segments of earlier processes. Reads the heads of
     * their records, not the bodies.
     *
     * @throws IOException when the directory cannot be used, or another process uses it
     */
    public static DiskTier open(
            DiskSettings settings, Path directory, MemoryCache cache, ProxyClock clock)
            throws IOException {
        DiskTier tier = new DiskTier(settings, directory, cache, clock);
        try {
            tier.openExisting();
        } catch (IOException | RuntimeException e) {
            tier.diskDirectory.close(false);
            throw e;
        }
        tier.writer.start();
        cache.setEvictionListener(tier);
        return tier;
    }

    private void openExisting() throws IOException {
        long startedNanos = System.nanoTime();
        int foreign = log.dropForeignDigits();
        if (foreign > 0) {
            damaged += foreign;
            LOG.warn(
                    "Disk tier: {} segments of an older version deleted: their names are not in ASCII digits",
                    foreign);
        }
        List<Segment> existing = log.openExisting();
        diskDirectory.begin(log.next());
        for (Segment segment : existing) {
            int marks = diskDirectory.isTrusted(segment.number()) ? 0 : DiskIndex.SOFT;
            SegmentScan.Faults faults = new Recovery(this, marks).read(segment);
            damaged += faults.damaged();
            torn += faults.torn();
        }
        if (log.isOverLimit() || index.size() > maxRecords()) {
            shrink();
        }
        variants.prune(index);
        LOG.info(
                "Disk tier: {} records in {} segments, {} damaged, {} torn; {} ms{}",
                index.size(),
                log.count(),
                damaged,
                torn,
                (System.nanoTime() - startedNanos) / 1_000_000,
                diskDirectory.isTrusted()
                        ? ""
                        : "; the machine did not shut down cleanly, so each record is validated before use");
    }

    /**
     * Drops the oldest records, except those with priority: the limit, or the heap, is smaller than
     * in the previous process.
     */
    private void shrink() {
        try {
            log.startSegment();
            writer.dropOldest(new SecondChance(this, 0));
        } catch (IOException e) {
            LOG.warn(
                    "Disk tier: {} (the tier exceeds its limit until a write succeeds)",
                    e.getMessage());
        }
    }

    long salt() {
        return diskDirectory.salt();
    }

    long maxRecords() {
        return maxRecords(settings.bytes(), Runtime.getRuntime().maxMemory());
    }

    /**
     * Returns the limit of the number of records. For any size of the disk, the index uses at most
     * a quarter of the heap.
     */
    static long maxRecords(long diskBytes, long heapBytes) {
        return Math.min(diskBytes / BYTES_PER_RECORD, heapBytes / 4 / HEAP_PER_RECORD);
    }

    /** Returns {@link DiskIndex#GUARDED} for a name that has priority now, else 0. */
    int guard(CacheKey name) {
        return cache.isPriority(name) ? DiskIndex.GUARDED : 0;
    }

    /**
     * Returns the bytes that records with priority may occupy even if they are not requested: the
     * minimum share of the protected pool, applied to this disk.
     */
    long guardedShareBytes() {
        PartitionSettings partition = cache.settings().partition();
        return partition.mode() == PartitionMode.SINGLE
                ? 0
                : settings.bytes() / 100 * partition.floorPercent();
    }

    /** Returns the same share of the number of records in the index. */
    long guardedShareRecords() {
        return maxRecords() * cache.settings().partition().floorPercent() / 100;
    }

    long delayNanos() {
        return settings.delay().toNanos();
    }

    long wallMillis(long steadyMillis) {
        return steadyMillis + wallAheadMillis;
    }

    long steadyMillis(long wallMillis) {
        return wallMillis - wallAheadMillis;
    }

    /** Applies another delay. Directory and size stay as at the start. */
    public void reload(DiskSettings next) {
        settings = next;
    }

    /**
     * Opens or closes the tier. At the peak it is closed: no request causes a read or a write.
     * Thread-safe.
     */
    public void setOpen(boolean value) {
        boolean before = open;
        open = value;
        if (value && !before) {
            writer.flushDeferred();
        }
    }

    public boolean isOpen() {
        return open;
    }

    /** Removes the records of a dropped segment from the index. */
    void onSegmentDropped(long segment) {
        counts.aged.add(index.removeSegment(segment));
        Segment oldest = log.oldest();
        purgeHistory.removeBefore(oldest == null ? log.end() : DiskIndex.place(oldest.number(), 0));
        variants.prune(index);
    }

    // Reads after a miss.

    /** Reports whether a read could restore the response for this key. */
    public boolean mayContain(CacheKey key) {
        return open && !key.isVariant() && index.find(key.longHash()) != null;
    }

    /**
     * Reads the response for a request that missed in memory, if it is on the disk and may be read
     * now.
     *
     * @param uri key of the effective URI
     * @param key the key looked up in memory: that of the URI or of a variant
     * @param request its fields; must not change
     * @param callback called on a disk thread with the response in memory, retained for the
     *     callback; with null when it could not be restored
     * @return false, without a call of {@code callback}, when the request must go to the origin
     */
    public boolean read(
            CacheKey uri,
            CacheKey key,
            Fields request,
            Consumer<@Nullable StoredResponse> callback) {
        long since = cache.purgeTimestamps().now();
        CacheKey name = name(uri, key);
        DiskIndex.Entry entry = name == null ? null : index.find(name.longHash());
        if (name == null || entry == null) {
            return false;
        }
        counts.asked.increment();
        if (!open) {
            counts.count(DiskCounts.Unread.PEAK);
            peakWorkingSet.onRefused(name);
            return false;
        }
        return submit(name, entry, since, request, callback);
    }

    private boolean submit(
            CacheKey name,
            DiskIndex.Entry entry,
            long since,
            @Nullable Fields request,
            Consumer<@Nullable StoredResponse> callback) {
        boolean accepted = reader.read(name, entry, since, request, callback);
        if (!accepted) {
            counts.count(DiskCounts.Unread.QUEUE_FULL);
        }
        return accepted;
    }

    private @Nullable CacheKey name(CacheKey uri, CacheKey key) {
        if (!key.isVariant()) {
            return key;
        }
        VaryRule rule = rule(uri, key);
        return rule == null ? null : rule.persistentKey(key);
    }

    /**
     * Returns the rule under which this variant was stored in memory; null when it is no longer
     * known.
     */
    @Nullable
    VaryRule rule(CacheKey uri, CacheKey variant) {
        if (cache.get(uri) instanceof VaryRule rule && rule.owns(variant)) {
            return rule;
        }
        synchronized (rules) {
            VaryRule rule = rules.get(uri);
            return rule != null && rule.owns(variant) ? rule : null;
        }
    }

    @Override
    public void onEviction(CacheKey uri, VaryRule rule) {
        synchronized (rules) {
            rules.put(uri, rule);
        }
    }

    /** {@inheritDoc} Never called on an event loop's thread. */
    @Override
    public boolean restore(CacheKey name) {
        long since = cache.purgeTimestamps().now();
        DiskIndex.Entry entry = index.find(name.longHash());
        if (!open || entry == null || entry.rule() || isInMemory(name)) {
            return false;
        }
        counts.asked.increment();
        StoredResponse found = reader.readBlocking(name, entry, since, null);
        if (found != null) {
            found.releaseRetained();
        }
        return found != null;
    }

    private boolean isInMemory(CacheKey name) {
        return !name.isVariant() && cache.get(name) instanceof StoredRepresentation;
    }

    @Override
    public boolean isBusy() {
        return !open || reader.inProgress() > 0;
    }

    /** Returns the responses that the last peak needed. */
    public PeakWorkingSet peakWorkingSet() {
        return peakWorkingSet;
    }

    @Override
    public @Nullable CacheKey nameOf(StoredResponse response) {
        CacheKey key = response.key();
        return name(key.isVariant() ? CacheKey.of(key.uri()) : key, key);
    }

    // Writes of evicted responses.

    @Override
    public void onEviction(StoredResponse response) {
        if (!open) {
            counts.count(DiskCounts.Unwritten.PEAK);
            return;
        }
        if (!isWorthWriting(response)) {
            counts.count(DiskCounts.Unwritten.WORTHLESS);
            return;
        }
        CacheKey key = response.key();
        if (!key.isVariant() && isOnDisk(key)) {
            counts.kept.increment();
            return;
        }
        boolean preferred = response.hits() > 0 || cache.isPriority(key);
        long maxBytes = preferred ? maxRetainedBytes() : maxRetainedBytes() / 2;
        if (!writer.hasRoom(response.weight(), maxBytes)) {
            counts.count(DiskCounts.Unwritten.QUEUE_FULL);
            return;
        }
        enqueue(response);
    }

    /** Reports whether the disk has a current record under this name. */
    private boolean isOnDisk(CacheKey name) {
        DiskIndex.Entry entry = index.find(name.longHash());
        return entry != null && !entry.old();
    }

    private boolean isWorthWriting(StoredResponse response) {
        Freshness freshness = response.freshness();
        return response.hasValidator()
                || (!freshness.alwaysValidate()
                        && freshness.leftSeconds(clock.steadyMillis()) > WORTH_SECONDS);
    }

    /**
     * Reports whether a record is neither fresh nor can be validated: no client could receive it.
     */
    boolean isWorthless(DiskRecord record) {
        Freshness freshness = record.freshness(steadyMillis(record.arrivedWallMillis()));
        return record.etag() == null
                && record.lastModified() == null
                && (freshness.alwaysValidate() || freshness.leftSeconds(clock.steadyMillis()) <= 0);
    }

    private void enqueue(StoredResponse response) {
        if (purgeHistory.isBeingPurged(response)) {
            counts.count(DiskCounts.Unwritten.OUTDATED);
        } else if (response.retain()) {
            PendingWrite write = new PendingWrite(response);
            PendingWrite before = pending.put(response.key(), write);
            if (before != null) {
                before.cancel();
            }
            writer.write(write);
        }
    }

    /**
     * Writes responses that are in memory and were requested, off-peak. They then need no write
     * when they leave memory, and survive a restart. One thread at a time.
     *
     * @param steps number of entries to check
     * @return the number of responses passed to the writer
     */
    public int writeAhead(int steps) {
        int queued = 0;
        if (!writeAheadEntries.hasNext()) {
            writeAheadEntries = cache.entries();
        }
        for (int i = 0; i < steps && open && writeAheadEntries.hasNext(); i++) {
            if (writeAheadEntries.next().getValue() instanceof StoredResponse response
                    && response.hits() > 0
                    && isWorthWriting(response)
                    && !response.key().isVariant()
                    && !isOnDisk(response.key())
                    && !pending.containsKey(response.key())) {
                if (!writer.hasRoom(response.weight(), maxRetainedBytes() / 4)) {
                    break;
                }
                enqueue(response);
                if (cache.get(response.key()) == response) {
                    queued++;
                } else {
                    // The entry was dropped in between, and the dropping thread may not have found
                    // the pending write.
                    PendingWrite write = pending.get(response.key());
                    if (write != null && write.response == response) {
                        write.cancel();
                    }
                }
            }
        }
        return queued;
    }

    @Override
    public long maxRetainedBytes() {
        return Math.clamp(cache.settings().memoryBytes() / 64, 256 << 10, 64 << 20);
    }

    @Override
    public void onOutdated(CacheKey key, @Nullable StoredRepresentation newer) {
        PendingWrite write = pending.get(key);
        if (write != null && write.response != newer) {
            write.cancel();
        }
        if (!key.isVariant()) {
            removeRecord(key, newer);
            if (newer == null) {
                pending.values().stream()
                        .filter(variant -> variant.response.key().isVariant()
                                && variant.response.key().uri().equals(key.uri()))
                        .forEach(PendingWrite::cancel);
            }
            dropVariants(key);
            return;
        }
        CacheKey uri = CacheKey.of(key.uri());
        CacheKey name = name(uri, key);
        if (name != null) {
            removeRecord(name, newer);
        } else if (index.remove(uri.longHash()) || variants.hashesOf(uri).length > 0) {
            // The variant's name is no longer known: all variants of the URI are dropped.
            dropVariants(uri);
            writer.order(DiskPurge.uri(uri, false), log.end(), false);
        }
    }

    /**
     * Drops a record, with one exception. At the peak, the same representation fetched again (only
     * because the disk was closed) leaves the record in place: otherwise a peak would empty the
     * disk. The record keeps its own freshness and is rewritten when the newer response leaves
     * memory off-peak.
     */
    private void removeRecord(CacheKey name, @Nullable StoredRepresentation newer) {
        long hash = name.longHash();
        DiskIndex.Entry entry = index.find(hash);
        if (entry != null
                && !open
                && newer != null
                && entry.representationHash() != 0
                && entry.representationHash() == SameRepresentation.of(newer)) {
            index.mark(hash, entry.place(), DiskIndex.OLD);
        } else if (entry != null && index.remove(hash)) {
            writer.order(DiskPurge.name(name), log.end(), false);
        }
    }

    private int dropVariants(CacheKey uri) {
        int dropped = 0;
        for (long variant : variants.hashesOf(uri)) {
            dropped += index.remove(variant) ? 1 : 0;
        }
        if (dropped > 0) {
            variants.remove(uri);
            writer.order(DiskPurge.uri(uri, false), log.end(), false);
        }
        return dropped;
    }

    // Purges.

    /** A purge in progress: from before its check of memory until after its check of the disk. */
    public interface ActivePurge extends AutoCloseable {

        /**
         * Applies the purge to the disk; called after memory was checked.
         *
         * @return the number of records found by name; records matched by a prefix or a label are
         *     found when they are read
         */
        long apply();

        @Override
        void close();
    }

    /**
     * Starts purges: until the result is closed, no response that these orders match moves between
     * memory and disk. Thread-safe.
     */
    public ActivePurge begin(List<DiskPurge> orders) {
        orders.forEach(purgeHistory::begin);
        return new ActivePurge() {
            @Override
            public long apply() {
                long found = 0;
                for (DiskPurge order : orders) {
                    found += DiskTier.this.apply(order);
                }
                writer.flushDeferred();
                return found;
            }

            @Override
            public void close() {
                orders.forEach(purgeHistory::end);
            }
        };
    }

    private long apply(DiskPurge order) {
        long found = 0;
        for (PendingWrite write : pending.values()) {
            if (order.matches(write.response)) {
                boolean waited = order.soft() ? write.soften() : write.cancel();
                found += waited ? 1 : 0;
            }
        }
        if (order.kind() == DiskPurge.Kind.URI) {
            found += purgeUri(order);
        } else {
            // Added twice: a record that the writer moved to the end between the first reading of
            // the end and the
            // first addition lies before the second one.
            long end = log.end();
            purgeHistory.add(order, end);
            end = log.end();
            purgeHistory.add(order, end);
            writer.order(order, end, true);
        }
        return found;
    }

    private long purgeUri(DiskPurge order) {
        CacheKey uri = order.key();
        long found = purge(uri.longHash(), order.soft());
        for (long variant : variants.hashesOf(uri)) {
            found += purge(variant, order.soft());
        }
        if (!order.soft()) {
            variants.remove(uri);
        }
        if (found > 0) {
            writer.order(order, log.end(), true);
        }
        return found;
    }

    private int purge(long hash, boolean soft) {
        DiskIndex.Entry entry = index.find(hash);
        if (entry == null) {
            return 0;
        }
        if (soft) {
            index.mark(hash, entry.place(), DiskIndex.SOFT);
            return entry.rule() ? 0 : 1;
        }
        return index.remove(hash) && !entry.rule() ? 1 : 0;
    }

    /** Reports whether the disk has a record of this response's name. */
    public boolean contains(StoredResponse response) {
        CacheKey name = nameOf(response);
        return name != null && index.find(name.longHash()) != null;
    }

    /** Returns the number of a URI's records, variants included. */
    public long count(CacheKey uri) {
        DiskIndex.Entry entry = index.find(uri.longHash());
        long count = entry != null && !entry.rule() ? 1 : 0;
        for (long variant : variants.hashesOf(uri)) {
            count += index.find(variant) == null ? 0 : 1;
        }
        return count;
    }

    /**
     * Handles a purge order that could not be queued: after a crash, no record of the present is
     * used without validation.
     */
    void onOrderLost() {
        if (ordersLost.compareAndSet(false, true)) {
            LOG.warn(
                    "Disk tier: too many purge orders wait to be written; after a crash, records are validated before use");
            diskDirectory.distrust();
        }
    }

    // Readings.

    /** Values of the last second for the peak detection. */
    public record Load(
            long reads,
            long readP95Micros,
            int queue,
            long refusedAtPeak,
            long busyNanos,
            int threads) {}

    /**
     * Returns counts since the start, except for {@code reads} and {@code readP95Micros}, which
     * cover the second that ends now. Called by one thread, once a second.
     */
    public Load load() {
        ReadTimes.Second second = reader.times.endSecond();
        return new Load(
                second.count(),
                second.p95Micros(),
                reader.inProgress(),
                counts.of(DiskCounts.Unread.PEAK),
                counts.busyNanos.sum(),
                DiskReader.THREADS);
    }

    public DiskFigures figures() {
        return new DiskFigures(
                new DiskFigures.Space(
                        index.size(),
                        log.bytes(),
                        settings.bytes(),
                        index.guardedBytes(),
                        log.count(),
                        index.bytes()),
                new DiskFigures.Reads(
                        counts.asked.sum(),
                        counts.found.sum(),
                        counts.foundBytes.sum(),
                        counts.unread(),
                        reader.inProgress(),
                        reader.times.p95Micros()),
                new DiskFigures.Writes(
                        counts.written.sum(),
                        counts.writtenBytes.sum(),
                        counts.kept.sum(),
                        counts.unwritten(),
                        writer.waitingBytes()),
                new DiskFigures.Upkeep(counts.aged.sum(), counts.renewed.sum(), damaged, torn));
    }

    /** Returns the directory of the tier's files; other components may keep a file there. */
    public Path directory() {
        return diskDirectory.directory();
    }

    /** Ends reads, writes the waiting responses, and releases the directory. */
    @Override
    public void close() {
        reader.close();
        writer.close(CLOSE_MILLIS);
        boolean complete = true;
        try {
            log.close();
        } catch (IOException e) {
            LOG.warn("Disk tier: {}", e.getMessage());
            complete = false;
        }
        diskDirectory.close(complete);
    }
}
