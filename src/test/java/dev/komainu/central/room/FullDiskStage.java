package dev.komainu.central.room;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralApplication;
import dev.komainu.central.CentralClient;
import dev.komainu.central.store.DuckStore;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.report.Reporter;
import dev.komainu.telemetry.report.ReporterSettings;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;

/** A complete service under load, for tests that fill its disks. */
final class FullDiskStage implements AutoCloseable {

    private static final String RESERVE = "--komainu.room.reserve=";

    private static final String PASSWORD = "correct horse battery";

    private final Path work;
    private final ServletWebServerApplicationContext service;
    private final CentralClient stranger;
    private final CentralClient session;
    private final LoadingSenders senders;
    private final Reporter reporter;

    /**
     * Starts the service and its load.
     *
     * @param work directory for what is on no small disk
     * @param data directory of the service's data
     */
    FullDiskStage(Path work, Path data, String... settings) throws IOException {
        this.work = work;
        List<String> arguments = new ArrayList<>(List.of(
                "--komainu.data=" + data,
                "--komainu.bootstrap-tokens=" + work.resolve("tokens"),
                "--komainu.bootstrap-parts=any",
                "--komainu.access.login-attempts=10000",
                "--server.port=0"));
        arguments.addAll(List.of(settings));
        if (arguments.stream().noneMatch(each -> each.startsWith(RESERVE))) {
            arguments.add(RESERVE + "8MB");
        }
        service = (ServletWebServerApplicationContext)
                SpringApplication.run(CentralApplication.class, arguments.toArray(String[]::new));
        int port = service.getWebServer().getPort();
        stranger = CentralClient.at(port);
        String oneTime = Files.readString(data.resolve("first-password")).strip();
        stranger.login("admin", oneTime)
                .put(
                        "/api/v1/session/password",
                        Map.of("currentPassword", oneTime, "newPassword", PASSWORD))
                .expect(204);
        session = stranger.login("admin", PASSWORD);
        Path token = work.resolve("tokens/ingest.token");
        senders = new LoadingSenders(stranger.withToken(Files.readString(token).strip()));
        reporter = new Reporter(ReporterSettings.of(
                        URI.create("http://127.0.0.1:" + port),
                        token,
                        "agent@reporter",
                        work.resolve("reporter"))
                .withTimeouts(
                        Duration.ofSeconds(10),
                        Duration.ofMillis(50),
                        Duration.ofMillis(200),
                        Duration.ofSeconds(5)));
    }

    /** Returns the client of a session that was begun before the disk was full. */
    CentralClient session() {
        return session;
    }

    LoadingSenders senders() {
        return senders;
    }

    /** Returns the real client of agents and proxies, with its spool. */
    Reporter reporter() {
        return reporter;
    }

    <T> T bean(Class<T> type) {
        return service.getBean(type);
    }

    /** Logs in as a user who forgot the session, and returns the status. */
    int login() {
        return stranger.post("/api/v1/session", Map.of("name", "admin", "password", PASSWORD))
                .status();
    }

    /** Reports whether the alert about a place is firing, as the console shows it. */
    boolean isAlerted(String place) {
        return session.get("/api/v1/alerts")
                .expect(200)
                .json()
                .path("items")
                .valueStream()
                .anyMatch(alert -> alert.path("kind").asString().equals("disk-full")
                        && alert.path("subject").asString().equals(place));
    }

    /** Returns the ended alerts about a place, as the database has them. */
    long endedAlerts(String place) {
        return session.get("/api/v1/alerts?status=ended&limit=100")
                .expect(200)
                .json()
                .path("items")
                .valueStream()
                .filter(alert -> alert.path("kind").asString().equals("disk-full")
                        && alert.path("subject").asString().equals(place))
                .count();
    }

    /** Ends the load, and checks that each acknowledged batch is stored, each once. */
    void checkEachBatchOnce() throws SQLException {
        senders.close();
        assertThat(senders.unexpected()).isEmpty();
        Map<BatchId, Integer> acknowledged = senders.acknowledged();
        Map<BatchId, Integer> stored = stored();
        assertThat(stored.values()).as("copies of each batch").allMatch(count -> count == 1);
        assertThat(stored.keySet()).containsExactlyInAnyOrderElementsOf(acknowledged.keySet());
    }

    /** Returns the names of the senders' batches, and how often each is stored. */
    private Map<BatchId, Integer> stored() throws SQLException {
        DuckStore store = service.getBean(DuckStore.class);
        Map<BatchId, Integer> stored = new HashMap<>();
        for (LocalDate day : store.days()) {
            Path copy = work.resolve(day + "-" + System.nanoTime() + ".duckdb");
            store.copy(day, copy);
            try (Connection connection = DriverManager.getConnection("jdbc:duckdb:" + copy);
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(
                            "select source, epoch, sequence from batches where source like 'agent@load%'")) {
                while (row.next()) {
                    stored.merge(
                            new BatchId(row.getString(1), row.getLong(2), row.getLong(3)),
                            1,
                            Integer::sum);
                }
            }
        }
        return stored;
    }

    @Override
    public void close() {
        senders.close();
        reporter.close();
        service.close();
    }
}
