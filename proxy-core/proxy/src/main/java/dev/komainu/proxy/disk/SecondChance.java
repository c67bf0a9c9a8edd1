package dev.komainu.proxy.disk;

import dev.komainu.intermediary.caching.CacheKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The second chance of the oldest segments' records while room is made for a new record. Records
 * requested since they were written are rewritten at the end of the log before their segment is
 * dropped: half a segment at most, and not at the peak. Used by the writer's thread only.
 *
 * <p><b>Records with priority</b> (spec section 3) are rewritten first, requested or not, at the
 * peak too, as long as all of them on the disk are within their share
 * ({@link DiskTier#guardedShareBytes}). A sweep of any length therefore does not remove them.
 * Nothing is kept free for the new record in this case. Where the last segment is full, another one
 * is started: otherwise a segment with nothing else would lose its last records. Records beyond the
 * share are treated as the others, the oldest first.
 *
 * <p>A purge may arrive at any moment. The index moves a record only if its place is unchanged, and
 * a purge by label or prefix is added to the history before it checks the disk. A second evaluation
 * after the move therefore sees it.
 */
final class SecondChance {

    private final DiskTier tier;
    /** Bytes of the record that room is made for. */
    private final long newRecordBytes;
    /** Number of the last segment before this. */
    private final long lastSegment;
    /** Bytes left for requested records. */
    private long remainingBytes;
    /** Bytes and records with priority beyond their share. */
    private long excessBytes;

    private long excessRecords;

    SecondChance(DiskTier tier, long newRecordBytes) {
        this.tier = tier;
        this.newRecordBytes = newRecordBytes;
        this.lastSegment = tier.log.end() >>> 32;
        this.remainingBytes = tier.log.maxRecordBytes();
    }

    /**
     * Reports whether a segment was started for this second chance. All others were checked then,
     * and the pass ends.
     */
    boolean isNewSegment(Segment segment) {
        return segment.number() > lastSegment;
    }

    void rewrite(Segment oldest) throws IOException {
        if (tier.guardedShareBytes() > 0) {
            excessBytes = tier.index.guardedBytes() - tier.guardedShareBytes();
            excessRecords = tier.index.guardedRecords() - tier.guardedShareRecords();
            SegmentScan.scan(
                    oldest,
                    tier.salt(),
                    (record, offset, recordBytes) ->
                            rewriteGuarded(oldest, record, offset, recordBytes));
        }
        if (tier.isOpen()) {
            SegmentScan.scan(
                    oldest,
                    tier.salt(),
                    (record, offset, recordBytes) ->
                            rewriteRequested(oldest, record, offset, recordBytes));
        }
    }

    private void rewriteGuarded(
            Segment oldest, DiskRecord record, long offset, ByteBuffer recordBytes)
            throws IOException {
        if (record.kind() == DiskRecord.ORDER) {
            return;
        }
        CacheKey name = name(record);
        long from = DiskIndex.place(oldest.number(), offset);
        if (tier.guard(name) == 0 || !isRewritable(name, from)) {
            return;
        }
        boolean kept = record.kind() == DiskRecord.RULE
                ? tier.variants.hashesOf(name).length > 0
                : !tier.isWorthless(record) && !isBeyondShare(recordBytes.remaining());
        if (kept) {
            if (tier.log.needsSegment(recordBytes.remaining())) {
                tier.log.startSegment();
            }
            rewrite(name, record, from, recordBytes);
        }
    }

    private boolean isBeyondShare(long bytes) {
        boolean beyond = excessBytes > 0 || excessRecords > 0;
        if (beyond) {
            excessBytes -= bytes;
            excessRecords--;
        }
        return beyond;
    }

    private void rewriteRequested(
            Segment oldest, DiskRecord record, long offset, ByteBuffer recordBytes)
            throws IOException {
        if (record.kind() == DiskRecord.ORDER
                || recordBytes.remaining()
                        > Math.min(remainingBytes, tier.log.remainingBytes() - newRecordBytes)) {
            return;
        }
        CacheKey name = name(record);
        long from = DiskIndex.place(oldest.number(), offset);
        if (!isRewritable(name, from)) {
            return;
        }
        DiskIndex.Entry entry = tier.index.find(name.longHash());
        boolean requested = record.kind() == DiskRecord.RULE
                ? tier.variants.hashesOf(name).length > 0
                : entry != null && entry.hit();
        if (requested) {
            remainingBytes -= recordBytes.remaining();
            rewrite(name, record, from, recordBytes);
        }
    }

    private static CacheKey name(DiskRecord record) {
        return CacheKey.of(new String(record.name(), StandardCharsets.ISO_8859_1));
    }

    /**
     * Reports whether the index has the record at this place and it may be rewritten; a soft one
     * would be fresh after a restart.
     */
    private boolean isRewritable(CacheKey name, long place) {
        DiskIndex.Entry entry = tier.index.find(name.longHash());
        return entry != null && entry.place() == place && (entry.rule() || !entry.soft());
    }

    private void rewrite(CacheKey name, DiskRecord record, long from, ByteBuffer recordBytes)
            throws IOException {
        long hash = name.longHash();
        if (tier.purgeHistory.evaluate(from, name, record.labels()) != PurgeHistory.Verdict.KEEP) {
            return;
        }
        long to = tier.log.append(recordBytes);
        boolean moved = tier.index.move(
                hash, from, to, record.kind() == DiskRecord.RESPONSE && tier.guard(name) != 0);
        if (moved
                && tier.purgeHistory.evaluate(from, name, record.labels())
                        != PurgeHistory.Verdict.KEEP) {
            tier.index.remove(hash, to);
            moved = false;
        }
        if (moved) {
            tier.counts.renewed.increment();
        } else {
            tier.log.append(
                    DiskRecord.order(DiskPurge.name(name), tier.log.end()).padded(tier.salt()));
        }
    }
}
