package dev.komainu.proxy.disk;

import dev.komainu.intermediary.caching.CacheKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * The reconstruction of the index from segments, in the order of writing: later records replace
 * earlier ones.
 */
final class Recovery {

    private final DiskTier tier;
    private final int marks;

    /**
     * Creates a recovery.
     *
     * @param marks set for each response
     */
    Recovery(DiskTier tier, int marks) {
        this.tier = tier;
        this.marks = marks;
    }

    SegmentScan.Faults read(Segment segment) throws IOException {
        return SegmentScan.scan(segment, tier.salt(), (record, offset, recordBytes) -> {
            long place = DiskIndex.place(segment.number(), offset);
            switch (record.kind()) {
                case DiskRecord.RESPONSE -> response(record, place, recordBytes.remaining());
                case DiskRecord.RULE -> rule(record, place, recordBytes.remaining());
                case DiskRecord.ORDER -> order(record);
                default -> {}
            }
        });
    }

    private static CacheKey key(DiskRecord record) {
        return CacheKey.of(new String(record.name(), StandardCharsets.ISO_8859_1));
    }

    private void response(DiskRecord record, long place, long length) {
        CacheKey name = key(record);
        // An arrival time after the present, by this clock, provides no information on the age.
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
                for (long variant : tier.variants.hashesOf(uri)) {
                    drop(variant, before, order.soft());
                }
            }
            case PREFIX, LABEL -> tier.purgeHistory.add(order, before);
        }
    }

    private void drop(long hash, long before, boolean soft) {
        if (soft) {
            DiskIndex.Entry entry = tier.index.find(hash);
            if (entry != null && entry.place() < before) {
                tier.index.mark(hash, entry.place(), DiskIndex.SOFT);
            }
        } else {
            tier.index.removeBefore(hash, before);
        }
    }
}
