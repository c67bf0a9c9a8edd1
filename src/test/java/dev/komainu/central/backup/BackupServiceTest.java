package dev.komainu.central.backup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralApplication;
import dev.komainu.central.CentralClient;
import dev.komainu.central.CentralTest;
import dev.komainu.central.access.Role;
import dev.komainu.central.access.Scope;
import dev.komainu.central.backup.table.ControlData;
import dev.komainu.central.backup.table.JdbcControlData;
import dev.komainu.central.backup.table.TableSum;
import dev.komainu.central.store.RecordStore;
import dev.komainu.central.store.SomeRecords;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.wire.RecordJson;
import java.io.IOException;
import java.io.OutputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/** Tests of backups by a complete service while batches arrive, and of a restore elsewhere. */
class BackupServiceTest extends CentralTest {

    private static final String PATH = "/api/v1/backups";

    /** Files of a data directory that a backup must not contain unchanged. */
    private static final String NOT_COPIED =
            "control\\..*|control-copies/.*|telemetry/.*|backups?/.*|enrol.*/.*|reset/.*|reserve|lease-holder";

    @TempDir
    private Path directory;

    @Autowired
    private DataSource source;

    @Autowired
    private RecordStore store;

    @Autowired
    private Backups backups;

    /** One acknowledged batch. */
    private record Acknowledged(long sequence, Instant at) {}

    private void send(String token, ConcurrentLinkedQueue<Acknowledged> acknowledged, long sequence)
            throws IOException, InterruptedException {
        Batch batch = new SomeRecords(sequence)
                .batch("backup@test", sequence, 20, SomeRecords.START, SomeRecords.SECOND);
        String lines =
                batch.records().stream().map(RecordJson::write).collect(Collectors.joining("\n"));
        CentralClient client = stranger().withToken(token);
        HttpResponse<String> answer = client.http()
                .send(
                        client.request("/api/v1/ingest")
                                .header("Content-Type", "application/x-ndjson")
                                .header("Komainu-Batch", "backup@test/1/" + sequence)
                                .POST(HttpRequest.BodyPublishers.ofString(lines))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        acknowledged.add(new Acknowledged(sequence, Instant.now()));
    }

    private JsonNode awaitEnd(CentralClient browser) {
        return Awaitility.await("end of the backup")
                .atMost(Duration.ofSeconds(120))
                .until(
                        () -> browser.get(PATH).expect(200).json(),
                        answer ->
                                !answer.path("newest").path("state").asString().equals("running"));
    }

    private static Map<String, TableSum> tables(DataSource source) throws Exception {
        Map<String, TableSum> sums = new TreeMap<>();
        new JdbcControlData(source).export(new ControlData.Sink() {
            @Override
            public OutputStream open(String table) {
                return OutputStream.nullOutputStream();
            }

            @Override
            public void written(String table, TableSum sum) {
                sums.put(table, sum);
            }
        });
        return sums;
    }

    @Test
    void backup_underLoad_isRestoredElsewhereWithAllThatWasAcknowledged() throws Exception {
        CentralClient admin = browser(Role.ADMINISTRATOR);
        newcomer("backup-user", Role.VIEWER);
        String token = token(Scope.INGEST);
        ConcurrentLinkedQueue<Acknowledged> acknowledged = new ConcurrentLinkedQueue<>();
        AtomicBoolean ending = new AtomicBoolean();
        List<Throwable> failures = new ArrayList<>();
        Thread sender = Thread.ofPlatform().start(() -> {
            try {
                for (long sequence = 1; !ending.get(); sequence++) {
                    send(token, acknowledged, sequence);
                }
            } catch (IOException | InterruptedException | AssertionError e) {
                failures.add(e);
            }
        });
        JsonNode answer;
        try {
            Awaitility.await("the first batches").until(() -> acknowledged.size() > 5);
            admin.post(PATH, Map.of("encrypted", false)).expect(202);
            answer = awaitEnd(admin);
        } finally {
            ending.set(true);
            sender.join();
        }
        assertThat(failures).isEmpty();
        assertThat(answer.path("newest").path("state").asString())
                .as(answer.toString())
                .isEqualTo("complete");
        Path backup = Path.of(answer.path("newest").path("directory").asString());
        JsonNode listed = answer.path("items")
                .valueStream()
                .filter(item ->
                        item.path("name").asString().equals(backup.getFileName().toString()))
                .findFirst()
                .orElseThrow();
        assertThat(listed.path("complete").asBoolean()).isTrue();
        Instant until = Instant.parse(listed.path("telemetry").asString());
        FinishedBackup finished = FinishedBackup.open(backup, null);
        assertThat(BackupVerification.faults(finished)).isEmpty();
        assertOwnFilesAreIn(finished);

        Path restored = directory.resolve("restored");
        new Restore(finished, restored, line -> {}).run();
        try (ConfigurableApplicationContext elsewhere = new SpringApplicationBuilder(
                        CentralApplication.class)
                .run(
                        "--komainu.data=" + restored,
                        "--komainu.bootstrap-tokens=" + directory.resolve("tokens"),
                        "--server.port=0")) {
            int port = ((WebServerApplicationContext) elsewhere).getWebServer().getPort();
            CentralClient.at(port)
                    .login("backup-user", PASSWORD)
                    .get("/api/v1/services")
                    .expect(200);
            RecordStore there = elsewhere.getBean(RecordStore.class);
            List<Acknowledged> before = acknowledged.stream()
                    .filter(each -> each.at().isBefore(until))
                    .toList();
            assertThat(before).isNotEmpty();
            for (Acknowledged each : before) {
                assertThat(there.append(SomeRecords.batch("backup@test", each.sequence())))
                        .as("batch %d", each.sequence())
                        .isEqualTo(RecordStore.Outcome.DUPLICATE);
            }
            assertThat(tables(elsewhere.getBean(DataSource.class)).keySet())
                    .isEqualTo(tables(source).keySet());
        }
        assertThat(store.storage().damagedFiles()).isZero();
    }

    /** A new file of the service must be backed up, or stand on the list of this test. */
    private void assertOwnFilesAreIn(FinishedBackup backup) throws IOException {
        Set<String> copied = backup.manifest().parts().stream()
                .map(part -> part.name().replaceFirst("^files/", ""))
                .collect(Collectors.toSet());
        try (Stream<Path> files = Files.walk(data())) {
            assertThat(files.filter(Files::isRegularFile)
                            .map(file -> data().relativize(file).toString())
                            .filter(name -> !name.matches(NOT_COPIED)))
                    .isNotEmpty()
                    .allSatisfy(name -> assertThat(copied).contains(name));
        }
    }

    @Test
    void create_withoutAConfirmedPasswordOrAPassphrase_isRefused() {
        CentralClient admin = browser(Role.ADMINISTRATOR);
        assertThat(admin.post(PATH, Map.of("encrypted", true)).expect(400).body())
                .contains("komainu.backup.passphrase-file");
        assertThat(admin.post(PATH, Map.of()).expect(400).body()).contains("encrypted");
        machine(Scope.ADMIN).post(PATH, Map.of("encrypted", false)).expect(403);
        browser(Role.OPERATOR).get(PATH).expect(403);
    }

    @Test
    void request_byAFile_isAnsweredWithProgressAndEnd() throws Exception {
        Path passphrase =
                Files.writeString(directory.resolve("passphrase"), "correct horse battery\n");
        Path target = directory.resolve("by-file");
        String done = answer(
                "a", "directory=" + target + "\npassphrase-file=" + passphrase + "\n", ".done");
        assertThat(done).contains("encrypted", "each batch acknowledged before is in it");
        assertThat(BackupVerification.faults(
                        FinishedBackup.open(target, BackupKey.passphrase(passphrase))))
                .isEmpty();

        assertThat(answer("b", "directory=" + target + "\n", ".failed"))
                .contains("holds a complete backup");
        assertThat(answer("c", "directory=relative\n", ".failed"))
                .contains("directory: relative (expected: an absolute path)");
        assertThat(answer("d", "color=red\n", ".failed")).contains("directory: none");
        assertThat(JdbcClient.create(source)
                        .sql(
                                "select count(*) from audit where action = 'backup.create' and subject = ?")
                        .param(target.toString())
                        .query(Long.class)
                        .single())
                .isPositive();
    }

    private String answer(String name, String content, String end) throws IOException {
        Path requests = data().resolve("backup");
        Path file = requests.resolve(name + "-test" + end);
        Path fresh = requests.resolve(name + "-test.new");
        Awaitility.await("an earlier backup")
                .atMost(Duration.ofSeconds(120))
                .until(() -> backups.newest().filter(BackupRun::isRunning).isEmpty());
        Files.writeString(fresh, content, StandardCharsets.UTF_8);
        Files.move(fresh, requests.resolve(name + "-test.request"));
        Awaitility.await(end).atMost(Duration.ofSeconds(120)).until(() -> Files.exists(file));
        String text = Files.readString(file);
        Files.delete(file);
        return text;
    }
}
