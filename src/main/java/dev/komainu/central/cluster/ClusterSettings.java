package dev.komainu.central.cluster;

import dev.komainu.central.settings.SettingsReader;

/**
 * Settings of this room.
 *
 * @param historyDays events older than this are deleted; 1 to 3650, default 90
 */
public record ClusterSettings(int historyDays) {

    public static ClusterSettings from(SettingsReader reader) {
        return new ClusterSettings(reader.number("komainu.clusters.history-days", 90, 1, 3650));
    }
}
