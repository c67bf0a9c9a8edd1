package dev.komainu.agent.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.settings.OutsideSettings.GivenLog;
import dev.komainu.agent.settings.OutsideSettings.GivenProxy;
import dev.komainu.settings.SettingReader;
import dev.komainu.settings.kit.SettingsPage;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@code docs/configuration/agent.md} says what the declarations say. */
class SettingsPageTest {

    private static SettingsPage page() {
        return new SettingsPage("agent.md")
                .with(SettingReader.declared(reader -> AgentSettings.read(reader, "here")))
                .withMembers(
                        "access-logs", List.of(GivenLog.SERVICE, GivenLog.FILE, GivenLog.FORMAT))
                .withMembers("proxies", List.of(GivenProxy.CLIENT, GivenProxy.ORIGINS));
    }

    @Test
    void page_isGeneratedFromTheDeclarations() throws Exception {
        SettingsPage page = page();
        assertThat(page.generated()).isEqualTo(page.written());
        assertThat(page.rows()).containsExactlyElementsOf(page.keys());
    }

    @Test
    void page_textsAndLinks_followTheRules() throws Exception {
        assertThat(page().mistakes()).isEmpty();
    }
}
