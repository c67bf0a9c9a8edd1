package dev.komainu.agent.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.settings.OutsideSettings.GivenLog;
import dev.komainu.agent.settings.OutsideSettings.GivenProxy;
import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import dev.komainu.settings.kit.SettingsPage;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@code docs/configuration/agent.md} says what the declarations say. */
class SettingsPageTest {

    private static List<Setting<?>> settings() {
        return SettingReader.declared(reader -> AgentSettings.read(reader, "here"));
    }

    private static String variable(String key) {
        return switch (key) {
            case "access-logs", "proxies" -> "";
            case "central.url", "central.token-file" -> SettingsPage.variable("KOMAINU_", key);
            default -> SettingsPage.variable("KOMAINU_AGENT_", key);
        };
    }

    @Test
    void page_isGeneratedFromTheDeclarations() throws Exception {
        SettingsPage page = new SettingsPage("agent.md", SettingsPageTest::variable)
                .with(settings())
                .withMembers(
                        "access-logs", List.of(GivenLog.SERVICE, GivenLog.FILE, GivenLog.FORMAT))
                .withMembers("proxies", List.of(GivenProxy.CLIENT, GivenProxy.ORIGINS));
        assertThat(page.generated()).isEqualTo(page.written());
    }

    @Test
    void settings_eachStandsInOneTable() throws Exception {
        String page = new SettingsPage("agent.md", SettingsPageTest::variable).written();
        for (Setting<?> one : settings()) {
            assertThat(page.lines().filter(line -> line.startsWith("| `" + one.key() + "` ")))
                    .as(one.key())
                    .hasSize(1);
        }
    }
}
