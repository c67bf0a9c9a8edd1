package dev.komainu.central;

import static dev.komainu.telemetry.kit.FreePort.freePort;
import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.control.PostgresqlServer;
import dev.komainu.telemetry.kit.Signals;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;

/**
 * A central service as a process of its own, with its control data on PostgreSQL.
 *
 * @param directory its data directory
 * @param output file of its output
 * @param command with which it was started
 */
public record CentreProcess(
        String name, int port, Path directory, Path output, List<String> command, Process process)
        implements AutoCloseable {

    private static final Pattern EPOCH = Pattern.compile("judges from now on: epoch (\\d+)");

    /** The administrator's password after {@link #administrator}. */
    static final String PASSWORD = "correct horse battery";

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /**
     * Starts a service.
     *
     * @param parent directory in which it gets one of its own
     * @param shared whether it may wait for the lease of another one
     * @param more further settings, {@code --NAME=VALUE}
     */
    public static CentreProcess start(
            Path parent,
            String name,
            PostgresqlServer server,
            String database,
            boolean shared,
            String... more)
            throws IOException {
        int port = freePort();
        Path output = parent.resolve(name + "-" + port + ".log");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-Xmx400m",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                System.getProperty("java.class.path"),
                CentralApplication.class.getName(),
                "--komainu.listen=127.0.0.1:" + port,
                "--komainu.data=" + parent.resolve(name),
                "--komainu.bootstrap-tokens=" + parent.resolve(name + "-tokens"),
                "--komainu.bootstrap-parts=any",
                "--komainu.control.url=" + server.url(database),
                "--komainu.control.user=" + PostgresqlServer.USER,
                "--komainu.control.password-file=" + server.passwordFile()));
        if (shared) {
            command.add("--komainu.lease.address=http://127.0.0.1:" + port);
        }
        command.addAll(List.of(more));
        return new CentreProcess(
                name, port, parent.resolve(name), output, command, begin(command, output));
    }

    private static Process begin(List<String> command, Path output) throws IOException {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
                .start();
    }

    /** Returns the service after it was started again on its port; itself while it runs. */
    CentreProcess again() {
        try {
            return process.isAlive()
                    ? this
                    : new CentreProcess(
                            name, port, directory, output, command, begin(command, output));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the newest epoch in which it judges; 0 if it never did or does not run. */
    long epoch() {
        return process.isAlive()
                ? EPOCH.matcher(said())
                        .results()
                        .mapToLong(each -> Long.parseLong(each.group(1)))
                        .max()
                        .orElse(0)
                : 0;
    }

    CentralClient stranger() {
        return CentralClient.at(port);
    }

    /** Reports whether its output contains a text. */
    public boolean says(String text) {
        try {
            return Files.readString(output).contains(text);
        } catch (IOException e) {
            return false;
        }
    }

    private String said() {
        try {
            return Files.readString(output);
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** Returns the file of its token for parts of every name. */
    public Path ingestToken() {
        return directory.resolveSibling(name + "-tokens").resolve("ingest.token");
    }

    /** Waits until it has taken the lease, and answers. */
    public void awaitJudge(long epoch) {
        Awaitility.await(name + " judges")
                .atMost(PATIENCE)
                .until(() -> says("judges from now on: epoch " + epoch));
        awaitAnswers();
    }

    /** Waits until it answers by itself or through the other one. */
    public void awaitAnswers() {
        Awaitility.await(name + " answers")
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(
                                status(stranger().request("/api/v1/services").GET()))
                        .as(this::said)
                        .isEqualTo(401));
    }

    /**
     * Sends a request, and returns its status; 0 without a response. Not by the client's own
     * methods, because the service may be on its way.
     */
    int status(HttpRequest.Builder request) {
        try {
            return stranger()
                    .http()
                    .send(
                            request.timeout(Duration.ofSeconds(10)).build(),
                            HttpResponse.BodyHandlers.discarding())
                    .statusCode();
        } catch (IOException e) {
            return 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Gives the first administrator a password, and logs in. */
    public CentralClient administrator() throws IOException {
        String oneTime = Files.readString(directory.resolve("first-password")).strip();
        stranger()
                .login("admin", oneTime)
                .put(
                        "/api/v1/session/password",
                        Map.of("currentPassword", oneTime, "newPassword", PASSWORD))
                .expect(204);
        return login();
    }

    /** Logs in as the administrator. */
    public CentralClient login() {
        return stranger().login("admin", PASSWORD);
    }

    /** Stops it where it is, as a machine that hangs. */
    public void freeze() {
        Signals.freeze(process);
    }

    public void thaw() {
        Signals.thaw(process);
    }

    /** Kills it, as {@code kill -9} does. */
    @Override
    public void close() {
        try {
            process.destroyForcibly().waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
