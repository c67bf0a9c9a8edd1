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

/** Signals and exit codes, tested with a separate JVM that ends by them. */
class CommandProcessTest {

    private Process process;
    private BufferedReader lines;

    @AfterEach
    void tearDown() {
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

    private void expectLines(String... expected) throws IOException {
        for (String line : expected) {
            assertThat(lines.readLine()).isEqualTo(line);
        }
    }

    /** A signal may be handled late, so there may be one reload more. */
    private void awaitLine(String expected) throws IOException {
        String line = lines.readLine();
        while ("reload".equals(line)) {
            line = lines.readLine();
        }
        assertThat(line).isEqualTo(expected);
    }

    private void proceed() throws IOException {
        process.outputWriter(StandardCharsets.UTF_8).append('\n').flush();
    }

    /** Sends by number: under a Turkish locale kill(1) of procps does not recognize some names. */
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
    void term_commandEnds_codeIsZeroOrTheSignals() throws Exception {
        start("ZERO", "0", "3600", "stop");
        expectLines("starting");
        proceed();
        expectLines("serving");
        signal(15);
        expectLines("stopping", "ended");
        assertThat(exitCode()).isZero();

        start("SIGNAL", "0", "3600", "stop");
        expectLines("starting");
        proceed();
        expectLines("serving");
        signal(15);
        expectLines("stopping", "ended");
        assertThat(exitCode()).isEqualTo(143);
    }

    @Test
    void term_commandFailsAtItsEnd_codeIsTheSignals() throws Exception {
        start("ZERO", "1", "3600", "stop");
        expectLines("starting");
        proceed();
        expectLines("serving");
        signal(15);
        expectLines("stopping", "ended");
        assertThat(exitCode()).isEqualTo(143);
    }

    @Test
    void term_commandDoesNotEnd_processEndsAfterTheTimeout() throws Exception {
        start("ZERO", "0", "1", "forever");
        expectLines("starting");
        proceed();
        expectLines("serving");
        signal(15);
        expectLines("stopping");
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
        expectLines("starting");
        signal(1);
        proceed();
        awaitLine("serving");
        signal(1);
        expectLines("reload");
        signal(15);
        awaitLine("stopping");
        expectLines("ended");
        assertThat(exitCode()).isZero();
    }

    @Test
    void report_failure_isASettingsErrorExceptForAnAddress() {
        assertThat(ExitCode.report(List.of("workers: none (expected: a whole number)")))
                .isEqualTo(2);
        assertThat(ExitCode.report(new IOException("control.token-file: x"))).isEqualTo(2);
        assertThat(ExitCode.report(new BindException("listen: x"))).isEqualTo(3);
    }
}
