package dev.komainu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Attacks on what the launcher starts, writes and advises (review, findings 15, 16, 17, 22). */
@Timeout(180)
class LauncherAttacksTest {

    private static final Path ROOT = root();
    private static final String PARTS =
            "set -u; for part in say machine build parts doctor up demo scenes; do . \"$ROOT/.launcher/$part.sh\"; done; ";

    @TempDir
    Path scratch;

    private static Path root() {
        Path here = Path.of("").toAbsolutePath();
        return Files.exists(here.resolve("komainu")) ? here : here.getParent();
    }

    /** Runs the launcher's functions, and returns what they print. */
    private String bash(String script) throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder("bash", "-c", PARTS + script).redirectErrorStream(true);
        builder.environment().put("ROOT", ROOT.toString());
        builder.environment().put("DATA", scratch.toString());
        builder.environment().put("TMPDIR", scratch.toString());
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said;
    }

    @Test
    void localUser_plantsLinksBesideTheDemosLogs_findsNothingToWriteTo() throws Exception {
        Files.setPosixFilePermissions(scratch, PosixFilePermissions.fromString("rwx--x--x"));
        String said = bash("""
                ORIGIN_PORT=1 PART_ORDER=() JDK=/nowhere
                launch() { :; }; wait_healthy() { :; }
                umask 000
                start_demo_server || exit 1
                echo "demo: $DEMO_DIR"
                """);
        Path demo = Path.of(said.lines()
                .filter(line -> line.startsWith("demo: "))
                .findFirst()
                .orElseThrow()
                .substring(6));
        assertThat(demo.getParent()).isEqualTo(scratch);
        try (Stream<Path> all = Files.walk(demo)) {
            assertThat(all)
                    .allSatisfy(path -> assertThat(Files.getPosixFilePermissions(path))
                            .as(path.toString())
                            .doesNotContain(
                                    PosixFilePermission.OTHERS_WRITE,
                                    PosixFilePermission.GROUP_WRITE));
        }
    }

    @Test
    void localUser_readsLogsAndProcessIdsOfParts_isKeptOut() throws Exception {
        bash("""
                mkdir "$DATA/log" "$DATA/run"
                declare -A PART_PID=() PART_HEAP=()
                umask 000
                exec 9>/dev/null
                launch part true
                wait
                """);
        for (String file : List.of("log/part.log", "run/part.pid")) {
            assertThat(PosixFilePermissions.toString(
                            Files.getPosixFilePermissions(scratch.resolve(file))))
                    .isEqualTo("rw-------");
        }
    }

    @Test
    void anyUser_startsTheSharedJava_gainsNothingByTheDoctorsAdvice() throws Exception {
        String said = bash("""
                holds() { return 1; }; have() { return 1; }
                doctor
                [ $? -le 3 ]
                """);
        assertThat(said).contains("capture permission").doesNotContain("setcap cap_");
    }

    @Test
    void dependency_bringsAnInstallScript_itDoesNotRun() throws IOException {
        assertThat(Files.readAllLines(ROOT.resolve("admin-ui/.npmrc")))
                .contains("ignore-scripts=true");
        assertThat(Files.readString(ROOT.resolve("admin-ui/scripts/install.mjs")))
                .contains("['ci', '--ignore-scripts'");
        assertThat(Files.readString(ROOT.resolve("docs/developing.md")))
                .doesNotContain("npm ci &&");
    }

    @Test
    void localUser_asksTheProxysControlPort_needsAToken() throws IOException {
        assertThat(Files.readString(ROOT.resolve(".launcher/up.sh")))
                .contains("--control-read-token required");
    }
}
