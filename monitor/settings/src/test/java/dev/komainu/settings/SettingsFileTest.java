package dev.komainu.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsFileTest {

    @TempDir
    private Path directory;

    private Path file(String text) throws IOException {
        return Files.writeString(directory.resolve("settings.yaml"), text);
    }

    @Test
    void read_aMap_asWritten_andNothingOfAnEmptyFile() throws Exception {
        Map<?, ?> read = SettingsFile.read(file("cache:\n  memory: 64MB\nworkers: 2\n"));
        assertThat(read).hasToString("{cache={memory=64MB}, workers=2}");
        assertThat(SettingsFile.read(file(""))).isEmpty();
    }

    @Test
    void read_whatCannotBeUsed_isToldWithItsFile() throws Exception {
        Path file = file("- a\n- b\n");
        assertThatThrownBy(() -> SettingsFile.read(file)).hasMessage(file + " (expected: a YAML map of settings)");
        file("cache: [\n");
        assertThatThrownBy(() -> SettingsFile.read(file)).hasMessageContaining("line 2");
        file("a: " + "x".repeat(SettingsFile.MOST_BYTES));
        assertThatThrownBy(() -> SettingsFile.read(file)).hasMessage(file + " (expected: at most 1 MB)");
        assertThatThrownBy(() -> SettingsFile.read(directory)).hasMessage(directory + " (expected: a readable file)");
    }

    /** No class of the file's choice is made. */
    @Test
    void read_aTag_isRefused() throws Exception {
        Path file = file("!!java.net.URL [\"http://127.0.0.1/\"]\n");
        assertThatThrownBy(() -> SettingsFile.read(file)).isInstanceOf(UnreadableSettingsException.class);
    }
}
