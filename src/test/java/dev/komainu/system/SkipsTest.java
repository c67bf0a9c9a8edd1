package dev.komainu.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What {@code ./komainu test} tells of tests that did not run, and its matrix, with a Maven that
 * only writes reports.
 */
class SkipsTest {

    private static final String MAVEN = """
            #!/usr/bin/env bash
            cd "$(dirname "$0")/.."
            printf '%s\\n' "$*" >>calls
            [[ $* != *-Dmaven.test.skip.exec=true* ]] || exit 0
            # report MODULE CLASS [LINE-WITHIN-A-TESTCASE…]
            report() {
              mkdir -p "$1/target/surefire-reports"
              local file="$1/target/surefire-reports/TEST-$2.xml"
              printf '<?xml version="1.0"?>\\n<testsuite name="%s">\\n  <testcase name="fine" classname="%s"/>\\n' "$2" "$2" >"$file"
              for line in "${@:3}"; do printf '  <testcase name="odd" classname="x">\\n    %s\\n  </testcase>\\n' "$line" >>"$file"; done
              printf '</testsuite>\\n' >>"$file"
            }
            skipped() { printf '<skipped message="Assumption failed: %s" type="org.opentest4j.TestAbortedException"><![CDATA[at x]]></skipped>' "$1"; }
            . ./round
            """;

    private static final String PARTS = """
            set -uo pipefail
            ROOT=$1 STAMP=$1/target/.built PATH=$1/bin:$PATH JDK=/nowhere
            for part in say try again first-failures test-order skips matrix; do . "$2/.launcher/$part.sh"; done
            need_build_tools() { :; }
            drop_stale_resources() { :; }
            provide() { :; }
            have() { false; }
            networks_apart() { false; }
            run_tests "${@:3}"
            """;

    @TempDir
    private Path root;

    @BeforeEach
    void aModuleAndAMaven() throws IOException {
        for (String directory : List.of("bin", "first", "second")) {
            Files.createDirectory(root.resolve(directory));
        }
        Files.writeString(root.resolve("pom.xml"), "<project/>");
        executable("bin/mvn", MAVEN);
        // A row of the matrix calls the launcher of its tree.
        executable(
                "komainu",
                "#!/usr/bin/env bash\nshift\n"
                        + PARTS.replace("$1", root.toString())
                                .replace("$2", Platform.ROOT.toString())
                                .replace("${@:3}", "$@"));
    }

    @Test
    void testsSkipped_endsWithTheirNumberAndTheReasonsByCount() throws Exception {
        round("""
                report first dev.A "$(skipped 'tcpreplay: not found')" "$(skipped 'captures &lt;need&gt; NET_RAW&#10;here')"
                report second dev.B "$(skipped 'captures &lt;need&gt; NET_RAW&#10;here')"
                report second dev.C '<skipped/>' \\
                  '<skipped type="T"><![CDATA[org.T: Assumption failed: mount namespaces need "SYS_ADMIN"
                	at x]]></skipped>'
                """);

        Said said = test(Map.of());

        assertThat(said.exit()).as(said.words()).isZero();
        assertThat(said.words()).contains("""
                Tests skipped: 5
                      2  captures <need> NET_RAW here
                      1  mount namespaces need "SYS_ADMIN"
                      1  no reason given
                      1  tcpreplay: not found
                """).contains("All tests passed");
    }

    @Test
    void noSkips_aSkippedTestIsRed_byOptionAndWhereItIsCi() throws Exception {
        round("report first dev.A \"$(skipped 'tcpreplay: not found')\"");

        assertThat(test(Map.of(), "--no-skips").exit()).isEqualTo(1);
        Said said = test(Map.of("CI", "true"));
        assertThat(said.exit()).isEqualTo(1);
        assertThat(said.words())
                .contains("      1  tcpreplay: not found")
                .contains("tests were skipped (expected with --no-skips, or CI=true: none)");
    }

    @Test
    void noSkips_nothingSkipped_isGreenWhateverAnEarlierRunLeft() throws Exception {
        round("report first dev.A \"$(skipped 'tcpreplay: not found')\"");
        assertThat(test(Map.of()).words()).contains("Tests skipped: 1");
        round("report second dev.B; find first -name '*.xml' -exec touch -d '1 hour ago' {} +");

        Said said = test(Map.of(), "--no-skips");

        assertThat(said.exit()).as(said.words()).isZero();
        assertThat(said.words()).doesNotContain("skipped");
    }

    @Test
    void strict_aTestFails_oneRoundToTheEndAndRed() throws Exception {
        round("report first dev.A '<failure message=\"gone\" type=\"E\"/>'; report second dev.B");

        Said said = test(Map.of(), "--strict", "--built", "-o");

        assertThat(said.exit()).isEqualTo(1);
        assertThat(Files.readAllLines(root.resolve("calls")))
                .singleElement()
                .asString()
                .endsWith("verify -Dexec.skip=true -Dmaven.test.failure.ignore=true -o");
    }

    @Test
    void matrix_buildsOnce_runsEachRowInItsEnvironment_andTellsWhatFailedWhere() throws Exception {
        assumeTrue(
                Files.exists(Path.of("/usr/share/i18n/locales/tr_TR")),
                "locales: not found (expected: apt-get install locales)");
        round("""
                if [ "${TZ:-}" = America/Santiago ]; then
                  report first dev.Clock '<failure message="an hour" type="E"/>' "$(skipped 'ip: not found')"
                else
                  report first dev.Clock
                  printf '%s %s\\n' "$LANG" "$(locale charmap)" >language
                fi
                report second 'dev.B$Inner'
                """);

        Said said = test(Map.of("CI", "true"), "--matrix=tr-TR,santiago");

        assertThat(said.exit()).as(said.words()).isEqualTo(1);
        assertThat(said.words()).contains("""
                row             run   passed   failed  skipped
                tr-TR             2        2        0        0
                santiago          4        2        1        1

                santiago, failed:
                  dev.Clock

                santiago, skipped:
                      1  ip: not found
                """);
        assertThat(root.resolve("language")).hasContent("tr_TR.UTF-8 UTF-8");
        assertThat(root.resolve("target/matrix/santiago/first/TEST-dev.Clock.xml"))
                .exists();
        assertThat(root.resolve("target/matrix/table.txt")).content().contains("santiago, failed:");
        assertThat(Files.readAllLines(root.resolve("calls")))
                .hasSize(3)
                .filteredOn(call -> call.contains("-Dmaven.test.skip.exec=true"))
                .hasSize(1);
    }

    /** An ordinary user may not do what some tests need, in CI neither. */
    @Test
    void matrix_inCi_skipsAreToldAndNotRed() throws Exception {
        round("report first dev.A \"$(skipped 'ip: not found')\"");

        Said said = test(Map.of("CI", "true"), "--matrix=santiago");

        assertThat(said.exit()).as(said.words()).isZero();
        assertThat(said.words())
                .contains("santiago, skipped:\n      1  ip: not found\n")
                .contains("All tests passed in each of 1 environments");
    }

    @Test
    void matrix_rowInWhichNoTestRan_isRed() throws Exception {
        round("true");

        Said said = test(Map.of(), "--matrix=santiago");

        assertThat(said.exit()).isEqualTo(1);
        assertThat(said.words()).contains("santiago: no test ran", "ended with an error");
    }

    @Test
    void matrix_unknownRow_saysWhichThereAre() throws Exception {
        Said said = test(Map.of(), "--matrix=moon");

        assertThat(said.exit()).isEqualTo(2);
        assertThat(said.words())
                .contains("--matrix: moon (expected: fa-IR tr-TR santiago user bare)");
        assertThat(root.resolve("calls")).doesNotExist();
    }

    private void round(String script) throws IOException {
        Files.writeString(root.resolve("round"), script);
    }

    private void executable(String name, String script) throws IOException {
        Path file = Files.writeString(root.resolve(name), script);
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private record Said(int exit, String words) {}

    private Said test(Map<String, String> environment, String... options)
            throws IOException, InterruptedException {
        Path words = root.resolve("words");
        ProcessBuilder builder = new ProcessBuilder(
                        "bash", "-c", PARTS, "bash", root.toString(), Platform.ROOT.toString())
                .redirectErrorStream(true)
                .redirectOutput(words.toFile());
        builder.command().addAll(List.of(options));
        // What the machine of this test sets is not what its tests are about.
        builder.environment().keySet().removeAll(List.of("CI", "TZ"));
        builder.environment().putAll(environment);
        Process process = builder.start();
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("did not end within 60 s: " + Files.readString(words));
        }
        return new Said(process.exitValue(), Files.readString(words));
    }
}
