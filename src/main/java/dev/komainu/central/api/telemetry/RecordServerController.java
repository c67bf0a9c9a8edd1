package dev.komainu.central.api.telemetry;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.store.ObservedRecordServer;
import dev.komainu.central.store.RecordServerFigures;
import dev.komainu.central.store.RecordServerState;
import dev.komainu.central.store.RecordServerState.Condition;
import dev.komainu.central.store.RecordStore;
import dev.komainu.central.store.SystemLogUse;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The server that keeps the telemetry, as it was measured last; it is not asked by a request. */
@RestController
class RecordServerController {

    private final Supplier<Optional<RecordServerState>> server;

    RecordServerController(RecordStore store) {
        server = ObservedRecordServer.of(store);
    }

    /** {@code TelemetryServer} of the contract. */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record ServerView(@Nullable ClickHouseView clickhouse) {}

    /** {@code ClickHouse} of the contract. */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record ClickHouseView(
            String address,
            String condition,
            @Nullable Instant since,
            @Nullable String reason,
            double oldestWaitingSeconds,
            @Nullable FiguresView figures,
            List<RecordServerState.Failure> failures,
            LogsView logs) {

        static ClickHouseView of(RecordServerState state) {
            RecordServerFigures figures = state.figures();
            return new ClickHouseView(
                    state.address(),
                    switch (state.condition()) {
                        case Condition.STORING -> "storing";
                        case Condition.NOT_STORING -> "not-storing";
                        case Condition.AWAY -> "away";
                    },
                    state.since(),
                    state.reason(),
                    state.oldestWaiting().toMillis() / 1e3,
                    figures == null ? null : FiguresView.of(figures),
                    state.failures(),
                    LogsView.of(state.logs()));
        }
    }

    @JsonInclude(JsonInclude.Include.ALWAYS)
    record FiguresView(
            Instant at,
            String version,
            long bytes,
            List<RecordServerFigures.Table> tables,
            RecordServerFigures.@Nullable Disk disk,
            long partsLimit,
            boolean partsLimitTold,
            long merges,
            long longestMergeSeconds,
            List<RecordServerFigures.Member> members) {

        static FiguresView of(RecordServerFigures figures) {
            return new FiguresView(
                    figures.at(),
                    figures.version(),
                    figures.bytes(),
                    figures.tables(),
                    figures.disk(),
                    figures.partsLimit(),
                    figures.isLimitTold(),
                    figures.merges(),
                    figures.longestMergeSeconds(),
                    figures.members());
        }
    }

    @JsonInclude(JsonInclude.Include.ALWAYS)
    record LogsView(
            boolean bound,
            String setting,
            long mostBytes,
            int keptDays,
            long dropped,
            @Nullable String failure,
            List<LogView> tables) {

        static LogsView of(SystemLogUse logs) {
            return new LogsView(
                    logs.isBound(),
                    logs.setting(),
                    logs.mostBytes(),
                    logs.keptDays(),
                    logs.dropped(),
                    logs.failure(),
                    logs.tables().stream().map(LogView::of).toList());
        }
    }

    @JsonInclude(JsonInclude.Include.ALWAYS)
    record LogView(
            String name,
            long bytes,
            int partitions,
            @Nullable String oldest) {

        static LogView of(SystemLogUse.Table table) {
            return new LogView(
                    table.name(),
                    table.bytes(),
                    table.partitions(),
                    table.oldest() == null ? null : table.oldest().toString());
        }
    }

    @GetMapping("/api/v1/telemetry/server")
    ServerView server() {
        return new ServerView(server.get().map(ClickHouseView::of).orElse(null));
    }
}
