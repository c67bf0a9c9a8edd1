package dev.komainu.organizer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.organizer.service.ServiceEntry;
import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import dev.komainu.settings.kit.SettingsPage;
import dev.komainu.settings.kit.WrittenSettings;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The settings table of the manual, compared with the declarations. With
 * {@code -Dsettings.write=true} the table is written.
 */
class SettingsPageTest {

    private final SettingReader reader = WrittenSettings.reader("""
            {member: a, listen: 127.0.0.1, secret-file: s, meet.seeds: [h], serve: [{prefix: h/, server: h}],
             services: [{protocol: tcp, listen: "127.0.0.1:1", service: "h:1"}]}
            """);

    @Test
    void page_hasEverySettingOnce_asItIsDeclared() throws Exception {
        OrganizerSettings.read(reader);
        SettingReader serve = reader.members(OrganizerSettings.SERVE).getFirst();
        OrganizerSettings.Serve.read(serve, false);
        SettingReader entry = reader.members(OrganizerSettings.SERVICES).getFirst();
        ServiceEntry.read(entry);
        SettingsPage page = new SettingsPage(
                        "organizer.md",
                        key -> SettingsPage.variable(OrganizerSettings.VARIABLES, key))
                .with(reader.settings())
                .withMembers("serve", serve.settings())
                .withMembers("services", entry.settings());
        assertThat(page.generated()).isEqualTo(page.written());
        List<String> all = Stream.of(
                        keys("", reader.settings()),
                        keys("serve[].", serve.settings()),
                        keys("services[].", entry.settings()))
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
