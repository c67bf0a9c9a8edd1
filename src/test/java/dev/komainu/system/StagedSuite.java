package dev.komainu.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A suite of two modules under {@code ./komainu test}, with a Maven that only writes the reports
 * that a test's rounds tell it to.
 */
final class StagedSuite {

    private static final String MAVEN = """
            #!/usr/bin/env bash
            cd "$(dirname "$0")/.."
            if [[ $* == *-Dmaven.test.skip.exec=true* ]]; then
              printf '%s\\n' "$*" >>builds
              [ ! -e mistake ] || { cat mistake; exit 1; }
              exit 0
            fi
            printf '%s\\n' "$*" >>calls
            # report MODULE CLASS FAILURES [MESSAGE]
            report() {
              local reports=$1/target/${REPORTS:-surefire}-reports
              mkdir -p "$reports"
              {
                # The counts are Surefire's own, which forgets nested classes.
                printf '<?xml version="1.0"?>\\n<testsuite name="%s" tests="0" errors="0" skipped="0" failures="0">\\n' "$2"
                printf '  <testcase name="fine" classname="%s" time="0.1"/>\\n' "$2"
                if [ "$3" != 0 ]; then
                  printf '  <testcase name="%s" classname="%s" time="0.1">\\n' "${METHOD:-chancy}" "$2"
                  printf '    <failure message="%s" type="E"><![CDATA[E\\n%s]]></failure>\\n' "${4:-}" "${STACK:-}"
                  printf '    <system-out><![CDATA[%s]]></system-out>\\n  </testcase>\\n' "${OUTPUT:-}"
                fi
                printf '</testsuite>\\n'
              } >"$reports/TEST-$2.xml"
              printf 'Tests run: 1, failures: %s\\n' "$3" >"$reports/$2.txt"
              printf '%s\\n' "${OUTPUT:-}" >"$reports/$2-output.txt"
            }
            . "./round$(wc -l <calls)"
            """;

    /** The launcher's own parts, but for what looks at this machine. */
    private static final String LAUNCHER = """
            set -uo pipefail
            ROOT=$1 STAMP=$1/target/.built PATH=$1/bin:$PATH
            for part in say try again first-failures test-order skips matrix; do . "$2/.launcher/$part.sh"; done
            need_build_tools() { :; }
            drop_stale_resources() { :; }
            provide() { :; }
            have() { false; }
            networks_apart() { false; }
            run_tests "${@:3}"
            """;

    private final Path root;

    StagedSuite(Path root) throws IOException {
        this.root = root;
        for (String module : List.of("bin", "first", "second")) {
            Files.createDirectory(root.resolve(module));
        }
        for (String module : List.of(".", "first", "second")) {
            Files.writeString(root.resolve(module).resolve("pom.xml"), "<project/>");
        }
        Path maven = Files.writeString(root.resolve("bin/mvn"), MAVEN);
        assertThat(maven.toFile().setExecutable(true)).isTrue();
    }

    /** Says what Maven does when it tests for the nth time. */
    void round(int number, String script) throws IOException {
        Files.writeString(root.resolve("round" + number), script);
    }

    /** What Maven was called with, a line for each time it tested. */
    List<String> calls() throws IOException {
        return Files.readAllLines(root.resolve("calls"));
    }

    record Said(int exit, String words) {}

    Said test(String... arguments) throws IOException, InterruptedException {
        Path words = root.resolve("words");
        List<String> command = new ArrayList<>(
                List.of("bash", "-c", LAUNCHER, "bash", root.toString(), Platform.ROOT.toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(words.toFile())
                .start();
        if (!process.waitFor(5, TimeUnit.MINUTES)) {
            process.destroyForcibly();
            throw new AssertionError("did not end: " + Files.readString(words));
        }
        return new Said(process.exitValue(), Files.readString(words));
    }
}
