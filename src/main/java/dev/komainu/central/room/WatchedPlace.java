package dev.komainu.central.room;

import org.jspecify.annotations.Nullable;

/** A place that can become full. */
public interface WatchedPlace {

    /** Returns {@link RoomState#place}. */
    String name();

    /**
     * Measures the room, and gives the reserve back or takes it again. Called by one thread, twice
     * a second; it may block.
     */
    void check();

    /** Returns the newest state; null before the first measurement. Any thread. */
    @Nullable
    RoomState state();
}
