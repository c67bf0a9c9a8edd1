package dev.komainu.central.clickhouse;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a cluster of ClickHouse servers.
 *
 * @param name its name in {@code remote_servers}; {@code null}: one server without a cluster
 * @param quorum replicas that must have a write before it is acknowledged
 */
public record ClickHouseClusterSettings(@Nullable String name, int quorum) {

    private static final int MOST_REPLICAS = 16;

    private static final Setting<String> CLUSTER = Setting.text(
                    "komainu.records.cluster", "a cluster", "[A-Za-z_][A-Za-z0-9_]{0,62}")
            .effect("Cluster of ClickHouse servers with shards and replicas; without it one server")
            .detail("""
                    The name in `remote_servers` of the servers' own settings, with `internal_replication`. Each server needs the
                    macros `shard` and `replica`, and ZooKeeper. `komainu.records.url` names all of its servers.
                    Records are spread over the shards, and each server has all names of batches. Setting it up:
                    [records on a cluster](../operations.md#records-on-a-cluster).
                    """);
    private static final Setting<Integer> QUORUM = Setting.integer(
                    "komainu.records.quorum", 1, MOST_REPLICAS)
            .byDefault("1")
            .effect(
                    "With `komainu.records.cluster`: replicas that have a record before it is acknowledged")
            .detail("""
                    With 1, the loss of a disk loses what was not copied yet, about a second; a crash loses nothing. With 2,
                    nothing is stored while a shard has fewer than two replicas; senders keep their records.
                    """);

    /** Reads the settings of the servers at an address. */
    static ClickHouseClusterSettings read(
            SettingReader reader, @Nullable ClickHouseAddress address) {
        String name = reader.find(CLUSTER);
        int quorum = reader.get(QUORUM);
        if (address == null && name != null) {
            reader.mistake(CLUSTER, name, "none without komainu.records.url");
        }
        if (name == null && address != null && address.servers().size() > 1) {
            reader.mistake(CLUSTER, "none", "a cluster, for several servers");
        }
        if (name == null && quorum > 1) {
            reader.mistake(QUORUM, quorum, "1 without komainu.records.cluster");
        }
        return new ClickHouseClusterSettings(name, quorum);
    }
}
