package dev.komainu.central.store;

import dev.komainu.central.clickhouse.ClickHouseClient;
import dev.komainu.central.clickhouse.RowBinaryWriter;
import dev.komainu.telemetry.record.AccessLogWindow;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.ClusterView;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.HostSample;
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
import java.time.LocalDate;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** The rows of one commit, by table, until they are inserted. Used by the writer thread. */
final class ClickHouseRows {

    private final LocalDate day;
    private final Map<String, RowBinaryWriter> tables = new LinkedHashMap<>();

    ClickHouseRows(LocalDate day) {
        this.day = day;
    }

    /** Inserts the rows, table by table; each table's rows are one part. */
    void insert(ClickHouseClient client) throws SQLException {
        for (Map.Entry<String, RowBinaryWriter> table : tables.entrySet()) {
            client.insert(table.getKey(), table.getValue().toByteArray());
        }
    }

    private RowBinaryWriter into(String table) {
        return tables.computeIfAbsent(table, name -> new RowBinaryWriter()).date(day);
    }

    /** Adds the records of a batch, without its name. */
    void add(Batch batch, long ordinal) {
        long key = ordinal << Rows.KEY_BITS;
        for (TelemetryRecord record : batch.records()) {
            add(record, batch.id().source(), key++);
        }
    }

    private void add(TelemetryRecord record, String source, long key) {
        byte[] body = RecordCodec.encode(record);
        switch (record) {
            case ConnectionRecord connection ->
                into(ClickHouseTables.CONNECTIONS)
                        .int64(key)
                        .int64(connection.atMicros())
                        .text(Objects.requireNonNullElse(connection.service(), ""))
                        .text(source)
                        .text(connection.client().address().getHostAddress())
                        .int8(connection.state().ordinal())
                        .int64(connection.times().durationMicros())
                        .int64(Rows.slowest(connection))
                        .text(Rows.targets(connection))
                        .bytes(body);
            case ProxyExchange exchange ->
                into(ClickHouseTables.EXCHANGES)
                        .int64(key)
                        .int64(exchange.atMicros())
                        .text(exchange.service())
                        .text(source)
                        .text(exchange.client().address().getHostAddress())
                        .int8(exchange.outcome().ordinal())
                        .int64(exchange.responseMicros())
                        .text(exchange.target())
                        .bytes(body);
            case ServiceWindow window ->
                window(
                        Rows.SERVICE_WINDOW,
                        key,
                        window.fromMicros(),
                        window.service(),
                        source,
                        body);
            case ProxyWindow window ->
                window(Rows.PROXY_WINDOW, key, window.fromMicros(), window.service(), source, body);
            case HostSample sample ->
                fact(Rows.HOST_SAMPLE, key, sample.atMicros(), sample.node(), source, body);
            case AccessLogWindow window ->
                fact(Rows.ACCESS_LOG, key, window.fromMicros(), window.service(), source, body);
            case ServiceSighting sighting ->
                fact(Rows.SIGHTING, key, sighting.atMicros(), sighting.service(), source, body);
            case OrderOutcome outcome ->
                fact(Rows.ORDER_OUTCOME, key, outcome.atMicros(), outcome.service(), source, body);
            case ClusterView view -> {}
            case WindowParts parts -> {}
            case SourceStatus status ->
                fact(Rows.STATUS, key, status.atMicros(), status.node(), source, body);
        }
    }

    private void window(int kind, long key, long from, String service, String source, byte[] body) {
        into(ClickHouseTables.WINDOWS)
                .int64(key)
                .int8(kind)
                .int64(from)
                .text(service)
                .text(source)
                .bytes(body);
    }

    private void fact(int kind, long key, long at, String subject, String source, byte[] body) {
        into(ClickHouseTables.FACTS)
                .int64(key)
                .int8(kind)
                .int64(at)
                .text(subject)
                .text(source)
                .bytes(body);
    }

    /** Adds the name of a batch, which makes its records count once it is inserted. */
    void name(Batch batch, long ordinal, long receivedMicros, CommittedRows.Day instants) {
        into(ClickHouseTables.BATCHES)
                .text(batch.id().source())
                .int64(batch.id().epoch())
                .int64(batch.id().sequence())
                .int64(ordinal)
                .int64(receivedMicros)
                .int32(batch.records().size())
                .int64(instants.first())
                .int64(instants.last());
    }

    <W extends TelemetryRecord> void rollUp(
            int kind, Summation<W> summation, RollUps.Piece<W> piece, long key) {
        W window = piece.part().window();
        into(ClickHouseTables.ROLL_UPS)
                .int64(key)
                .int8(kind)
                .int64(summation.fromMicros(window))
                .int64(piece.part().coveredMicros())
                .text(summation.service(window))
                .text(piece.source())
                .bytes(RecordCodec.encode(window));
    }

    /** Adds the mark that makes roll-ups count. */
    void rolled(long ordinal, long upTo, CommittedRows.Day instants) {
        into(ClickHouseTables.ROLLED)
                .int64(ordinal)
                .int64(upTo)
                .int64(instants.first())
                .int64(instants.last());
    }

    void voided(CommittedRows.Ordinals range) {
        into(ClickHouseTables.VOIDED).int64(range.first()).int64(range.last());
    }

    void run(long number, String name) {
        into(ClickHouseTables.RUNS).int64(number).text(name);
    }

    /** Returns the instants by which the records of a batch are found. */
    static CommittedRows.Day instants(Batch batch) {
        CommittedRows.Day day = CommittedRows.Day.EMPTY;
        for (TelemetryRecord record : batch.records()) {
            long at = record.atMicros();
            long filed = FilingInstant.fromOf(record);
            day = day.with(0, Math.min(at, filed), Math.max(at, filed));
        }
        return day.with(1, day.first(), day.last());
    }
}
