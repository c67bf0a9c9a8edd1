package dev.komainu.agent.settings;

import dev.komainu.settings.SettingMistakesException;
import dev.komainu.settings.SettingReader;
import dev.komainu.settings.SettingSource;
import dev.komainu.settings.SettingsFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Settings of an agent as a test gives them. */
public final class GivenSettings {

    private GivenSettings() {}

    /** @throws SettingMistakesException telling every mistake */
    public static AgentSettings read(
            Map<String, String> options,
            Map<String, String> environment,
            @Nullable Path file,
            String hostName)
            throws SettingMistakesException {
        return AgentSettings.read(reader(options, environment, file), hostName);
    }

    /**
     * All places where settings may stand.
     *
     * @throws SettingMistakesException when the file cannot be read
     */
    static SettingReader reader(
            Map<String, String> options, Map<String, String> environment, @Nullable Path file)
            throws SettingMistakesException {
        List<SettingSource> sources = new ArrayList<>(List.of(
                SettingSource.commandLine(options), AgentSettings.environment(environment)));
        if (file != null) {
            sources.add(SettingsFile.read(file));
        }
        return new SettingReader(sources);
    }
}
