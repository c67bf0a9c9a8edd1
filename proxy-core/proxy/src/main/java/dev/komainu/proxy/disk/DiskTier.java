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
 * The second place of stored answers: memory first, then this, then the origin (tmproxy's future
 * work, spec section 1).
 *
 * <pre>
 *   memory ── leaving ──► pending ──► writer ──► log, index          while it is open: at the peak nobody waits for disks
 *   memory ◄── restore ───────────── readers ◄── index ◄── a miss
 * </pre>
 *
 * Where an answer is, at any moment, whoever purges it can find it: in memory, until
 * {@link #leaving} was told; then in {@link #pending}, until it is in the index. A purge looks in
 * this order, and while it looks nothing that it means moves ({@link PurgeHistory#acts}). Safe for
 * all threads; what an event loop calls takes no lock but an index shard's, and touches no file.
 */
public final class DiskTier implements EvictionListener, Restorer, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(DiskTier.class);
    /** What is not fresh for so long, and cannot be confirmed, is not worth its way to the disk. */
    private static final long WORTH_SECONDS = 5;
    /** A record for each so many bytes of disk, at most. */
    private static final long BYTES_PER_RECORD = 4096;

    /** A slot of 20 bytes is taken by a third at the least, by two thirds mostly. */
    private static final long HEAP_PER_RECORD = 64;

    private static final int MOST_RULES = 4_096;
    private static final long CLOSE_MILLIS = 2_000;

    final MemoryCache cache;
    final ProxyClock clock;
    final DiskIndex index = new DiskIndex();
    final DiskVariants variants = new DiskVariants();
    final PurgeHistory book = new PurgeHistory();
    final DiskCounts counts = new DiskCounts();
    final SegmentLog log;
    /** By the key in memory; a newer answer takes an older one's place, which is cancelled then. */
    final ConcurrentHashMap<CacheKey, PendingWrite> pending = new ConcurrentHashMap<>();

    /** Rules that left memory last. Guarded by itself. */
    private final Map<CacheKey, VaryRule> rules = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<CacheKey, VaryRule> eldest) {
            return size() > MOST_RULES;
        }
    };

    private final DiskDirectory home;
    /**
     * The wall clock less the steady one, at the start: within a process jumps of the wall clock
     * mean nothing.
     */
    private final long wallAheadMillis;

    private final PeakWorkingSet wanted;
    private final DiskReader reader;
    private final DiskWriter writer;
    private final AtomicBoolean lost = new AtomicBoolean();
    private volatile DiskSettings settings;
    private volatile boolean open = true;
    private long damaged;
    private long torn;
    /** Of the thread that saves ahead. */
    private Iterator<Map.Entry<CacheKey, CacheEntry>> saving = Collections.emptyIterator();

    private DiskTier(DiskSettings settings, Path directory, MemoryCache cache, ProxyClock clock)
            throws IOException {
        this.settings = settings;
        this.cache = cache;
        this.clock = clock;
        this.wallAheadMillis = clock.wallMillis() - clock.steadyMillis();
        this.home = DiskDirectory.open(directory);
        this.log = new SegmentLog(directory, settings.bytes(), settings.segmentBytes());
        this.wanted = new PeakWorkingSet(cache, this, directory);
        this.reader = new DiskReader(this);
        this.writer = new DiskWriter(this);
    }

    /**
     * Takes a directory over with all that earlier processes left there; reads their records'
     * heads, not their bodies.
     *
     * @throws IOException when it cannot be used, or another process uses it
     */
    public static DiskTier open(
            DiskSettings settings, Path directory, MemoryCache cache, ProxyClock clock)
            throws IOException {
        DiskTier tier = new DiskTier(settings, directory, cache, clock);
        try {
            tier.takeOver();
        } catch (IOException | RuntimeException e) {
            tier.home.close(false);
            throw e;
        }
        tier.writer.start();
        cache.overflowTo(tier);
        return tier;
    }

    private void takeOver() throws IOException {
        long began = System.nanoTime();
        int foreign = log.dropForeignDigits();
        if (foreign > 0) {
            damaged += foreign;
            LOG.warn(
                    "Disk tier: {} segments of an older version deleted: their names are not in ASCII digits",
                    foreign);
        }
        Recovery recovery = new Recovery(this, home.isTrusted() ? 0 : DiskIndex.SOFT);
        for (Segment segment : log.takeOver()) {
            SegmentScan.Faults faults = recovery.read(segment);
            damaged += faults.damaged();
            torn += faults.torn();
        }
        if (log.isOver() || index.size() > mostRecords()) {
            shrink();
        }
        variants.prune(index);
        LOG.info(
                "Disk tier: {} records in {} segments, {} damaged, {} torn; {} ms{}",
                index.size(),
                log.count(),
                damaged,
                torn,
                (System.nanoTime() - began) / 1_000_000,
                home.isTrusted()
                        ? ""
                        : "; the machine went down without a word, so each is confirmed before use");
    }

    /**
     * Drops the oldest, but not what has priority: the limit, or the heap, is smaller than that of
     * the process before.
     */
    private void shrink() {
        try {
            log.begin();
            writer.dropOldest(new SecondChance(this, 0));
        } catch (IOException e) {
            LOG.warn(
                    "Disk tier: {} (over its limit until something can be written)",
                    e.getMessage());
        }
    }

    long salt() {
        return home.salt();
    }

    long mostRecords() {
        return mostRecords(settings.bytes(), Runtime.getRuntime().maxMemory());
    }

    /** Whatever the disk: the index takes no more than a quarter of the heap. */
    static long mostRecords(long diskBytes, long heapBytes) {
        return Math.min(diskBytes / BYTES_PER_RECORD, heapBytes / 4 / HEAP_PER_RECORD);
    }

    /** {@link DiskIndex#GUARDED} for a name that has priority now, else 0. */
    int guard(CacheKey name) {
        return cache.isPriority(name) ? DiskIndex.GUARDED : 0;
    }

    /**
     * Bytes that what has priority may keep although nobody asks for it: the floor of the protected
     * pool, of this disk.
     */
    long guardedShareBytes() {
        PartitionSettings partition = cache.settings().partition();
        return partition.mode() == PartitionMode.SINGLE
                ? 0
                : settings.bytes() / 100 * partition.floorPercent();
    }

    /** The same share of the records that the index may hold. */
    long guardedShareRecords() {
        return mostRecords() * cache.settings().partition().floorPercent() / 100;
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

    /** Another delay from now on; directory and size stay as at the start. */
    public void ruleBy(DiskSettings next) {
        settings = next;
    }

    /** At the peak it is closed: nothing is read or written because of a request. Any thread. */
    public void open(boolean now) {
        boolean before = open;
        open = now;
        if (now && !before) {
            writer.settle();
        }
    }

    public boolean isOpen() {
        return open;
    }

    /** A segment is gone with all its records. */
    void dropped(long segment) {
        counts.aged.add(index.removeSegment(segment));
        Segment oldest = log.oldest();
        book.forgetBefore(oldest == null ? log.end() : DiskIndex.place(oldest.number(), 0));
        variants.prune(index);
    }

    // Out: what a miss finds here.

    /** Whether a read could bring what this key leads to. */
    public boolean holds(CacheKey key) {
        return open && !key.isVariant() && index.find(key.longHash()) != null;
    }

    /**
     * Reads what a request that missed wants, if it is here and may be read now.
     *
     * @param uri the effective URI's key
     * @param key what was looked up in memory: the URI's, or a variant's
     * @param request its fields; must not change
     * @param told on a disk thread: what is in memory now, held for whoever is told; absent when it
     *     could not be had
     * @return false, with nobody told, when the origin is to be asked
     */
    public boolean read(
            CacheKey uri, CacheKey key, Fields request, Consumer<@Nullable StoredResponse> told) {
        long since = cache.stamps().now();
        CacheKey name = name(uri, key);
        DiskIndex.Spot spot = name == null ? null : index.find(name.longHash());
        if (name == null || spot == null) {
            return false;
        }
        counts.asked.increment();
        if (!open) {
            counts.not(DiskCounts.Unread.PEAK);
            wanted.refused(name);
            return false;
        }
        return submit(name, spot, since, request, told);
    }

    private boolean submit(
            CacheKey name,
            DiskIndex.Spot spot,
            long since,
            @Nullable Fields request,
            Consumer<@Nullable StoredResponse> told) {
        boolean taken = reader.read(name, spot, since, request, told);
        if (!taken) {
            counts.not(DiskCounts.Unread.QUEUE_FULL);
        }
        return taken;
    }

    private @Nullable CacheKey name(CacheKey uri, CacheKey key) {
        if (!key.isVariant()) {
            return key;
        }
        VaryRule rule = rule(uri, key);
        return rule == null ? null : rule.lasting(key);
    }

    /** Under which this variant was stored in memory; absent when nobody knows any more. */
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
    public void leaving(CacheKey uri, VaryRule rule) {
        synchronized (rules) {
            rules.put(uri, rule);
        }
    }

    /** {@inheritDoc} Never on an event loop's thread. */
    @Override
    public boolean bring(CacheKey name) {
        long since = cache.stamps().now();
        DiskIndex.Spot spot = index.find(name.longHash());
        if (!open || spot == null || spot.rule() || isInMemory(name)) {
            return false;
        }
        counts.asked.increment();
        StoredResponse found = reader.found(name, spot, since, null);
        if (found != null) {
            found.letGo();
        }
        return found != null;
    }

    private boolean isInMemory(CacheKey name) {
        return !name.isVariant() && cache.get(name) instanceof StoredRepresentation;
    }

    @Override
    public boolean isBusy() {
        return !open || reader.underWay() > 0;
    }

    /** What the last peak needed. */
    public PeakWorkingSet wanted() {
        return wanted;
    }

    @Override
    public @Nullable CacheKey nameOf(StoredResponse response) {
        CacheKey key = response.key();
        return name(key.isVariant() ? CacheKey.of(key.uri()) : key, key);
    }

    // In: what memory has no room for.

    @Override
    public void leaving(StoredResponse response) {
        if (!open) {
            counts.not(DiskCounts.Unwritten.PEAK);
            return;
        }
        if (!isWorth(response)) {
            counts.not(DiskCounts.Unwritten.WORTHLESS);
            return;
        }
        CacheKey key = response.key();
        if (!key.isVariant() && isHere(key)) {
            counts.kept.increment();
            return;
        }
        boolean first = response.hits() > 0 || cache.isPriority(key);
        long most = first ? mostHeldBytes() : mostHeldBytes() / 2;
        if (!writer.hasRoom(response.weight(), most)) {
            counts.not(DiskCounts.Unwritten.QUEUE_FULL);
            return;
        }
        hand(response);
    }

    /** Whether what memory has under this key need not be written. */
    private boolean isHere(CacheKey name) {
        DiskIndex.Spot spot = index.find(name.longHash());
        return spot != null && !spot.old();
    }

    private boolean isWorth(StoredResponse response) {
        Freshness freshness = response.freshness();
        return response.hasValidator()
                || !freshness.alwaysValidate()
                        && freshness.leftSeconds(clock.steadyMillis()) > WORTH_SECONDS;
    }

    /** Neither fresh nor to be confirmed: nobody could be given it. */
    boolean isWorthless(DiskRecord record) {
        Freshness freshness = record.freshness(steadyMillis(record.arrivedWallMillis()));
        return record.etag() == null
                && record.lastModified() == null
                && (freshness.alwaysValidate() || freshness.leftSeconds(clock.steadyMillis()) <= 0);
    }

    private void hand(StoredResponse response) {
        if (book.acts(response)) {
            counts.not(DiskCounts.Unwritten.OUTDATED);
        } else if (response.hold()) {
            PendingWrite mine = new PendingWrite(response);
            PendingWrite before = pending.put(response.key(), mine);
            if (before != null) {
                before.cancel();
            }
            writer.write(mine);
        }
    }

    /**
     * In quiet time, writes of what is in memory and was asked for, so that it need not be written
     * when it leaves, and survives a restart. One thread at a time.
     *
     * @param steps entries looked at
     * @return how many are to be written
     */
    public int saveAhead(int steps) {
        int given = 0;
        if (!saving.hasNext()) {
            saving = cache.entries();
        }
        for (int i = 0; i < steps && open && saving.hasNext(); i++) {
            if (saving.next().getValue() instanceof StoredResponse response
                    && response.hits() > 0
                    && isWorth(response)
                    && !response.key().isVariant()
                    && !isHere(response.key())
                    && !pending.containsKey(response.key())) {
                if (!writer.hasRoom(response.weight(), mostHeldBytes() / 4)) {
                    break;
                }
                hand(response);
                if (cache.get(response.key()) == response) {
                    given++;
                } else {
                    // It was dropped in between, and whoever dropped it may not have found it here
                    // yet.
                    PendingWrite mine = pending.get(response.key());
                    if (mine != null && mine.response == response) {
                        mine.cancel();
                    }
                }
            }
        }
        return given;
    }

    @Override
    public long mostHeldBytes() {
        return Math.clamp(cache.settings().memoryBytes() / 64, 256 << 10, 64 << 20);
    }

    @Override
    public void outdated(CacheKey key, @Nullable StoredRepresentation newer) {
        PendingWrite waits = pending.get(key);
        if (waits != null && waits.response != newer) {
            waits.cancel();
        }
        if (!key.isVariant()) {
            forget(key, newer);
            if (newer == null) {
                pending.values().stream()
                        .filter(each -> each.response.key().isVariant()
                                && each.response.key().uri().equals(key.uri()))
                        .forEach(PendingWrite::cancel);
            }
            dropVariants(key);
            return;
        }
        CacheKey uri = CacheKey.of(key.uri());
        CacheKey name = name(uri, key);
        if (name != null) {
            forget(name, newer);
        } else if (index.remove(uri.longHash()) || variants.of(uri).length > 0) {
            // Its name is not known any more: all of that URI.
            dropVariants(uri);
            writer.order(DiskPurge.uri(uri, false), log.end(), false);
        }
    }

    /**
     * At the peak, what was fetched again only because the disk was not asked stays here as it was:
     * else a peak would empty the disk. It is as fresh as its origin said then, and is written
     * again when the newer one leaves memory in time.
     */
    private void forget(CacheKey name, @Nullable StoredRepresentation newer) {
        long hash = name.longHash();
        DiskIndex.Spot spot = index.find(hash);
        if (spot != null
                && !open
                && newer != null
                && spot.sameness() != 0
                && spot.sameness() == SameRepresentation.of(newer)) {
            index.mark(hash, spot.place(), DiskIndex.OLD);
        } else if (spot != null && index.remove(hash)) {
            writer.order(DiskPurge.name(name), log.end(), false);
        }
    }

    private int dropVariants(CacheKey uri) {
        int dropped = 0;
        for (long variant : variants.of(uri)) {
            dropped += index.remove(variant) ? 1 : 0;
        }
        if (dropped > 0) {
            variants.forget(uri);
            writer.order(DiskPurge.uri(uri, false), log.end(), false);
        }
        return dropped;
    }

    // Purges.

    /** A purge at work: from before its look at memory until behind its look here. */
    public interface Purging extends AutoCloseable {

        /**
         * Looks at what is here; behind the look at memory.
         *
         * @return records found by name; what is meant by a prefix or a label shows when it is read
         */
        long look();

        @Override
        void close();
    }

    /**
     * Nothing that these orders mean moves between memory and disk until it is closed. Any thread.
     */
    public Purging begin(List<DiskPurge> orders) {
        orders.forEach(book::begin);
        return new Purging() {
            @Override
            public long look() {
                long found = 0;
                for (DiskPurge order : orders) {
                    found += DiskTier.this.look(order);
                }
                writer.settle();
                return found;
            }

            @Override
            public void close() {
                orders.forEach(book::end);
            }
        };
    }

    private long look(DiskPurge order) {
        long found = 0;
        for (PendingWrite each : pending.values()) {
            if (order.means(each.response)) {
                boolean waited = order.soft() ? each.soften() : each.cancel();
                found += waited ? 1 : 0;
            }
        }
        if (order.kind() == DiskPurge.Kind.URI) {
            found += uri(order);
        } else {
            // Twice: what the writer moved to the end between the look at it and the note lies
            // before it now.
            long at = log.end();
            book.note(order, at);
            at = log.end();
            book.note(order, at);
            writer.order(order, at, true);
        }
        return found;
    }

    private long uri(DiskPurge order) {
        CacheKey uri = order.key();
        long found = take(uri.longHash(), order.soft());
        for (long variant : variants.of(uri)) {
            found += take(variant, order.soft());
        }
        if (!order.soft()) {
            variants.forget(uri);
        }
        if (found > 0) {
            writer.order(order, log.end(), true);
        }
        return found;
    }

    private int take(long hash, boolean softly) {
        DiskIndex.Spot spot = index.find(hash);
        if (spot == null) {
            return 0;
        }
        if (softly) {
            index.mark(hash, spot.place(), DiskIndex.SOFT);
            return spot.rule() ? 0 : 1;
        }
        return index.remove(hash) && !spot.rule() ? 1 : 0;
    }

    /** Whether the same lies here. */
    public boolean keeps(StoredResponse response) {
        CacheKey name = nameOf(response);
        return name != null && index.find(name.longHash()) != null;
    }

    /** How many records a URI has here, variants included. */
    public long count(CacheKey uri) {
        DiskIndex.Spot spot = index.find(uri.longHash());
        long count = spot != null && !spot.rule() ? 1 : 0;
        for (long variant : variants.of(uri)) {
            count += index.find(variant) == null ? 0 : 1;
        }
        return count;
    }

    /**
     * An order could not be written down: nothing that is here now is used without asking after a
     * crash.
     */
    void lost() {
        if (lost.compareAndSet(false, true)) {
            LOG.warn(
                    "Disk tier: too many orders wait to be written; after a crash, records are confirmed before use");
            home.distrust();
        }
    }

    // Figures.

    /** What the peak's watch needs of the second that ends now. */
    public record Load(
            long reads,
            long readP95Micros,
            int queue,
            long refusedAtPeak,
            long busyNanos,
            int threads) {}

    /** Counts are since the start, but for the reads and their p95. One caller, once a second. */
    public Load load() {
        ReadTimes.Second second = reader.times.turn();
        return new Load(
                second.count(),
                second.p95Micros(),
                reader.underWay(),
                counts.of(DiskCounts.Unread.PEAK),
                counts.busyNanos.sum(),
                DiskReader.THREADS);
    }

    public DiskFigures figures() {
        return new DiskFigures(
                index.size(),
                log.bytes(),
                settings.bytes(),
                index.guardedBytes(),
                log.count(),
                index.bytes(),
                counts.asked.sum(),
                counts.found.sum(),
                counts.foundBytes.sum(),
                counts.unread(),
                counts.written.sum(),
                counts.writtenBytes.sum(),
                counts.kept.sum(),
                counts.unwritten(),
                counts.aged.sum(),
                counts.renewed.sum(),
                damaged,
                torn,
                reader.underWay(),
                writer.waitingBytes(),
                reader.times.p95Micros());
    }

    /** Where its files lie; others of this program may keep a file there beside the segments. */
    public Path directory() {
        return home.directory();
    }

    /** Ends reads, writes what waits, and lets the directory go. */
    @Override
    public void close() {
        reader.close();
        writer.close(CLOSE_MILLIS);
        boolean whole = true;
        try {
            log.close();
        } catch (IOException e) {
            LOG.warn("Disk tier: {}", e.getMessage());
            whole = false;
        }
        home.close(whole);
    }
}
