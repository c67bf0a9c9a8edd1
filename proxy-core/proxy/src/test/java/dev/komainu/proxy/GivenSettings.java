package dev.komainu.proxy;

import dev.komainu.settings.SettingReader;
import dev.komainu.settings.SettingSource;
import dev.komainu.settings.SettingTree;
import java.util.List;
import java.util.Map;

/**
 * Settings of tests, in their order; without the places of what is written. There is no control
 * endpoint unless it is given.
 */
final class GivenSettings {

    private GivenSettings() {}

    static SettingReader reader(
            Map<?, ?> file, Map<String, String> environment, Map<String, String> commandLine) {
        return new SettingReader(sources(file, environment, commandLine));
    }

    static List<SettingSource> sources(
            Map<?, ?> file, Map<String, String> environment, Map<String, String> commandLine) {
        return List.of(
                SettingTree.of(commandLine),
                SettingSource.environment(environment, "KOMAINU_"),
                SettingTree.of(file),
                SettingSource.commandLine(Map.of("control.listen", "none")));
    }
}
