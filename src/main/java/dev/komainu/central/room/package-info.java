/**
 * Room on the disks of the central service: what it does when one of them is full.
 *
 * <p>In: the free bytes of the file systems with the data and with the telemetry, read twice a
 * second, and writes of H2 that failed. Out: a refusal of batches while the telemetry has no room,
 * the reserve that lets control data be written meanwhile, the request to delete the oldest days,
 * and states for alerts. Thread: {@link dev.komainu.central.room.RoomWatch} has one of its own,
 * since a disk that hangs blocks the reading thread; states are read by any thread.
 *
 * <p>Start at {@link dev.komainu.central.room.WatchedDisk}.
 *
 * <p>Decision: docs/decisions/0122-a-full-disk.md
 */
@NullMarked
package dev.komainu.central.room;

import org.jspecify.annotations.NullMarked;
