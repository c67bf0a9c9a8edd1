package dev.komainu.organizer.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.kit.GoldenFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The page file of an earlier release is readable. */
class GoldenPageFileTest {

    @TempDir
    Path directory;

    static List<Path> releases() {
        return GoldenFiles.releasesWith("pages");
    }

    @ParameterizedTest
    @MethodSource("releases")
    void read_anEarlierReleasesFile_restoresTheObjectsOfAPage(Path release) {
        GoldenFiles.check(release, "pages", "page file", () -> read(release));
    }

    private void read(Path release) throws IOException {
        Path file = Files.copy(release.resolve("pages"), directory.resolve("pages"));
        PageCounts counts = new PageCounts();
        PageLearner book = new PageLearner(PageSettings.DEFAULT, new SetClock()::steadyMillis);

        new PageFile(file, counts).read(book);

        assertThat(counts.of(PageCounts.Kind.FILE_DAMAGED))
                .as("files refused as damaged, of a wrong type or of a wrong version")
                .isZero();
        // The fixture loads the page five times, and requests its objects from the second load on.
        String site = "www.golden.example/site/";
        assertThat(book.learnt())
                .containsExactly(new LearntPage(
                        site + "index.html",
                        5,
                        List.of(
                                new LearntPage.LearntPart(site + "style.css", 1100, 5, 4),
                                new LearntPage.LearntPart(site + "script.js", 1100, 5, 4),
                                new LearntPage.LearntPart(site + "picture.svg", 1200, 5, 4))));
        assertThat(book.loaded("www.golden.example/site/index.html", PageRequestHint.NOTHING))
                .extracting(PageLearner.PushCandidate::url)
                .containsExactlyInAnyOrder(
                        "www.golden.example/site/style.css",
                        "www.golden.example/site/script.js",
                        "www.golden.example/site/picture.svg");
    }
}
