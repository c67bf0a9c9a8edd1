package dev.komainu.proxy.connection;

import dev.komainu.settings.SettingReader;
import dev.komainu.settings.SettingTree;
import java.util.List;
import java.util.Map;

/**
 * Settings of connections as a test gives them, by their keys; the rest are defaults. A new setting
 * changes no test.
 */
final class GivenConnections {

    private GivenConnections() {}

    static ConnectionSettings of(Map<String, ?> given) {
        SettingReader reader = new SettingReader(List.of(SettingTree.of(given)));
        ConnectionSettings settings = ConnectionSettings.read(reader);
        if (reader.hasMistakes()) {
            throw new IllegalArgumentException(given.toString());
        }
        return settings;
    }
}
