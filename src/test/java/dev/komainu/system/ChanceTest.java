package dev.komainu.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.system.StagedSuite.Said;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What {@code ./komainu test} never forgives, what it keeps of a first failure, and its strict and
 * shuffled ways.
 */
class ChanceTest {

    private static final String OF_JQWIK =
            "\tat net.jqwik.engine.execution.CheckedProperty.check(CheckedProperty.java:67)";

    @TempDir
    private Path root;

    private StagedSuite suite;

    @BeforeEach
    void stage() throws IOException {
        suite = new StagedSuite(root);
    }

    @Test
    void propertyFails_isRedAtOnce() throws Exception {
        suite.round(1, "STACK='" + OF_JQWIK + "' report first dev.Lawful 1 falsified; exit 1");
        suite.round(2, "report first dev.Lawful 0");

        Said said = suite.test();

        assertThat(said.exit()).isEqualTo(1);
        assertThat(said.words())
                .contains("dev.Lawful: a property or fuzzer failed, and has no second try")
                .contains(
                        "Test classes that failed at first: 1 (target/second-try.txt)\n  dev.Lawful chancy: falsified");
        assertThat(suite.calls()).hasSize(1);
    }

    /** A StackOverflowError tells its first thousand frames only. */
    @Test
    void propertyWhoseStackIsCutOff_isKnownByItsSource() throws Exception {
        source("""
                class Lawful {
                    @Property(tries = 200)
                    void nested_isRead(@ForAll("deep") String text) {
                        read(text);
                    }

                    @Test
                    void chancy() {
                    }
                }
                """);
        suite.round(1, "METHOD=nested_isRead report first dev.Lawful 1 deep; exit 1");
        suite.round(2, "report first dev.Lawful 0");

        assertThat(suite.test().exit()).isEqualTo(1);
        assertThat(suite.calls()).hasSize(1);
    }

    @Test
    void exampleBesideProperties_getsItsSecondTry() throws Exception {
        source("""
                class Lawful {
                    @Property
                    void fine(@ForAll int any) {
                    }

                    @Test
                    void chancy() {
                    }
                }
                """);
        suite.round(
                1,
                "OUTPUT='of a property that passed:\n" + OF_JQWIK
                        + "' report first dev.Lawful 1 chance; exit 1");
        suite.round(2, "report first dev.Lawful 0");

        Said said = suite.test();

        assertThat(said.exit()).as(said.words()).isZero();
        assertThat(suite.calls()).hasSize(2);
    }

    @Test
    void fuzzerFails_isRedAtOnceAndTellsHowItIsRunAgain() throws Exception {
        suite.round(1, """
                echo 'Again: ./komainu test -pl first -am -Dtest=FuzzTest -Dfuzz.seed=7'
                report first dev.FuzzTest 1 'HTTP, input 7'
                exit 1
                """);
        suite.round(2, "report first dev.FuzzTest 0");

        Said said = suite.test();

        assertThat(said.exit()).isEqualTo(1);
        assertThat(said.words())
                .contains("dev.FuzzTest: a property or fuzzer failed")
                .containsSubsequence(
                        "target/first-failures/",
                        "  Again: ./komainu test -pl first -am -Dtest=FuzzTest -Dfuzz.seed=7\n");
        assertThat(suite.calls()).hasSize(1);
    }

    @Test
    void secondTryPasses_firstFailureIsKeptWhole() throws Exception {
        Path old = Files.writeString(
                Files.createDirectories(root.resolve("target/first-failures/first"))
                        .resolve("TEST-dev.Old.xml"),
                "of an earlier run");
        suite.round(1, "OUTPUT='it said so' report first dev.Chancy 1 chance; exit 1");
        suite.round(2, "report first dev.Chancy 0");

        Said said = suite.test();

        assertThat(said.exit()).as(said.words()).isZero();
        assertThat(said.words())
                .contains("Complete reports of the first failures: target/first-failures/\n");
        Path kept = root.resolve("target/first-failures/first");
        assertThat(kept.resolve("TEST-dev.Chancy.xml"))
                .content()
                .contains("message=\"chance\"", "it said so", "</testsuite>");
        assertThat(kept.resolve("dev.Chancy.txt")).hasContent("Tests run: 1, failures: 1");
        assertThat(kept.resolve("dev.Chancy-output.txt")).hasContent("it said so");
        assertThat(old).doesNotExist();
    }

    @Test
    void classFailsTwice_firstFailureStays() throws Exception {
        suite.round(1, "report first dev.Broken 1 one; exit 1");
        suite.round(2, "report first dev.Broken 1 two; exit 1");

        assertThat(suite.test().exit()).isEqualTo(1);

        assertThat(root.resolve("target/first-failures/first/TEST-dev.Broken.xml"))
                .content()
                .contains("message=\"one\"");
    }

    @Test
    void strict_runsEverythingOnceAndIsRed() throws Exception {
        suite.round(1, """
                report first dev.A 1 one
                REPORTS=failsafe report second dev.BIT 1 two
                report second dev.Fine 0
                """);
        suite.round(2, "true");

        Said said = suite.test("--strict", "-pl", "second");

        assertThat(said.exit()).isEqualTo(1);
        assertThat(said.words())
                .contains(
                        "Test classes that failed: 2 (no second try: --strict)\n  dev.A chancy: one\n  dev.BIT chancy: two\n")
                .contains("target/first-failures/");
        assertThat(suite.calls())
                .singleElement()
                .asString()
                .endsWith("-Dmaven.test.failure.ignore=true -pl second");
        assertThat(root.resolve("target/second-try.txt")).doesNotExist();
    }

    /** More verdicts than a pipe holds: who reads only the first ones must not end the others. */
    @Test
    void strictAndOneOfManyFails_isRed() throws Exception {
        suite.round(1, """
                for i in {1..300}; do report first "dev.Fine${i}$(printf 'x%.0s' {1..180})" 0; done
                report first dev.A 1 one
                """);

        Said said = suite.test("--strict");

        assertThat(said.exit()).as(said.words()).isEqualTo(1);
        assertThat(said.words()).doesNotContain("All tests passed");
    }

    /** With failures ignored, Maven's exit code is 0 for it, too. */
    @Test
    void strictAndATestJvmDies_isRed() throws Exception {
        suite.round(1, """
                report first dev.Fine 0
                echo '[ERROR] The forked VM terminated without properly saying goodbye. VM crash or System.exit called?'
                """);

        assertThat(suite.test("--strict").exit()).isEqualTo(1);
    }

    @Test
    void strictAndAllPass_isGreen() throws Exception {
        suite.round(1, "report first dev.Fine 0");

        Said said = suite.test("--strict");

        assertThat(said.exit()).as(said.words()).isZero();
        assertThat(said.words()).contains("All tests passed").doesNotContain("first-failures");
    }

    @Test
    void shuffleWithASeed_everyOrderIsOfThatSeed() throws Exception {
        suite.round(1, "report first dev.Fine 0");

        Said said = suite.test("--shuffle=20");

        assertThat(said.exit()).as(said.words()).isZero();
        assertThat(said.words()).contains("the same order again: ./komainu test --shuffle=20\n");
        assertThat(suite.calls())
                .singleElement()
                .asString()
                .contains(
                        "-Dsurefire.runOrder=random -Dsurefire.runOrder.random.seed=20",
                        "-Dfailsafe.runOrder=random -Dfailsafe.runOrder.random.seed=20",
                        "-Djunit.jupiter.execution.order.random.seed=20",
                        "-Djunit.jupiter.testmethod.order.default=org.junit.jupiter.api.MethodOrderer$Random");
    }

    @Test
    void shuffle_drawsASeedAndTellsIt() throws Exception {
        suite.round(1, "report first dev.Fine 0");

        assertThat(suite.test("--shuffle").words()).containsPattern("test --shuffle=[0-9]+\n");
    }

    @Test
    void shuffleWithoutANumber_isWrongUsage() throws Exception {
        Said said = suite.test("--shuffle=often");

        assertThat(said.exit()).isEqualTo(2);
        assertThat(said.words())
                .contains("--shuffle: 'often' (expected: a seed of 1 to 18 digits)");
        assertThat(root.resolve("builds")).doesNotExist();
    }

    @Test
    void testJvmRunsIntoItsLimit_isRedAndSaysSo() throws Exception {
        suite.round(1, """
                report first dev.Chancy 1 chance
                echo '[ERROR] This test JVM has run for 1800 s, its limit: it ends.'
                exit 1
                """);
        suite.round(2, "true");

        Said said = suite.test();

        assertThat(said.exit()).isEqualTo(1);
        assertThat(said.words()).contains("a test JVM ran into its limit of 30 minutes");
        assertThat(suite.calls()).hasSize(1);
    }

    @Test
    void testIsNamed_modulesWithoutItGoOnAndIntegrationTestsStay() throws Exception {
        suite.round(1, "report second dev.Fine 0");

        Said said = suite.test("-Dtest=Fine");

        assertThat(said.exit()).as(said.words()).isZero();
        assertThat(suite.calls())
                .singleElement()
                .asString()
                .contains("-Dsurefire.failIfNoSpecifiedTests=false", "-DskipITs", "-Dtest=Fine");
    }

    @Test
    void namedTestIsNowhere_isRed() throws Exception {
        suite.round(1, "true");

        Said said = suite.test("-Dtest=Fien");

        assertThat(said.exit()).isEqualTo(1);
        assertThat(said.words()).contains("no test of that name ran: -Dtest=Fien");
    }

    private void source(String text) throws IOException {
        Path sources = Files.createDirectories(root.resolve("first/src/test/java/dev"));
        Files.writeString(sources.resolve("Lawful.java"), text);
    }
}
