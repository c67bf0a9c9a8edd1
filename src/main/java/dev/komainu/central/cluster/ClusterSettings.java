package dev.komainu.central.cluster;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;

/**
 * The settings of the cluster history.
 *
 * @param historyDays age at which events are deleted
 */
public record ClusterSettings(int historyDays) {

    private static final Setting<Integer> HISTORY_DAYS = Setting.integer(
                    "komainu.clusters.history-days", 1, 3650)
            .byDefault("90")
            .effect("Age in days at which events of clusters are deleted")
            .detail("""
                    At most the newest 10,000 events of a cluster are kept.""");

    public static ClusterSettings read(SettingReader reader) {
        return new ClusterSettings(reader.get(HISTORY_DAYS));
    }
}
