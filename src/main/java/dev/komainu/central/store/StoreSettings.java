package dev.komainu.central.store;

import dev.komainu.central.settings.SettingsReader;
import java.nio.file.Path;
import org.springframework.util.unit.DataSize;

/**
 * Settings of this room.
 *
 * @param directory where the day files lie; {@code telemetry} below {@code komainu.data}
 * @param memory what DuckDB may use; 64 MB to 64 GB, default 96 MB
 * @param threads DuckDB's; 1 to 64, default 2
 * @param readers questions answered at a time, further ones wait; 1 to 64, default 2
 * @param retentionDays files of days longer ago are deleted; 1 to 3650, default 30
 * @param retentionBytes above it the oldest files are deleted, never today's; 16 MB to 1 PB, default 20 GB
 * @param groupRecords records of waiting batches that share one commit; 1 to 100,000, default 20,000
 */
public record StoreSettings(
        Path directory,
        DataSize memory,
        int threads,
        int readers,
        int retentionDays,
        DataSize retentionBytes,
        int groupRecords) {

    public static StoreSettings from(SettingsReader reader, Path data) {
        StoreSettings defaults = of(data.resolve("telemetry"));
        return new StoreSettings(
                defaults.directory(),
                reader.size(
                        "komainu.store.memory", defaults.memory(), DataSize.ofMegabytes(64), DataSize.ofGigabytes(64)),
                reader.number("komainu.store.threads", defaults.threads(), 1, 64),
                reader.number("komainu.store.readers", defaults.readers(), 1, 64),
                reader.number("komainu.store.retention-days", defaults.retentionDays(), 1, 3650),
                reader.size(
                        "komainu.store.retention-bytes",
                        defaults.retentionBytes(),
                        DataSize.ofMegabytes(16),
                        DataSize.ofTerabytes(1024)),
                reader.number("komainu.store.group-records", defaults.groupRecords(), 1, 100_000));
    }

    /** The defaults. */
    public static StoreSettings of(Path directory) {
        return new StoreSettings(directory, DataSize.ofMegabytes(96), 2, 2, 30, DataSize.ofGigabytes(20), 20_000);
    }

    public StoreSettings withRetention(int days, DataSize bytes) {
        return new StoreSettings(directory, memory, threads, readers, days, bytes, groupRecords);
    }
}
