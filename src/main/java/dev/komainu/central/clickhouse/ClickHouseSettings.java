package dev.komainu.central.clickhouse;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/**
 * Settings of this package.
 *
 * @param address database of the telemetry; absent: DuckDB in the data directory
 * @param cluster the cluster of the servers in their own settings, and how it is written
 * @param user name of ClickHouse's user
 * @param password its password; empty: none
 * @param authorities PEM file of the authorities that the server's certificate may come from;
 *     absent: those of Java
 * @param timeout time until a statement must be answered
 * @param memory memory that ClickHouse may use for one query
 * @param rollUpDays age at which roll-ups are deleted
 * @param logs what is done about the server's own logs
 */
public record ClickHouseSettings(
        @Nullable ClickHouseAddress address,
        ClickHouseClusterSettings cluster,
        String user,
        String password,
        @Nullable Path authorities,
        Duration timeout,
        DataSize memory,
        int rollUpDays,
        ClickHouseLogSettings logs) {

    private static final Setting<ClickHouseAddress> URL = Setting.of(
                    "komainu.records.url", ClickHouseAddress.FORM, ClickHouseAddress::parse)
            .effect(
                    "ClickHouse database of the telemetry; without it it is in DuckDB files in `komainu.data`")
            .detail("""
                    ClickHouse 18.16 or newer, by its HTTP interface: port 8123, and 8443 with `https`. The database is created
                    if it does not exist, and belongs to one central service at a time: a second one that starts takes
                    it over, and the first stops storing. Several servers are those of a cluster
                    (`komainu.records.cluster`): name all of them. A server on another host needs `https`. User and password
                    are refused here, because this text is shown. Size, memory and what happens while the server is
                    away: [records on ClickHouse](../operations.md#records-on-clickhouse).
                    """);
    private static final Setting<String> USER = Setting.text(
                    "komainu.records.user", "a user", "[^\\p{Cntrl}:]{1,63}")
            .byDefault("default")
            .effect("User of ClickHouse with which this service logs in");
    private static final Setting<Path> PASSWORD_FILE = Setting.path(
                    "komainu.records.password-file", "a file")
            .effect("File with the user's password on its first line (mode 600)");
    private static final Setting<Path> CA_FILE = Setting.path(
                    "komainu.records.ca-file", "a file in PEM")
            .effect("Certificates of ClickHouse's authorities; by default those of Java");
    private static final Setting<Duration> TIMEOUT = Setting.duration(
                    "komainu.records.timeout", "1s", "10m")
            .byDefault("15s")
            .effect(
                    "Time until ClickHouse must have answered an insert; a query gets four times as long")
            .detail("""
                    Afterwards the insert counts as failed, and the senders of its batches send them again.
                    """);
    private static final Setting<Long> MEMORY = Setting.size(
                    "komainu.records.memory", "64MB", "1TB")
            .byDefault("512MB")
            .effect(
                    "Memory that ClickHouse may use for one query; larger sorts go through its disk");
    private static final Setting<Integer> ROLL_UP_DAYS = Setting.integer(
                    "komainu.records.rollup-days", 1, 3650)
            .byDefault("365")
            .effect("Age in days at which ten-second sums are deleted from ClickHouse")
            .detail("""
                    Single records are deleted by `komainu.store.retention-days`; both together are limited by
                    `komainu.store.retention-bytes`.
                    """);

    /** Reads the settings, and the password from its file. */
    public static ClickHouseSettings read(SettingReader reader) {
        ClickHouseAddress address = reader.find(URL);
        String user = reader.get(USER);
        Path passwordFile = reader.find(PASSWORD_FILE);
        Path authorities = reader.find(CA_FILE);
        if (address == null && passwordFile != null) {
            reader.mistake(PASSWORD_FILE, "none without komainu.records.url");
        }
        boolean isTls = address != null && address.isTls();
        if (authorities != null && !isTls) {
            reader.mistake(CA_FILE, "none without https in komainu.records.url");
        }
        return new ClickHouseSettings(
                address,
                ClickHouseClusterSettings.read(reader, address),
                user,
                address == null || passwordFile == null ? "" : password(reader, passwordFile),
                authorities,
                reader.get(TIMEOUT),
                DataSize.ofBytes(reader.get(MEMORY)),
                reader.get(ROLL_UP_DAYS),
                ClickHouseLogSettings.read(reader));
    }

    private static String password(SettingReader reader, Path file) {
        try {
            String first = Files.readString(file).lines().findFirst().orElse("").strip();
            if (!first.isEmpty()) {
                return first;
            }
            reader.mistake(PASSWORD_FILE, file, "a file with a password on its first line");
        } catch (IOException e) {
            reader.mistake(PASSWORD_FILE, file, "a file that can be read");
        }
        return "";
    }

    /** Returns the settings without the password. */
    @Override
    public String toString() {
        return "ClickHouseSettings[address=" + address + ", user=" + user + "]";
    }
}
