package dev.komainu.organizer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.organizer.service.ServiceEntry;
import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import dev.komainu.settings.kit.SettingsPage;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The settings table of the manual, compared with the declarations. With
 * {@code -Dsettings.write=true} the table is written.
 */
class SettingsPageTest {

    @Test
    void page_hasEverySettingOnce_asItIsDeclared() throws Exception {
        List<Setting<?>> settings = SettingReader.declared(OrganizerSettings::read);
        List<Setting<?>> serve =
                SettingReader.declared(one -> OrganizerSettings.Serve.read(one, false));
        List<Setting<?>> entry = SettingReader.declared(ServiceEntry::read);
        SettingsPage page = new SettingsPage(
                        "organizer.md",
                        key -> SettingsPage.variable(OrganizerSettings.VARIABLES, key))
                .with(settings)
                .withMembers("serve", serve)
                .withMembers("services", entry);
        assertThat(page.generated()).isEqualTo(page.written());
        List<String> all = Stream.of(
                        keys("", settings), keys("serve[].", serve), keys("services[].", entry))
                .flatMap(List::stream)
                .toList();
        String written = page.written();
        assertThat(all)
                .allSatisfy(key -> assertThat(written).containsOnlyOnce("\n| `" + key + "`"));
    }

    private static List<String> keys(String prefix, List<Setting<?>> settings) {
        return settings.stream().map(one -> prefix + one.key()).toList();
    }
}
