package dev.komainu.central.store;

import java.time.LocalDate;
import org.jspecify.annotations.Nullable;

/**
 * @param bytes on disk
 * @param batches kept
 * @param days files, one a day
 * @param oldest day of the oldest file; absent when nothing is kept
 * @param damagedFiles files set aside because they could not be opened
 */
public record StorageUse(
        long bytes, long batches, int days, @Nullable LocalDate oldest, int damagedFiles) {}
