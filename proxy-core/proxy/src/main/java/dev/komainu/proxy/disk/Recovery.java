package dev.komainu.proxy.disk;

import dev.komainu.intermediary.caching.CacheKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Makes the index anew from segments, in the order in which they were written: what came later
 * counts.
 */
final class Recovery {

    private final DiskTier tier;
    private final int marks;

    /** @param marks of each answer */
    Recovery(DiskTier tier, int marks) {
        this.tier = tier;
        this.marks = marks;
    }

    SegmentScan.Faults read(Segment segment) throws IOException {
        return SegmentScan.scan(segment, tier.salt(), (record, offset, whole) -> {
            long place = DiskIndex.place(segment.number(), offset);
            switch (record.kind()) {
                case DiskRecord.ANSWER -> answer(record, place, whole.remaining());
                case DiskRecord.RULE -> rule(record, place, whole.remaining());
                case DiskRecord.ORDER -> order(record);
                default -> {}
            }
        });
    }

    private static CacheKey key(DiskRecord record) {
        return CacheKey.of(new String(record.name(), StandardCharsets.ISO_8859_1));
    }

    private void answer(DiskRecord record, long place, long length) {
        CacheKey name = key(record);
        // What came later than now, by this clock, tells nothing of its age.
        boolean fromTheFuture = record.arrivedWallMillis() > tier.clock.wallMillis() + 1000;
        tier.index.put(
                name.longHash(),
                place,
                length,
                marks | (fromTheFuture ? DiskIndex.SOFT : 0) | tier.guard(name),
                SameRepresentation.of(record));
        if (name.isVariant()) {
            tier.variants.add(CacheKey.of(name.uri()), name.longHash());
        }
    }

    private void rule(DiskRecord record, long place, long length) {
        CacheKey uri = key(record);
        tier.index.put(uri.longHash(), place, length, DiskIndex.RULE, 0);
        tier.variants.rule(uri, record.names());
    }

    private void order(DiskRecord record) {
        DiskPurge order = record.order();
        if (order == null) {
            return;
        }
        long before = record.dated();
        switch (order.kind()) {
            case NAME -> drop(order.key().longHash(), before, order.soft());
            case URI -> {
                CacheKey uri = order.key();
                drop(uri.longHash(), before, order.soft());
                for (long variant : tier.variants.of(uri)) {
                    drop(variant, before, order.soft());
                }
            }
            case PREFIX, LABEL -> tier.book.note(order, before);
        }
    }

    private void drop(long hash, long before, boolean softly) {
        if (softly) {
            DiskIndex.Spot spot = tier.index.find(hash);
            if (spot != null && spot.place() < before) {
                tier.index.mark(hash, spot.place(), DiskIndex.SOFT);
            }
        } else {
            tier.index.removeBefore(hash, before);
        }
    }
}
