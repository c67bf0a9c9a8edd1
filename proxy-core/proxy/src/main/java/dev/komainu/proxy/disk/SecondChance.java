package dev.komainu.proxy.disk;

import dev.komainu.intermediary.caching.CacheKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The oldest segments' second chance while room is made for one newcomer. What was asked for since
 * it was written is written again at the end, half a segment of it at most, before its segment
 * goes; not at the peak. The writer's thread only.
 *
 * <p><b>What has priority</b> (spec section 3) is written again before, asked for or not, at the
 * peak too, as long as all of it on the disk is within its share
 * ({@link DiskTier#guardedShareBytes}): so a sweep of any length passes it by. Nothing is kept free
 * for the newcomer then, and where the last segment is full another one is begun: a segment that
 * holds nothing else would lose its last records otherwise. Beyond its share it is treated as the
 * rest, the oldest first.
 *
 * <p>A purge may come at any moment: the index moves a record only if it still knows it where it
 * was, and who purges by label or prefix notes it before looking, so judging once more behind the
 * move sees it.
 */
final class SecondChance {

    private final DiskTier tier;
    /** Bytes of the record that room is made for. */
    private final long newcomer;
    /** The segment that was written to before. */
    private final long before;
    /** For what was asked for. */
    private long left;
    /** What has priority beyond its share, in bytes and in records. */
    private long excessBytes;

    private long excessRecords;

    SecondChance(DiskTier tier, long newcomer) {
        this.tier = tier;
        this.newcomer = newcomer;
        this.before = tier.log.end() >>> 32;
        this.left = tier.log.mostRecordBytes();
    }

    /**
     * Reports whether a segment was begun for this renewal: all others were looked at then, and it
     * ends whatever is left.
     */
    boolean isOwn(Segment segment) {
        return segment.number() > before;
    }

    void of(Segment oldest) throws IOException {
        if (tier.guardedShareBytes() > 0) {
            excessBytes = tier.index.guardedBytes() - tier.guardedShareBytes();
            excessRecords = tier.index.guardedRecords() - tier.guardedShareRecords();
            SegmentScan.scan(
                    oldest,
                    tier.salt(),
                    (record, offset, whole) -> guarded(oldest, record, offset, whole));
        }
        if (tier.isOpen()) {
            SegmentScan.scan(
                    oldest,
                    tier.salt(),
                    (record, offset, whole) -> asked(oldest, record, offset, whole));
        }
    }

    private void guarded(Segment oldest, DiskRecord record, long offset, ByteBuffer whole)
            throws IOException {
        if (record.kind() == DiskRecord.ORDER) {
            return;
        }
        CacheKey name = name(record);
        long from = DiskIndex.place(oldest.number(), offset);
        if (tier.guard(name) == 0 || !isHere(name, from)) {
            return;
        }
        boolean kept = record.kind() == DiskRecord.RULE
                ? tier.variants.of(name).length > 0
                : !tier.isWorthless(record) && !isBeyondShare(whole.remaining());
        if (kept) {
            if (tier.log.needsSegment(whole.remaining())) {
                tier.log.begin();
            }
            again(name, record, from, whole);
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

    private void asked(Segment oldest, DiskRecord record, long offset, ByteBuffer whole)
            throws IOException {
        if (record.kind() == DiskRecord.ORDER
                || whole.remaining() > Math.min(left, tier.log.leftBytes() - newcomer)) {
            return;
        }
        CacheKey name = name(record);
        long from = DiskIndex.place(oldest.number(), offset);
        if (!isHere(name, from)) {
            return;
        }
        DiskIndex.Spot spot = tier.index.find(name.longHash());
        boolean wanted = record.kind() == DiskRecord.RULE
                ? tier.variants.of(name).length > 0
                : spot != null && spot.hit();
        if (wanted) {
            left -= whole.remaining();
            again(name, record, from, whole);
        }
    }

    private static CacheKey name(DiskRecord record) {
        return CacheKey.of(new String(record.name(), StandardCharsets.ISO_8859_1));
    }

    /**
     * Reports whether a name's record is the one there and may be written again; a soft one would
     * be fresh after a restart.
     */
    private boolean isHere(CacheKey name, long place) {
        DiskIndex.Spot spot = tier.index.find(name.longHash());
        return spot != null && spot.place() == place && (spot.rule() || !spot.soft());
    }

    private void again(CacheKey name, DiskRecord record, long from, ByteBuffer whole)
            throws IOException {
        long hash = name.longHash();
        if (tier.book.judge(from, name, record.labels()) != PurgeHistory.Verdict.KEEP) {
            return;
        }
        long to = tier.log.append(whole);
        boolean moved = tier.index.move(
                hash, from, to, record.kind() == DiskRecord.ANSWER && tier.guard(name) != 0);
        if (moved && tier.book.judge(from, name, record.labels()) != PurgeHistory.Verdict.KEEP) {
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
