package dev.komainu.proxy.disk;

import dev.komainu.proxy.cache.CacheKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The oldest segment's second chance: what was asked for since it was written is written again at the end, half a segment of
 * it at most, before the segment goes. The writer's thread only.
 *
 * <p><b>What has priority</b> (spec section 3) is written again before, asked for or not, as long as all of it on the disk
 * is within its share ({@link DiskTier#guardedShareBytes}), and may fill the segment but for the record that began it: so a sweep
 * of any length passes it by. Beyond its share it is treated as the rest, the oldest first.
 *
 * <p>A purge may come at any moment: the index moves a record only if it still knows it where it was, and who purges by label or
 * prefix notes it before looking, so judging once more behind the move sees it.
 */
final class Renewal {

    private final DiskTier tier;
    /** Bytes of the record that the new segment was begun for. */
    private final long newcomer;
    /** For what was asked for. */
    private long left;
    /** What has priority beyond its share. */
    private long excess;

    Renewal(DiskTier tier, long newcomer) {
        this.tier = tier;
        this.newcomer = newcomer;
        this.left = tier.log.mostRecordBytes();
        this.excess = tier.index.guardedBytes() - tier.guardedShareBytes();
    }

    void of(Segment oldest) throws IOException {
        if (tier.guardedShareBytes() > 0) {
            SegmentScan.scan(oldest, tier.salt(), (record, offset, whole) -> guarded(oldest, record, offset, whole));
        }
        SegmentScan.scan(oldest, tier.salt(), (record, offset, whole) -> asked(oldest, record, offset, whole));
    }

    private void guarded(Segment oldest, DiskRecord record, long offset, ByteBuffer whole) throws IOException {
        if (record.kind() != DiskRecord.ANSWER) {
            return;
        }
        CacheKey name = name(record);
        long from = DiskIndex.place(oldest.number(), offset);
        if (tier.guard(name) == 0 || !isHere(name, from) || tier.isWorthless(record)) {
            return;
        }
        if (excess > 0) {
            excess -= whole.remaining();
        } else if (whole.remaining() <= tier.log.leftBytes() - newcomer) {
            again(name, record, from, whole);
        }
    }

    private void asked(Segment oldest, DiskRecord record, long offset, ByteBuffer whole) throws IOException {
        if (record.kind() == DiskRecord.ORDER || whole.remaining() > Math.min(left, tier.log.leftBytes() - newcomer)) {
            return;
        }
        CacheKey name = name(record);
        long from = DiskIndex.place(oldest.number(), offset);
        if (!isHere(name, from)) {
            return;
        }
        DiskIndex.Spot spot = tier.index.find(name.longHash());
        boolean wanted =
                record.kind() == DiskRecord.RULE ? tier.variants.of(name).length > 0 : spot != null && spot.hit();
        if (wanted) {
            left -= whole.remaining();
            again(name, record, from, whole);
        }
    }

    private static CacheKey name(DiskRecord record) {
        return CacheKey.of(new String(record.name(), StandardCharsets.ISO_8859_1));
    }

    private boolean isHere(CacheKey name, long place) {
        DiskIndex.Spot spot = tier.index.find(name.longHash());
        return spot != null && spot.place() == place && !spot.soft();
    }

    private void again(CacheKey name, DiskRecord record, long from, ByteBuffer whole) throws IOException {
        long hash = name.longHash();
        if (tier.book.judge(from, name, record.labels()) != OrderBook.Verdict.KEEP) {
            return;
        }
        long to = tier.log.append(whole);
        boolean moved = tier.index.move(hash, from, to, record.kind() == DiskRecord.ANSWER && tier.guard(name) != 0);
        if (moved && tier.book.judge(from, name, record.labels()) != OrderBook.Verdict.KEEP) {
            tier.index.remove(hash, to);
            moved = false;
        }
        if (moved) {
            tier.counts.renewed.increment();
        } else {
            tier.log.append(
                    DiskRecord.order(DiskOrder.name(name), tier.log.end()).padded(tier.salt()));
        }
    }
}
