package dev.komainu.central.store;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.nio.file.Path;
import org.springframework.util.unit.DataSize;

/**
 * The settings of the telemetry store.
 *
 * @param directory directory of the day files
 * @param memory DuckDB's memory limit
 * @param threads DuckDB's number of threads
 * @param readers number of concurrent queries; further queries wait
 * @param kept ages at which raw days and roll-ups are deleted
 * @param retentionBytes total size above which the oldest files are deleted, never today's
 * @param groupRecords records of waiting batches that share one commit
 */
public record StoreSettings(
        Path directory,
        DataSize memory,
        int threads,
        int readers,
        KeptAges kept,
        DataSize retentionBytes,
        int groupRecords) {

    private static final Setting<Long> MEMORY = Setting.size("komainu.store.memory", "64MB", "64GB")
            .byDefault("96MB")
            .effect("Memory limit of DuckDB; a higher one makes queries over long ranges faster");
    private static final Setting<Integer> THREADS = Setting.integer("komainu.store.threads", 1, 64)
            .byDefault("2")
            .effect("Threads of DuckDB");
    private static final Setting<Integer> READERS = Setting.integer("komainu.store.readers", 1, 64)
            .byDefault("2")
            .effect("Concurrent queries; further ones wait");
    private static final Setting<Long> RETENTION_BYTES = Setting.size(
                    "komainu.store.retention-bytes", "16MB", "1024TB")
            .byDefault("20GB")
            .effect("Total size above which the oldest days are deleted, never today's")
            .detail("""
                    Only raw days count: [roll-ups of a minute and of an hour](../operations.md#long-memory) stay.""");
    private static final Setting<Integer> GROUP_RECORDS = Setting.integer(
                    "komainu.store.group-records", 1, 100_000)
            .byDefault("20000")
            .effect("Records of waiting batches that share one commit");

    public static StoreSettings read(SettingReader reader, Path directory) {
        return new StoreSettings(
                directory,
                DataSize.ofBytes(reader.get(MEMORY)),
                reader.get(THREADS),
                reader.get(READERS),
                KeptAges.read(reader),
                DataSize.ofBytes(reader.get(RETENTION_BYTES)),
                reader.get(GROUP_RECORDS));
    }

    /** Returns the default settings. */
    public static StoreSettings of(Path directory) {
        return read(SettingReader.ofDefaults(), directory);
    }

    public StoreSettings withRetention(int days, DataSize bytes) {
        return new StoreSettings(
                directory, memory, threads, readers, kept.withRawDays(days), bytes, groupRecords);
    }
}
