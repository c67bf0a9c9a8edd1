package dev.komainu.central.store;

import dev.komainu.telemetry.record.AccessLogWindow;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.ClusterView;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.HttpExchange;
import dev.komainu.telemetry.record.OrderOutcome;
import dev.komainu.telemetry.record.ProxyExchange;
import dev.komainu.telemetry.record.ProxyWindow;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.SourceStatus;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.record.WindowParts;
import dev.komainu.telemetry.wire.RecordCodec;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;

/**
 * The insertion of batches into one day file within the open transaction of its connection. Used
 * for one group, by the writer thread.
 *
 * <p>A record's key consists of its batch's ordinal (a number that grows over all files) and its
 * place in the batch: 44 and 20 bits. So keys grow with arrival and are never reused.
 */
final class Rows implements AutoCloseable {

    static final int SERVICE_WINDOW = 1;
    static final int PROXY_WINDOW = 2;
    static final int HOST_SAMPLE = 1;
    static final int SIGHTING = 2;
    static final int STATUS = 3;
    static final int ACCESS_LOG = 4;
    static final int ORDER_OUTCOME = 5;
    static final int KEY_BITS = 20;

    /** Stored value for "no response time": lower than every filter value. */
    static final long ABSENT = -1;

    private final DuckDBConnection connection;
    private final DayFile file;
    private final Map<String, DuckDBAppender> appenders = new HashMap<>();

    Rows(DuckDBConnection connection, DayFile file) {
        this.connection = connection;
        this.file = file;
    }

    private DuckDBAppender into(String table) throws SQLException {
        DuckDBAppender appender = appenders.get(table);
        if (appender == null) {
            appender = connection.createAppender(file.name(), "main", table);
            appenders.put(table, appender);
        }
        return appender.beginRow();
    }

    void write(Batch batch, long ordinal, long receivedMicros) throws SQLException {
        into("batches")
                .append(batch.id().source())
                .append(batch.id().epoch())
                .append(batch.id().sequence())
                .append(ordinal)
                .append(receivedMicros)
                .append(batch.records().size())
                .endRow();
        long key = ordinal << KEY_BITS;
        for (TelemetryRecord record : batch.records()) {
            write(record, batch.id().source(), key++);
        }
    }

    private void write(TelemetryRecord record, String source, long key) throws SQLException {
        byte[] body = RecordCodec.encode(record);
        switch (record) {
            case ConnectionRecord connection ->
                into("connections")
                        .append(key)
                        .append(connection.atMicros())
                        .append(Objects.requireNonNullElse(connection.service(), ""))
                        .append(source)
                        .append(connection.client().address().getHostAddress())
                        .append((byte) connection.state().ordinal())
                        .append(connection.times().durationMicros())
                        .append(slowest(connection))
                        .append(targets(connection))
                        .append(body)
                        .endRow();
            case ProxyExchange exchange ->
                into("exchanges")
                        .append(key)
                        .append(exchange.atMicros())
                        .append(exchange.service())
                        .append(source)
                        .append(exchange.client().address().getHostAddress())
                        .append((byte) exchange.outcome().ordinal())
                        .append(exchange.responseMicros())
                        .append(exchange.target())
                        .append(body)
                        .endRow();
            case ServiceWindow window ->
                window(SERVICE_WINDOW, key, window.fromMicros(), window.service(), source, body);
            case ProxyWindow window ->
                window(PROXY_WINDOW, key, window.fromMicros(), window.service(), source, body);
            case HostSample sample ->
                fact(HOST_SAMPLE, key, sample.atMicros(), sample.node(), source, body);
            case AccessLogWindow window ->
                fact(ACCESS_LOG, key, window.fromMicros(), window.service(), source, body);
            case ServiceSighting sighting ->
                fact(SIGHTING, key, sighting.atMicros(), sighting.service(), source, body);
            case OrderOutcome outcome ->
                fact(ORDER_OUTCOME, key, outcome.atMicros(), outcome.service(), source, body);
            // Views describe the present, once a second. Their events are stored in the control
            // database.
            case ClusterView view -> {}
            // The sum of what several sources saw is stored as a window.
            case WindowParts parts -> {}
            case SourceStatus status ->
                fact(STATUS, key, status.atMicros(), status.node(), source, body);
        }
    }

    static long slowest(ConnectionRecord connection) {
        long slowest = ABSENT;
        for (HttpExchange exchange : connection.exchanges()) {
            Long response = exchange.responseMicros();
            if (response != null) {
                slowest = Math.max(slowest, response);
            }
        }
        return slowest;
    }

    static String targets(ConnectionRecord connection) {
        return connection.exchanges().stream()
                .map(HttpExchange::target)
                .filter(Objects::nonNull)
                .distinct()
                .collect(Collectors.joining("\n"));
    }

    private void window(int kind, long key, long from, String service, String source, byte[] body)
            throws SQLException {
        into("windows")
                .append(key)
                .append((byte) kind)
                .append(from)
                .append(service)
                .append(source)
                .append(body)
                .endRow();
    }

    private void fact(int kind, long key, long at, String subject, String source, byte[] body)
            throws SQLException {
        into("facts")
                .append(key)
                .append((byte) kind)
                .append(at)
                .append(subject)
                .append(source)
                .append(body)
                .endRow();
    }

    <W extends TelemetryRecord> void rollUp(
            int kind, Summation<W> summation, RollUps.Piece<W> piece) throws SQLException {
        W window = piece.part().window();
        into("rollups")
                .append((byte) kind)
                .append(summation.fromMicros(window))
                .append(piece.part().coveredMicros())
                .append(summation.service(window))
                .append(piece.source())
                .append(RecordCodec.encode(window))
                .endRow();
    }

    void rolled(long ordinal) throws SQLException {
        into("rolled").append(ordinal).endRow();
    }

    /** Flushes all rows into the transaction. */
    @Override
    public void close() throws SQLException {
        for (DuckDBAppender appender : appenders.values()) {
            appender.close();
        }
        appenders.clear();
    }
}
