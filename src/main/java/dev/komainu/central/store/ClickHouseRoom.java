package dev.komainu.central.store;

import dev.komainu.central.room.RoomState;
import dev.komainu.central.room.WatchedPlace;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The room on the server's disk, where its version tells it. Batches are not refused because of it:
 * the server refuses them itself.
 */
final class ClickHouseRoom implements WatchedPlace {

    private final Supplier<@Nullable RecordServerFigures> figures;
    private final long leastBytes;
    private volatile @Nullable RoomState state;

    /**
     * Creates it.
     *
     * @param leastBytes free bytes below which the disk counts as full, until a quarter more is
     *     free
     */
    ClickHouseRoom(Supplier<@Nullable RecordServerFigures> figures, long leastBytes) {
        this.figures = figures;
        this.leastBytes = leastBytes;
    }

    @Override
    public String name() {
        return RoomState.RECORD_SERVER;
    }

    /** Takes the newest measurement over; while the server is away, the former state stays. */
    @Override
    public void check() {
        RecordServerFigures newest = figures.get();
        RecordServerFigures.Disk disk = newest == null ? null : newest.disk();
        if (disk != null) {
            RoomState before = state;
            long limit = before != null && before.full() ? leastBytes + leastBytes / 4 : leastBytes;
            state = new RoomState(
                    name(), disk.freeBytes(), leastBytes, disk.freeBytes() < limit, false, false);
        }
    }

    @Override
    public @Nullable RoomState state() {
        return state;
    }
}
