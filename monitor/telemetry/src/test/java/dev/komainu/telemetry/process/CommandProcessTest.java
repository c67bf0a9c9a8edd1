package dev.komainu.telemetry.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.BindException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Signals and exit codes, of a JVM that may end by them. */
class CommandProcessTest {

    private Process process;
    private BufferedReader lines;

    @AfterEach
    void end() {
        if (process != null) {
            process.destroyForcibly().onExit().join();
        }
    }

    private void start(String... arguments) throws IOException {
        ProcessBuilder command = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty(
                        "surefire.test.class.path", System.getProperty("java.class.path")),
                ServingCommand.class.getName());
        command.command().addAll(List.of(arguments));
        process = command.redirectError(ProcessBuilder.Redirect.INHERIT).start();
        lines = process.inputReader(StandardCharsets.UTF_8);
    }

    private void says(String... expected) throws IOException {
        for (String line : expected) {
            assertThat(lines.readLine()).isEqualTo(line);
        }
    }

    /** A signal may be heard late, so there may be a reload more. */
    private void awaitLine(String expected) throws IOException {
        String line = lines.readLine();
        while ("reload".equals(line)) {
            line = lines.readLine();
        }
        assertThat(line).isEqualTo(expected);
    }

    private void go() throws IOException {
        process.outputWriter(StandardCharsets.UTF_8).append('\n').flush();
    }

    /** By number: under a Turkish locale kill(1) of procps knows some names no longer. */
    private void signal(int number) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + number, Long.toString(process.pid()))
                        .start()
                        .waitFor())
                .isZero();
    }

    private int exitCode() throws Exception {
        assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
        return process.exitValue();
    }

    @Test
    void term_waitsForTheCommand_codeIsZeroOrTheSignals() throws Exception {
        start("ZERO", "0", "3600", "stop");
        says("starting");
        go();
        says("serving");
        signal(15);
        says("stopping", "ended");
        assertThat(exitCode()).isZero();

        start("SIGNAL", "0", "3600", "stop");
        says("starting");
        go();
        says("serving");
        signal(15);
        says("stopping", "ended");
        assertThat(exitCode()).isEqualTo(143);
    }

    @Test
    void term_commandFailsAtItsEnd_codeIsTheSignals() throws Exception {
        start("ZERO", "1", "3600", "stop");
        says("starting");
        go();
        says("serving");
        signal(15);
        says("stopping", "ended");
        assertThat(exitCode()).isEqualTo(143);
    }

    @Test
    void term_commandDoesNotEnd_processEndsWhenItsPatienceDoes() throws Exception {
        start("ZERO", "0", "1", "forever");
        says("starting");
        go();
        says("serving");
        signal(15);
        says("stopping");
        assertThat(exitCode()).isEqualTo(143);
        assertThat(lines.readLine()).isNull();
    }

    @Test
    void command_endsByItself_processEndsWithItsCode_atOnce() throws Exception {
        start("ZERO", "0", "3600", "end");
        assertThat(exitCode()).isZero();
        start("ZERO", "3", "3600", "end");
        assertThat(exitCode()).isEqualTo(3);
        start("SIGNAL", "1", "3600", "end");
        assertThat(exitCode()).isEqualTo(1);
    }

    @Test
    void hup_isIgnoredAtFirst_thenHandled() throws Exception {
        start("ZERO", "0", "3600", "stop");
        says("starting");
        signal(1);
        go();
        awaitLine("serving");
        signal(1);
        says("reload");
        signal(15);
        awaitLine("stopping");
        says("ended");
        assertThat(exitCode()).isZero();
    }

    @Test
    void failures_areMistakesInSettings_butForAnAddress() {
        assertThat(ExitCode.report(List.of("workers: none (expected: a whole number)")))
                .isEqualTo(2);
        assertThat(ExitCode.report(new IOException("control.token-file: x"))).isEqualTo(2);
        assertThat(ExitCode.report(new BindException("listen: x"))).isEqualTo(3);
    }
}
