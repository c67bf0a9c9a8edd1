package dev.komainu.proxy.disk;

import dev.komainu.proxy.cache.CacheKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The oldest segment's second chance: what was asked for since it was written is written again at the end, half a segment of
 * it at most, before the segment goes. The writer's thread only.
 *
 * <p>A purge may come at any moment: the index moves a record only if it still knows it where it was, and who purges by label or
 * prefix notes it before looking, so judging once more behind the move sees it.
 */
final class Renewal {

    private final DiskTier tier;
    private long left;

    Renewal(DiskTier tier) {
        this.tier = tier;
        this.left = tier.log.mostRecordBytes();
    }

    void of(Segment oldest) throws IOException {
        SegmentScan.scan(oldest, tier.salt(), (record, offset, whole) -> again(oldest, record, offset, whole));
    }

    private void again(Segment oldest, DiskRecord record, long offset, ByteBuffer whole) throws IOException {
        if (record.kind() == DiskRecord.ORDER || whole.remaining() > left) {
            return;
        }
        CacheKey name = CacheKey.of(new String(record.name(), StandardCharsets.ISO_8859_1));
        long hash = name.longHash();
        DiskIndex.Spot spot = tier.index.find(hash);
        long from = DiskIndex.place(oldest.number(), offset);
        if (spot == null || spot.place() != from || spot.soft()) {
            return;
        }
        boolean wanted = record.kind() == DiskRecord.RULE ? tier.variants.of(name).length > 0 : spot.hit();
        if (!wanted || tier.book.judge(from, name, record.labels()) != OrderBook.Verdict.KEEP) {
            return;
        }
        left -= whole.remaining();
        long to = tier.log.append(whole);
        boolean moved = tier.index.move(hash, from, to);
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
