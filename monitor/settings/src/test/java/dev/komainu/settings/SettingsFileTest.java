package dev.komainu.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
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
        Path file = file("cache:\n  memory: 64MB\nworkers: 0x10\nlisten:\nroutes: [a, b]\n");
        SettingTree read = SettingsFile.read(file);
        assertThat(read.find("cache.memory"))
                .isEqualTo(new WrittenValue("64MB", "file", file + ":2"));
        assertThat(read.find("workers")).isEqualTo(new WrittenValue("16", "file", file + ":3"));
        assertThat(read.find("listen")).isNull();
        assertThat(read.find("routes")).extracting(WrittenValue::text).isEqualTo("a,b");
        assertThat(SettingsFile.read(file("")).strays(Set.of())).isEmpty();
    }

    @Test
    void read_unusableContent_isReportedWithItsFile() throws Exception {
        Path file = file("- a\n- b\n");
        assertThatThrownBy(() -> SettingsFile.read(file))
                .hasMessage("--config: " + file + ":1 (expected: a YAML map of settings)");
        file("cache: [\n");
        assertThatThrownBy(() -> SettingsFile.read(file))
                .hasMessageStartingWith("--config: " + file + ":2 (expected: YAML; ");
        file("a: " + "x".repeat(SettingsFile.MOST_BYTES));
        assertThatThrownBy(() -> SettingsFile.read(file))
                .hasMessage("--config: " + file + " (expected: at most 1 MB)");
        assertThatThrownBy(() -> SettingsFile.read(directory))
                .hasMessage("--config: " + directory + " (expected: a readable file)");
    }

    /** No class that the file names is instantiated. */
    @Test
    void read_aTag_isRefused() throws Exception {
        Path file = file("!!java.net.URL [\"http://127.0.0.1/\"]\n");
        assertThatThrownBy(() -> SettingsFile.read(file))
                .isInstanceOf(SettingMistakesException.class);
    }
}
