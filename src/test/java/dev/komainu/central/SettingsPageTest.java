package dev.komainu.central;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.komainu.central.settings.SettingsMistakes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.mock.env.MockEnvironment;

/** The page of settings lists every setting there is, and none that is not. */
class SettingsPageTest {

    @Test
    void page_andService_nameTheSameSettings() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "configuration", "central.md"));
        TreeSet<String> listed = Pattern.compile("^\\| `(komainu\\.[a-z.-]+)`", Pattern.MULTILINE)
                .matcher(page)
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(listed).isEqualTo(known());
    }

    /** An unknown setting is answered with the list of all known ones. */
    private static TreeSet<String> known() {
        MockEnvironment environment = new MockEnvironment();
        environment.setProperty("komainu.unknown", "1");
        SettingsMistakes mistakes =
                catchThrowableOfType(SettingsMistakes.class, () -> CentralSettings.read(environment));
        String list = mistakes.lines().getFirst().replaceAll(".*one of: (.*)\\)$", "$1");
        return Stream.of(list.split(", ")).collect(Collectors.toCollection(TreeSet::new));
    }
}
