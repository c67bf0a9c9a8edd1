package dev.komainu.central.backup;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UpgradeCopyTest {

    @TempDir
    private Path data;

    private Path file() throws Exception {
        return Files.writeString(data.resolve(ControlFile.NAME), "the database");
    }

    @Test
    void newDatabase_andOneWithAllMigrations_areNotCopied() throws Exception {
        UpgradeCopy.makeIfDue(file(), List.of(), List.of("1", "2"), 1);
        UpgradeCopy.makeIfDue(file(), List.of("1", "2", "9"), List.of("1", "2"), 2);

        assertThat(data.resolve(ControlCopies.DIRECTORY)).doesNotExist();
    }

    @Test
    void databaseOfAnEarlierVersion_isCopiedAndTheNewestAreKept() throws Exception {
        for (long millis = 1_000; millis < 1_005; millis++) {
            UpgradeCopy.makeIfDue(file(), List.of("1"), List.of("1", "2"), millis);
        }

        Path directory = data.resolve(ControlCopies.DIRECTORY);
        assertThat(UpgradeCopy.newestFirst(directory))
                .extracting(path -> path.getFileName().toString())
                .containsExactly("before-upgrade-1004.mv.db", "before-upgrade-1003.mv.db");
        assertThat(directory.resolve("before-upgrade-1004.mv.db")).hasContent("the database");
        assertThat(ControlCopies.list(directory)).isEmpty();
    }
}
