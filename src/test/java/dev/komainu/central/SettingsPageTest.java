package dev.komainu.central;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingMistakesException;
import dev.komainu.settings.SettingReader;
import dev.komainu.settings.kit.SettingsPage;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that the page of settings has a row for each declaration, with its declared content. */
class SettingsPageTest {

    private final SettingReader reader = SettingReader.ofDefaults();

    @Test
    void page_tables_areAsDeclared() throws IOException, SettingMistakesException {
        SettingsPage page = new SettingsPage("central.md").with(settings());

        assertThat(page.generated()).isEqualTo(page.written());
        assertThat(page.rows()).containsExactlyElementsOf(page.keys());
    }

    @Test
    void page_textsAndLinks_followTheRules() throws IOException, SettingMistakesException {
        assertThat(new SettingsPage("central.md").with(settings()).mistakes()).isEmpty();
    }

    private List<Setting<?>> settings() throws SettingMistakesException {
        CentralSettings.read(reader);
        return reader.settings();
    }
}
