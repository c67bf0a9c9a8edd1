package dev.komainu.central.store;

import java.time.LocalDate;
import org.jspecify.annotations.Nullable;

/**
 * The amount of stored data.
 *
 * @param bytes on disk, of raw days
 * @param batches number of stored batches
 * @param days number of files, one a day
 * @param oldest day of the oldest file; absent when nothing is stored
 * @param damagedFiles files set aside because they could not be opened
 * @param minuteBytes on disk, of roll-ups of a minute; with ClickHouse of ten seconds
 * @param hourBytes on disk, of roll-ups of an hour
 */
public record StorageUse(
        long bytes,
        long batches,
        int days,
        @Nullable LocalDate oldest,
        int damagedFiles,
        long minuteBytes,
        long hourBytes) {}
