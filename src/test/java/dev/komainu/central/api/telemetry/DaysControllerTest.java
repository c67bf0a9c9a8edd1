package dev.komainu.central.api.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.central.access.AccessSettings;
import dev.komainu.central.access.Audit;
import dev.komainu.central.access.AuditOrigin;
import dev.komainu.central.access.Caller;
import dev.komainu.central.api.problem.CutOffException;
import dev.komainu.central.audit.AuditEntry;
import dev.komainu.central.audit.AuditLog;
import dev.komainu.central.audit.AuditSettings;
import dev.komainu.central.control.ControlEngine;
import dev.komainu.central.store.DayExports;
import dev.komainu.central.store.DuckStore;
import dev.komainu.central.store.ExportKind;
import dev.komainu.central.store.SettableClock;
import dev.komainu.central.store.SomeRecords;
import dev.komainu.central.store.StoreSettings;
import dev.komainu.settings.SettingReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.mock.web.MockHttpServletResponse;

/** The export of a closed day, with a clock that passes a day. */
class DaysControllerTest {

    private static final Caller CALLER =
            new Caller("ann", Caller.Kind.TOKEN, Set.of(), null, AuditOrigin.SELF, null, null);

    @TempDir
    private Path directory;

    private final SettableClock clock = new SettableClock("2026-11-21T10:00:00Z");
    private Audit audit;
    private DuckStore store;

    @BeforeEach
    void closedDay() throws Exception {
        DataSource database = ControlEngine.ofThisRun().fresh();
        audit = new Audit(
                new AuditLog(
                        JdbcClient.create(database),
                        new DataSourceTransactionManager(database),
                        AuditSettings.read(SettingReader.ofDefaults(), Path.of("unused")),
                        clock),
                AccessSettings.read(SettingReader.ofDefaults(), directory));
        store = new DuckStore(StoreSettings.of(directory.resolve("telemetry")), clock);
        SomeRecords some = new SomeRecords(1);
        store.append(SomeRecords.batch("agent", 1, some.connection(5), some.connection(6)));
        clock.pass(Duration.ofDays(1));
        store.append(SomeRecords.batch("agent", 2));
    }

    @AfterEach
    void close() {
        store.close();
    }

    private List<AuditEntry> exports() {
        return audit.list(Long.MAX_VALUE, 100).stream()
                .filter(entry -> entry.action().equals("telemetry.export"))
                .toList();
    }

    @Test
    void closedDay_isSentAsAFileAndEntersTheAuditLog() throws Exception {
        MockHttpServletResponse response = new MockHttpServletResponse();

        new DaysController(store, store, audit)
                .export(CALLER, "2026-11-21", "connections", response);

        assertThat(response.getContentType()).isEqualTo("application/vnd.apache.parquet");
        assertThat(response.getHeader("Content-Disposition"))
                .isEqualTo("attachment; filename=\"2026-11-21-connections.parquet\"");
        Path file = Files.write(directory.resolve("file"), response.getContentAsByteArray());
        try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT count(*) FROM read_parquet('" + file + "')")) {
            row.next();
            assertThat(row.getInt(1)).isEqualTo(2);
        }
        assertThat(exports()).singleElement().satisfies(entry -> {
            assertThat(entry.actor()).isEqualTo("ann");
            assertThat(entry.subject()).isEqualTo("2026-11-21 connections");
        });
    }

    /** Without the end of the response a client knows that it has a part only. */
    @Test
    void failureAfterTheBeginning_cutsTheResponseOff() {
        MockHttpServletResponse response = new MockHttpServletResponse();
        DayExports failing = new DayExports() {
            @Override
            public List<StoredDay> storedDays() {
                return List.of();
            }

            @Override
            public void export(LocalDate day, ExportKind kind, Target target) throws IOException {
                target.open().write(new byte[1]);
                response.flushBuffer();
                throw new IOException("disk full");
            }
        };

        assertThatThrownBy(() -> new DaysController(store, failing, audit)
                        .export(CALLER, "2026-11-21", "windows", response))
                .isInstanceOf(CutOffException.class)
                .hasMessage("response cut off: disk full");
    }
}
