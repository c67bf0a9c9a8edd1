package dev.komainu.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class ConfigurationTest {

    private static final Setting<Integer> WORKERS =
            Setting.integer("workers", 1, 9).byDefault("1").atStart("loops run").effect("loops");
    private static final Setting<Integer> LEAST =
            Setting.integer("least", 0, 9).byDefault("0").effect("at least so many");

    private record Both(int workers, int least) {}

    private static Both read(SettingReader reader) throws SettingMistakesException {
        Both both = new Both(reader.get(WORKERS), reader.get(LEAST));
        if (both.least() > both.workers()) {
            reader.mistake(LEAST, both.least(), "at most workers, " + both.workers());
        }
        reader.refuseUnknown();
        reader.finish();
        return both;
    }

    private final AtomicReference<Map<String, Object>> file = new AtomicReference<>(Map.of());

    private Configuration<Both> configuration() throws SettingMistakesException {
        return Configuration.read(
                () -> List.of(SettingTree.of(file.get())), ConfigurationTest::read);
    }

    @Test
    void reread_changesApplicableSettings_andKeepsTheOthers() throws Exception {
        file.set(Map.of("workers", 4));
        Configuration<Both> configuration = configuration();
        file.set(Map.of("workers", 5, "least", 2));
        Configuration.Change<Both> change = configuration.reread();
        assertThat(change.applied()).containsExactly("least");
        assertThat(change.needsRestart()).containsExactly(Map.entry("workers", "loops run"));
        assertThat(change.settings()).isEqualTo(new Both(4, 2));
        assertThat(configuration.settings()).isEqualTo(new Both(4, 0));
        configuration.activate(change);
        assertThat(configuration.settings()).isEqualTo(new Both(4, 2));
        Configuration.Change<Both> second = configuration.reread();
        assertThat(second.applied()).isEmpty();
        assertThat(second.needsRestart()).containsOnlyKeys("workers");
        assertThat(second.unchanged()).isEqualTo(1);
    }

    /**
     * A setting that is removed from the file returns to its default; one that only a start changes
     * does not.
     */
    @Test
    void reread_removedSettings_haveTheirDefaults() throws Exception {
        file.set(Map.of("workers", 4, "least", 3));
        Configuration<Both> configuration = configuration();
        file.set(Map.of());
        Configuration.Change<Both> change = configuration.reread();
        assertThat(change.settings()).isEqualTo(new Both(4, 0));
        assertThat(change.applied()).containsExactly("least");
        assertThat(change.needsRestart()).containsOnlyKeys("workers");
    }

    @Test
    void reread_changeThatNeedsARestart_isRefusedCompletely() throws Exception {
        Configuration<Both> configuration = configuration();
        file.set(Map.of("workers", 5, "least", 4));
        assertThatThrownBy(configuration::reread)
                .hasMessageContaining("least: 4 (expected: at most workers, 1)")
                .hasMessageContaining("workers: changed (expected: the value of the start");
        assertThat(configuration.settings()).isEqualTo(new Both(1, 0));
    }
}
