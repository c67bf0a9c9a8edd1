package dev.komainu.central.backup;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/**
 * Settings of this package.
 *
 * @param directory directory below which the console's backups are written
 * @param passphraseFile file with the passphrase of the console's encrypted backups; absent: the
 *     console cannot encrypt
 * @param copyEvery time between two copies of the H2 database
 * @param copies number of copies that are kept; 0: none are made
 * @param copiesSize size of all copies above which the oldest are deleted
 */
public record BackupSettings(
        Path directory,
        @Nullable Path passphraseFile,
        Duration copyEvery,
        int copies,
        DataSize copiesSize) {

    private static final Setting<Path> DIRECTORY = Setting.path(
                    "komainu.backup.directory", "a directory")
            .byDefaultOf("`backups` below `komainu.data`")
            .effect("Directory below which backups from the console are written")
            .detail("""
                    Choose another disk than that of `komainu.data`. `./komainu backup DIR` writes to any directory
                    ([operations](../operations.md#backup)).""");
    private static final Setting<Path> PASSPHRASE_FILE = Setting.path(
                    "komainu.backup.passphrase-file", "a file")
            .effect(
                    "File with the passphrase of encrypted backups from the console on its first line")
            .detail("""
                    At least 12 characters. Keep a copy of it elsewhere: without it an encrypted backup cannot be opened.""");
    private static final Setting<Duration> COPY_EVERY = Setting.duration(
                    "komainu.backup.copy-every", "10m", "24h")
            .byDefault("1h")
            .effect("Time between two copies of the control data's H2 file")
            .detail("""
                    They are in `control-copies` below `komainu.data`. A start that finds the file damaged takes the newest
                    copy that opens.""");
    private static final Setting<Integer> COPIES = Setting.integer("komainu.backup.copies", 0, 1000)
            .byDefault("24")
            .effect("Number of these copies that are kept; with 0 none is made");
    private static final Setting<Long> COPIES_SIZE = Setting.size(
                    "komainu.backup.copies-size", "1MB", "1TB")
            .byDefault("1GB")
            .effect("Size of these copies together above which the oldest are deleted, never the"
                    + " newest");

    /**
     * Reads the settings.
     *
     * @param data directory of all stored data
     */
    public static BackupSettings read(SettingReader reader, Path data) {
        return new BackupSettings(
                reader.get(DIRECTORY, data.resolve("backups")),
                reader.find(PASSPHRASE_FILE),
                reader.get(COPY_EVERY),
                reader.get(COPIES),
                DataSize.ofBytes(reader.get(COPIES_SIZE)));
    }
}
