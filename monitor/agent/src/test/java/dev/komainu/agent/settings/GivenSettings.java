package dev.komainu.agent.settings;

import dev.komainu.settings.SettingMistakesException;
import java.nio.file.Path;
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
        return AgentSettings.read(AgentSettings.reader(options, environment, file), hostName);
    }
}
