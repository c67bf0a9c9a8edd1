package dev.komainu.organizer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.organizer.service.ServiceEntry;
import dev.komainu.settings.SettingReader;
import dev.komainu.settings.kit.SettingsPage;
import org.junit.jupiter.api.Test;

/**
 * The settings table of the manual, compared with the declarations. With
 * {@code -Dsettings.write=true} the table is written.
 */
class SettingsPageTest {

    private static SettingsPage page() {
        return new SettingsPage("organizer.md")
                .with(SettingReader.declared(OrganizerSettings::read))
                .withMembers(
                        "serve",
                        SettingReader.declared(one -> OrganizerSettings.Serve.read(one, false)))
                .withMembers("services", SettingReader.declared(ServiceEntry::read));
    }

    @Test
    void page_hasEverySettingOnce_asItIsDeclared() throws Exception {
        SettingsPage page = page();
        assertThat(page.generated()).isEqualTo(page.written());
        assertThat(page.rows()).containsExactlyElementsOf(page.keys());
    }

    @Test
    void page_textsAndLinks_followTheRules() throws Exception {
        assertThat(page().mistakes()).isEmpty();
    }
}
