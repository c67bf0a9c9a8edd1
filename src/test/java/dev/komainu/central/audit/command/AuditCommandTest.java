package dev.komainu.central.audit.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.komainu.central.audit.AuditDatabase;
import dev.komainu.central.audit.AuditEntry;
import dev.komainu.central.audit.AuditHead;
import dev.komainu.central.audit.AuditLog;
import dev.komainu.central.audit.EntryJson;
import dev.komainu.central.audit.HeadFile;
import dev.komainu.central.audit.SignedHead;
import dev.komainu.central.order.OrderKeys;
import dev.komainu.central.order.OrderSettings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the command: exports, the database of a stopped service, a running service, heads. */
class AuditCommandTest {

    private static final Instant AT = Instant.parse("2026-11-26T07:00:00Z");

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir
    private Path data;

    private Path export;
    private AuditHead head;
    private OrderKeys keys;

    @BeforeEach
    void setUp() throws IOException {
        keys = new OrderKeys(
                new OrderSettings(Duration.ofMinutes(5), data.resolve("order-key"), 0));
        export = data.resolve("export.ndjson");
        try (AuditDatabase database = database()) {
            AuditLog log = database.migrated()
                    .log(AuditDatabase.settings(10_000, 10, Path.of("unused")), Clock.systemUTC());
            for (int i = 0; i < 8; i++) {
                log.append(AuditDatabase.draft("admin", "action." + i));
            }
            head = log.rows().head();
            StringBuilder lines = new StringBuilder();
            for (Iterator<AuditEntry> rows = log.rows().all(); rows.hasNext(); ) {
                lines.append(EntryJson.line(rows.next())).append('\n');
            }
            Files.writeString(export, lines);
        }
        new HeadFile(data.resolve("audit-head.log")).append(signed(head));
    }

    private AuditDatabase database() {
        return new AuditDatabase("jdbc:h2:file:" + data.toAbsolutePath().resolve("control"));
    }

    private SignedHead signed(AuditHead of) {
        return new SignedHead(AT, of, keys.sign(SignedHead.CONTEXT, SignedHead.signed(AT, of)));
    }

    private int run(String... arguments) {
        out.reset();
        err.reset();
        return new AuditCommand(
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8),
                        Map.of())
                .run(arguments);
    }

    private String output() {
        return out.toString(StandardCharsets.UTF_8) + err.toString(StandardCharsets.UTF_8);
    }

    @Test
    void export_untouched_exitsWith0() {
        assertThat(run("verify", "--file", export.toString(), "--head", head.toString()))
                .as(output())
                .isZero();
        assertThat(output()).contains("rows #1 to #8: 8").contains("1 compared");
    }

    @Test
    void export_withoutAHead_saysWhatItDoesNotFind() {
        assertThat(run("verify", "--file", export.toString())).isZero();
        assertThat(output()).contains("Without a head from outside");
    }

    @Test
    void attack_exportWithAChangedRow_exitsWith1AndNamesIt() throws IOException {
        Files.writeString(export, Files.readString(export).replace("action.4", "action.5"));

        assertThat(run("verify", "--file=" + export)).isEqualTo(1);
        assertThat(output()).contains("NOT COMPLETE: #5 changed");
    }

    @Test
    void attack_exportCutOff_isFoundByTheHead() throws IOException {
        List<String> lines = Files.readAllLines(export);
        Files.write(export, lines.subList(0, 5));

        assertThat(run("verify", "--file", export.toString())).isZero();
        assertThat(run("verify", "--file", export.toString(), "--head", head.toString()))
                .isEqualTo(1);
        assertThat(output()).contains("#6 cut-off");
    }

    @Test
    void export_withALineThatIsNoEntry_exitsWith3() throws IOException {
        Files.writeString(export, "at,actor\n", StandardOpenOption.APPEND);

        assertThat(run("verify", "--file", export.toString())).isEqualTo(3);
        assertThat(output()).contains("line 9: no audit entry");
    }

    @Test
    void stoppedService_databaseAndHeadFile_areComparedWithoutOptions() {
        assertThat(run("verify", "--data", data.toString())).as(output()).isZero();
        assertThat(output()).contains("control.mv.db").contains("newest #8");
    }

    @Test
    void attack_databaseCutOffWithItsOwnHead_isFoundByTheHeadFile() {
        try (AuditDatabase database = opened()) {
            String hash = database.jdbc
                    .sql("select hash from audit where sequence = 6")
                    .query(String.class)
                    .single();
            database.jdbc.sql("delete from audit where sequence > 6").update();
            database.jdbc
                    .sql("update audit_chain set sequence = 6, hash = ?")
                    .param(hash)
                    .update();
        }

        assertThat(run("verify", "--data", data.toString())).isEqualTo(1);
        assertThat(output()).contains("#7 cut-off");
    }

    /** Opens the database that {@link #setUp} made. */
    private AuditDatabase opened() {
        return AuditDatabase.existing("jdbc:h2:file:" + data.toAbsolutePath().resolve("control"));
    }

    @Test
    void runningService_withoutAToken_isToldThatItsDatabaseIsLocked() throws IOException {
        try (FileChannel file =
                        FileChannel.open(data.resolve("control.mv.db"), StandardOpenOption.WRITE);
                FileLock lock = file.lock()) {
            assertThat(lock.isValid()).isTrue();
            assertThat(run("verify", "--data", data.toString())).isEqualTo(3);
        }
        assertThat(output()).contains("--token-file");
    }

    @Test
    void runningService_withAToken_isAskedForItsExport() throws IOException {
        HttpServer central =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        central.createContext("/api/v1/audit", exchange -> {
            boolean right = "Bearer the-token"
                            .equals(exchange.getRequestHeaders().getFirst("Authorization"))
                    && "application/x-ndjson"
                            .equals(exchange.getRequestHeaders().getFirst("Accept"));
            byte[] body = right ? Files.readAllBytes(export) : new byte[0];
            exchange.sendResponseHeaders(right ? 200 : 401, right ? body.length : -1);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        central.start();
        Path token = data.resolve("token");
        try {
            String url = "http://127.0.0.1:" + central.getAddress().getPort();
            Files.writeString(token, "the-token\n");
            assertThat(run(
                            "verify",
                            "--central",
                            url,
                            "--token-file",
                            token.toString(),
                            "--data",
                            data.toString()))
                    .as(output())
                    .isZero();
            assertThat(output()).contains("export of " + url).contains("newest #8");

            Files.writeString(token, "another\n");
            assertThat(run(
                            "verify",
                            "--central",
                            url,
                            "--token-file",
                            token.toString(),
                            "--data",
                            data.resolve("none").toString()))
                    .isEqualTo(3);
            assertThat(output()).contains("scope admin");
        } finally {
            central.stop(0);
        }
    }

    @Test
    void attack_headFileWithAForgedHead_isFoundByTheKey() throws IOException {
        Path heads = data.resolve("heads");
        new HeadFile(heads).append(signed(head));
        assertThat(run(
                        "verify",
                        "--file",
                        export.toString(),
                        "--head-file",
                        heads.toString(),
                        "--key",
                        keys.publicText()))
                .as(output())
                .isZero();

        new HeadFile(heads)
                .append(new SignedHead(AT.plusSeconds(1), head, signed(head).signature()));
        assertThat(run(
                        "verify",
                        "--file",
                        export.toString(),
                        "--head-file",
                        heads.toString(),
                        "--key",
                        keys.publicText()))
                .isEqualTo(1);
        assertThat(output()).contains("1 heads of the file are not signed");
    }

    @Test
    void wrongUsage_exitsWith2() {
        assertThat(run("check")).isEqualTo(2);
        assertThat(run("verify", "--head", "12:abc")).isEqualTo(2);
        assertThat(run("verify", "--files", "x")).isEqualTo(2);
        assertThat(run("verify", "--file")).isEqualTo(2);
        assertThat(run("--help")).isZero();
        assertThat(output()).contains("Exit codes");
    }
}
