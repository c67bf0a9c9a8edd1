package dev.komainu.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.system.StagedSuite.Said;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What {@code ./komainu test} does when test classes fail, with a Maven that only writes reports.
 */
class SecondTryTest {

    @TempDir
    private Path root;

    private StagedSuite suite;

    @BeforeEach
    void stage() throws IOException {
        suite = new StagedSuite(root);
    }

    @Test
    void classFailsOnce_goesOnWithoutWhatPassedAndTellsItAtTheEnd() throws Exception {
        suite.round(1, """
                report first dev.Steady 0
                report first 'dev.Steady$Inner' 0
                report first dev.Chancy 1 'expected: &quot;a&quot;&#10;but was: &lt;b&gt;'
                report first 'dev.Chancy$Inner' 0
                exit 1
                """);
        suite.round(2, "report first dev.Chancy 0; report second dev.Later 0");

        Said said = suite.test();

        assertThat(said.exit()).as(said.words()).isZero();
        assertThat(said.words())
                .contains("Test classes that needed a second try: 1 (target/second-try.txt)\n"
                        + "  dev.Chancy chancy: expected: \"a\" but was: <b>\n")
                .contains("All tests passed");
        assertThat(root.resolve("target/second-try.txt"))
                .content()
                .isEqualTo("dev.Chancy chancy: expected: \"a\" but was: <b>\n");
        assertThat(root.resolve("first/target/passed.txt")).hasContent("**/*$*\ndev/Steady.java");
        assertThat(Files.readAllLines(root.resolve("calls")))
                .hasSize(2)
                .last()
                .asString()
                .contains(
                        "verify -Dexec.skip=true -Dsurefire.excludesFile=target/passed.txt -Dfailsafe.excludesFile=target/passed.txt");
    }

    @Test
    void classesOfSeveralModules_eachGetsItsSecondTryWhereItFails() throws Exception {
        suite.round(1, "report first dev.A 1 first; report first dev.Same 0; exit 1");
        suite.round(2, "report first dev.A 0; report second dev.B 1 other; exit 1");
        suite.round(
                3,
                "report second dev.B 0; REPORTS=failsafe report second dev.OneIT 1 third; exit 1");
        suite.round(4, "REPORTS=failsafe report second dev.OneIT 0");

        Said said = suite.test();

        assertThat(said.exit()).as(said.words()).isZero();
        assertThat(root.resolve("target/second-try.txt"))
                .hasContent("dev.A chancy: first\ndev.B chancy: other\ndev.OneIT chancy: third");
        assertThat(root.resolve("first/target/passed.txt"))
                .content()
                .contains("dev/A.java", "dev/Same.java");
        // A class that passed in one module says nothing of its namesake in another.
        assertThat(root.resolve("second/target/passed.txt")).hasContent("**/*$*\ndev/B.java");
    }

    @Test
    void classFailsTwice_isRed() throws Exception {
        suite.round(1, "report first dev.Broken 1 one; exit 1");
        suite.round(2, "report first dev.Broken 1 two; exit 1");
        suite.round(3, "report first dev.Broken 0");

        Said said = suite.test();

        assertThat(said.exit()).isEqualTo(1);
        assertThat(said.words())
                .contains("dev.Broken: failed twice")
                .contains("Test classes that failed at first: 1")
                .contains("tests failed after");
        assertThat(Files.readAllLines(root.resolve("calls"))).hasSize(2);
    }

    @Test
    void moreThanThreeClassesFail_isRedAtOnce() throws Exception {
        suite.round(1, "for each in A B C D; do report first dev.$each 1 gone; done; exit 1");
        suite.round(2, "true");

        Said said = suite.test();

        assertThat(said.exit()).isEqualTo(1);
        assertThat(said.words())
                .contains("test classes that failed: 4 (expected: at most 3 for a second try)");
        assertThat(Files.readAllLines(root.resolve("calls"))).hasSize(1);
    }

    @Test
    void buildFails_isRedBeforeAnyTest() throws Exception {
        Files.writeString(root.resolve("mistake"), "[ERROR] Compilation failure\n");

        Said said = suite.test();

        assertThat(said.exit()).isEqualTo(1);
        assertThat(said.words()).contains("[ERROR] Compilation failure", "tests failed after");
        assertThat(root.resolve("calls")).doesNotExist();
    }

    @Test
    void buildFailsWithoutAFailedTest_isRedAtOnceWhateverAnEarlierRunLeft() throws Exception {
        Path reports = Files.createDirectories(root.resolve("first/target/surefire-reports"));
        Path old = Files.writeString(
                reports.resolve("TEST-dev.Old.xml"),
                "<testsuite name=\"dev.Old\" tests=\"1\" errors=\"1\" skipped=\"0\" failures=\"0\">");
        Files.setLastModifiedTime(old, FileTime.from(Instant.now().minusSeconds(60)));
        suite.round(1, "report first dev.Fine 0; echo '[ERROR] Compilation failure'; exit 1");
        suite.round(2, "true");

        Said said = suite.test();

        assertThat(said.exit()).isEqualTo(1);
        assertThat(said.words())
                .contains("[ERROR] Compilation failure")
                .doesNotContain("Test classes");
        assertThat(Files.readAllLines(root.resolve("calls"))).hasSize(1);
    }

    @Test
    void testJvmDies_isRedAtOnceThoughAClassFailedToo() throws Exception {
        suite.round(1, """
                report first dev.Chancy 1 chance
                echo '[ERROR] The forked VM terminated without properly saying goodbye. VM crash or System.exit called?'
                exit 1
                """);
        suite.round(2, "true");

        Said said = suite.test();

        assertThat(said.exit()).isEqualTo(1);
        assertThat(said.words()).contains("The forked VM terminated");
        assertThat(Files.readAllLines(root.resolve("calls"))).hasSize(1);
    }

    @Test
    void allPass_oneRoundAndNoWordOfSecondTries() throws Exception {
        Files.writeString(
                Files.createDirectories(root.resolve("target")).resolve("second-try.txt"),
                "dev.Old of yore\n");
        suite.round(1, "report first dev.Fine 0");

        Said said = suite.test();

        assertThat(said.exit()).as(said.words()).isZero();
        assertThat(said.words()).doesNotContain("second try");
        assertThat(Files.readAllLines(root.resolve("builds"))).hasSize(1);
        assertThat(root.resolve("target/second-try.txt")).doesNotExist();
    }
}
