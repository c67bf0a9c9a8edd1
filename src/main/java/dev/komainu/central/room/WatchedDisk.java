package dev.komainu.central.room;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file system of a directory, and its limits. R is the size of the reserve.
 *
 * <table><caption>Limits</caption>
 * <tr><th>free bytes</th><th>consequence</th></tr>
 * <tr><td>below 2 R</td><td>with telemetry: the oldest days are deleted, up to 3 R, every ten
 * minutes at most: a program that fills the disk does not delete all days in a moment</td></tr>
 * <tr><td>below R, until 1¼ R; without a reserve below 1¼ R</td><td>full; with telemetry: batches
 * are refused</td></tr>
 * <tr><td>below ½ R, without a reserve</td><td>batches are refused, wherever the telemetry
 * is</td></tr>
 * <tr><td>below ⅛ R</td><td>the reserve is given back</td></tr>
 * <tr><td>2¼ R</td><td>the reserve is taken again</td></tr>
 * </table>
 */
final class WatchedDisk implements WatchedPlace {

    private static final Logger LOG = LoggerFactory.getLogger(WatchedDisk.class);
    private static final long RELIEF_NANOS = 600_000_000_000L;
    private static final long AGAIN_NANOS = 5_000_000_000L;

    private final String place;
    private final Path directory;
    private final long limit;
    private final @Nullable Reserve reserve;
    private final @Nullable RoomRelief telemetry;
    private final LongSupplier nanos;
    private volatile @Nullable RoomState state;

    // The checking thread only.
    private boolean full;
    private @Nullable Long relievedNanos;
    private @Nullable Long failedNanos;

    /**
     * Creates the disk.
     *
     * @param limit R, in bytes
     * @param reserve absent: none is kept there
     * @param telemetry the store with telemetry there; absent: it is elsewhere
     * @param nanos monotonic clock in nanoseconds
     */
    WatchedDisk(
            String place,
            Path directory,
            long limit,
            @Nullable Reserve reserve,
            @Nullable RoomRelief telemetry,
            LongSupplier nanos) {
        this.place = place;
        this.directory = directory;
        this.limit = limit;
        this.reserve = reserve;
        this.telemetry = telemetry;
        this.nanos = nanos;
    }

    @Override
    public String name() {
        return place;
    }

    @Override
    public @Nullable RoomState state() {
        return state;
    }

    @Override
    public void check() {
        try {
            long free = balanced(free());
            relieve(free);
            boolean reserved = reserve != null && reserve.isHeld();
            boolean lacksReserve = reserve != null && !reserved;
            // The room of a reserve that was just given back is not for batches.
            full = free < (full || lacksReserve ? limit * 5 / 4 : limit);
            // Batches change control data, too: sources, services, states.
            boolean exhausted = lacksReserve && free < limit / 2;
            become(new RoomState(
                    place,
                    free,
                    limit,
                    full || lacksReserve,
                    (full && telemetry != null) || exhausted,
                    reserved));
        } catch (IOException e) {
            LOG.debug("Room of {} is not known: {}", directory, e.toString());
        }
    }

    private long free() throws IOException {
        return Files.getFileStore(directory).getUsableSpace();
    }

    /** Gives the reserve back or takes it, and returns the bytes that are free then. */
    private long balanced(long free) throws IOException {
        if (reserve == null) {
            return free;
        }
        if (reserve.isHeld()) {
            return free < limit / 8 && reserve.giveBack() ? free() : free;
        }
        Long failed = failedNanos;
        if (free < limit * 9 / 4 || (failed != null && nanos.getAsLong() - failed < AGAIN_NANOS)) {
            return free;
        }
        try {
            reserve.take();
            failedNanos = null;
        } catch (IOException e) {
            if (failed == null) {
                LOG.warn("Reserve: {} cannot be written: {}", reserve.file(), e.toString());
            }
            failedNanos = nanos.getAsLong();
        }
        return free();
    }

    private void relieve(long free) {
        Long last = relievedNanos;
        long now = nanos.getAsLong();
        if (telemetry != null && free < 2 * limit && (last == null || now - last >= RELIEF_NANOS)) {
            relievedNanos = now;
            telemetry.makeRoom(3 * limit - free);
        }
    }

    private void become(RoomState next) {
        RoomState before = state;
        state = next;
        boolean wasFull = before != null && before.full();
        if (next.full() && !wasFull) {
            LOG.warn(
                    "Room: the disk of {} has {} MB free (expected: {} MB).{}",
                    directory,
                    next.freeBytes() >> 20,
                    limit >> 20,
                    next.refusesBatches() ? " Batches are refused until there is room" : "");
        } else if (!next.full() && wasFull) {
            LOG.info(
                    "Room: the disk of {} has room again, {} MB",
                    directory,
                    next.freeBytes() >> 20);
        }
    }
}
