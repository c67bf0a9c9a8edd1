package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.settings.SettingReader;
import dev.komainu.settings.kit.SettingsPage;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The page of settings is generated; see docs/developing.md. */
class SettingsPageTest {

    @Test
    void page_isAsTheDeclarationsSay() throws Exception {
        SettingReader reader =
                GivenSettings.reader(Map.of(), Map.of(), Map.of("origin", "http://h"));
        ProxySettings.read(reader);
        SettingsPage page = new SettingsPage(
                        "proxy.md", key -> SettingsPage.variable("KOMAINU_", key))
                .with(List.of(ProxySettings.ORGANIZER))
                .with(reader.settings());
        assertThat(page.generated()).isEqualTo(page.written());
        assertThat(page.keys()).containsExactlyElementsOf(page.rows());
    }
}
