package dev.komainu.organizer.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.kit.DiskHistory;
import dev.komainu.telemetry.kit.PowerCuts;
import dev.komainu.telemetry.kit.RecordedDisk;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Loss of power while the learnt pages are written: the file is that of the last complete write, or
 * of the one that was under way.
 */
class PageFilePowerCutTest {

    private static final int WRITES = 20;

    @TempDir
    Path work;

    @Test
    void powerLoss_atAnyInstant_keepsThePagesOfTheLastWrite() throws Exception {
        PowerCuts cuts = new PowerCuts(record(), work);
        cuts.check(PageFilePowerCutTest::check);
        cuts.checkFindsForgetfulDisk(PageFilePowerCutTest::check);
    }

    private DiskHistory record() throws Exception {
        try (RecordedDisk disk = RecordedDisk.mount(work)) {
            PageLearner learner = learner();
            PageFile file = new PageFile(pages(disk.root()), new PageCounts());
            for (int i = 1; i <= WRITES; i++) {
                learn(learner, i);
                file.write(learner);
                disk.acknowledge("written " + i);
            }
            return disk.history();
        }
    }

    private static PageLearner learner() {
        return new PageLearner(PageSettings.DEFAULT, new SetClock()::steadyMillis);
    }

    private static Path pages(Path root) {
        return root.resolve("data").resolve("pages");
    }

    /** Some pages with long addresses, so that the file has several blocks. */
    private static void learn(PageLearner learner, int write) {
        for (int page = 0; page < 8; page++) {
            String url = "h/" + write + "/" + page + "/" + "p".repeat(500);
            for (int load = 0; load < 2; load++) {
                learner.loaded(url, null);
                learner.followed(url, "h/object/" + write + "/" + page, 100);
            }
        }
    }

    private static List<LearntPage> after(int writes) {
        PageLearner learner = learner();
        for (int i = 1; i <= writes; i++) {
            learn(learner, i);
        }
        return learner.learnt();
    }

    private static void check(Path disk, List<String> acknowledged) {
        int written = acknowledged.size();
        PageCounts counts = new PageCounts();
        PageLearner learner = learner();

        new PageFile(pages(disk), counts).read(learner);

        assertThat(counts.of(PageCounts.Kind.FILE_DAMAGED)).as("damaged").isZero();
        List<LearntPage> found = learner.learnt();
        assertThat(found.equals(after(written)) || found.equals(after(written + 1)))
                .as("%d pages found after %d writes", found.size(), written)
                .isTrue();
    }
}
