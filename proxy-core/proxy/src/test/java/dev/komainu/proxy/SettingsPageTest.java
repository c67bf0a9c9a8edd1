package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.organizer.front.ShareSettings;
import dev.komainu.settings.SettingReader;
import dev.komainu.settings.kit.SettingsPage;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The page of settings is generated; see docs/developing.md. */
class SettingsPageTest {

    private static SettingsPage page() throws Exception {
        SettingReader reader =
                GivenSettings.reader(Map.of(), Map.of(), Map.of("origin", "http://h"));
        ProxySettings.read(reader);
        return new SettingsPage("proxy.md")
                .with(List.of(ProxySettings.ORGANIZER))
                .with(reader.settings())
                .withBelow("organizer.", SettingReader.declared(ShareSettings::read));
    }

    @Test
    void page_isAsTheDeclarationsSay() throws Exception {
        SettingsPage page = page();
        assertThat(page.generated()).isEqualTo(page.written());
        assertThat(page.rows()).containsExactlyElementsOf(page.keys());
    }

    @Test
    void page_textsAndLinks_followTheRules() throws Exception {
        assertThat(page().mistakes()).isEmpty();
    }
}
