package dev.komainu.central.store;

import java.time.LocalDate;
import org.jspecify.annotations.Nullable;

/**
 * The amount of stored data.
 *
 * @param bytes on disk
 * @param batches number of stored batches
 * @param days number of files, one a day
 * @param oldest day of the oldest file; absent when nothing is stored
 * @param damagedFiles files set aside because they could not be opened
 */
public record StorageUse(
        long bytes, long batches, int days, @Nullable LocalDate oldest, int damagedFiles) {}
