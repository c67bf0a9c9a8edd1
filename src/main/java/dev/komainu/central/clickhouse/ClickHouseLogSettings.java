package dev.komainu.central.clickhouse;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import org.springframework.util.unit.DataSize;

/**
 * The handling of the tables {@code system.*_log} of a ClickHouse server.
 *
 * @param ownStatements whether the server may log the statements of this service
 * @param bound whether old partitions of these tables are dropped
 * @param bytes total size above which the oldest partitions are dropped
 * @param days age in days at which partitions are dropped
 */
public record ClickHouseLogSettings(
        boolean ownStatements, boolean bound, DataSize bytes, int days) {

    /** Key of the setting that allows the service to drop partitions of the server's logs. */
    public static final String BOUND_KEY = "komainu.records.bound-logs";

    private static final Setting<Boolean> OWN_STATEMENTS = Setting.truth(
                    "komainu.records.log-statements")
            .byDefault("false")
            .effect(
                    "Whether ClickHouse may log the statements of this service in `system.query_log`")
            .detail("""
                    By default each request asks the server not to. With it, the server's own settings decide.
                    """);
    private static final Setting<Boolean> BOUND = Setting.truth(BOUND_KEY)
            .byDefault("false")
            .effect(
                    "Whether this service drops old partitions of ClickHouse's tables `system.*_log`")
            .detail("""
                    Set it only if no other user needs these logs: all statements, parts and traces of the whole server are
                    in them, not only those of this service. The user needs the right to alter tables of `system`
                    ([the server's own logs](../operations.md#the-servers-own-logs)).
                    """);
    private static final Setting<Long> BYTES = Setting.size(
                    "komainu.records.logs-bytes", "1MB", "1TB")
            .byDefault("1GB")
            .effect("With `komainu.records.bound-logs`: total size of these tables")
            .detail("""
                    Above it the oldest partitions are dropped, and the one that is being written if there are no others.
                    """);
    private static final Setting<Integer> DAYS = Setting.integer(
                    "komainu.records.logs-days", 1, 3650)
            .byDefault("7")
            .effect(
                    "With `komainu.records.bound-logs`: age in days at which their partitions are dropped")
            .detail("""
                    A partition is a month by default, and is dropped when its newest row has this age.
                    """);

    static ClickHouseLogSettings read(SettingReader reader) {
        return new ClickHouseLogSettings(
                reader.get(OWN_STATEMENTS),
                reader.get(BOUND),
                DataSize.ofBytes(reader.get(BYTES)),
                reader.get(DAYS));
    }
}
