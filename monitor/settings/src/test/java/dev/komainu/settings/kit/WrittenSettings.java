package dev.komainu.settings.kit;

import dev.komainu.settings.SettingReader;
import dev.komainu.settings.SettingSource;
import dev.komainu.settings.SettingTree;
import java.util.List;
import java.util.Map;
import org.yaml.snakeyaml.Yaml;

/** Settings that a test writes itself, as YAML, without places. */
public final class WrittenSettings {

    private WrittenSettings() {}

    public static SettingTree tree(String yaml) {
        Map<?, ?> tree = new Yaml().load(yaml);
        return SettingTree.of(tree == null ? Map.of() : tree);
    }

    public static SettingReader reader(String yaml) {
        return new SettingReader(List.of(tree(yaml)));
    }

    /**
     * Returns a reader of these settings.
     *
     * @param prefix of the variables, such as {@code KOMAINU_}
     */
    public static SettingReader reader(String yaml, Map<String, String> variables, String prefix) {
        return new SettingReader(List.of(SettingSource.environment(variables, prefix), tree(yaml)));
    }
}
