package dev.komainu.central.store;

import dev.komainu.central.clickhouse.ClickHouseException.Kind;
import dev.komainu.central.store.RecordServerState.Condition;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.ToDoubleFunction;

/**
 * The metrics of the server that keeps the telemetry, read from its newest state at a scrape. The
 * registry does not keep the store from being collected.
 */
final class RecordServerMetrics {

    private final ObservedRecordServer server;
    private final MeterRegistry meters;

    RecordServerMetrics(ObservedRecordServer server, MeterRegistry meters) {
        this.server = server;
        this.meters = meters;
    }

    void register() {
        gauge("komainu.records.away", state -> state.condition() == Condition.STORING ? 0 : 1)
                .description("Whether the database of the telemetry is away")
                .register(meters);
        gauge("komainu.records.oldest", state -> state.oldestWaiting().toNanos() / 1e9)
                .baseUnit("seconds")
                .description("Age of the oldest batch that was taken and is not stored")
                .register(meters);
        figure("komainu.records.size", RecordServerFigures::bytes)
                .baseUnit("bytes")
                .description("Size of the telemetry on the database's disk")
                .register(meters);
        figure("komainu.records.parts", RecordServerFigures::parts)
                .description("Parts of the tables of the telemetry")
                .register(meters);
        figure("komainu.records.parts.most", RecordServerFigures::mostParts)
                .description("Highest number of parts of one table and day")
                .register(meters);
        figure("komainu.records.parts.limit", RecordServerFigures::partsLimit)
                .description("Parts of one table and day at which the database refuses inserts")
                .register(meters);
        figure("komainu.records.merges", RecordServerFigures::merges)
                .description("Merges of the tables of the telemetry in progress")
                .register(meters);
        figure(
                        "komainu.records.replicas.incomplete",
                        figures -> figures.incomplete().size())
                .description("Servers of the database's cluster that are away or lack rows")
                .register(meters);
        gauge("komainu.records.logs.size", state -> state.logs().bytes())
                .baseUnit("bytes")
                .description("Size of the database's own logs")
                .register(meters);
        for (Kind kind : Kind.values()) {
            FunctionCounter.builder(
                            "komainu.records.errors", server, state -> count(state.server(), kind))
                    .tag("kind", kind.text())
                    .description(
                            "Statements that the database of the telemetry did not answer, or refused")
                    .register(meters);
        }
    }

    private static double count(RecordServerState state, Kind kind) {
        return state.failures().stream()
                .filter(each -> each.kind().equals(kind.text()))
                .mapToLong(RecordServerState.Failure::count)
                .sum();
    }

    private Gauge.Builder<?> figure(String name, ToDoubleFunction<RecordServerFigures> figure) {
        return gauge(name, state -> {
            RecordServerFigures newest = state.figures();
            return newest == null ? Double.NaN : figure.applyAsDouble(newest);
        });
    }

    private Gauge.Builder<?> gauge(String name, ToDoubleFunction<RecordServerState> figure) {
        return Gauge.builder(name, server, each -> figure.applyAsDouble(each.server()));
    }
}
