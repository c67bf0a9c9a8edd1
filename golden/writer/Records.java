import dev.komainu.central.store.ConnectionQuery;
import dev.komainu.central.store.DuckStore;
import dev.komainu.central.store.ExchangeQuery;
import dev.komainu.central.store.StoreSettings;
import dev.komainu.central.store.TimeRange;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.wire.RecordJson;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Tells what the build's own store answers about its data: {@code Records STORE-DIRECTORY OUTPUT}, a line {@code KIND COUNT} and the first record of each. */
final class Records {

    private static final List<String> SERVERS = List.of("golden-web:8080");
    private static final List<String> PROXIES = List.of("golden-edge:7780");

    private Records() {}

    public static void main(String[] args) throws Exception {
        List<String> lines = new ArrayList<>();
        DuckStore store = new DuckStore(StoreSettings.of(Path.of(args[0])), Clock.systemUTC());
        TimeRange ever = new TimeRange(0, Long.MAX_VALUE / 4);
        tell(lines, "connection", store.connections(new ConnectionQuery(SERVERS, ever, null, null, null, null, null, 10_000, null))
                .items().stream().map(stored -> (TelemetryRecord) stored.record()).toList());
        tell(lines, "proxyExchange", store.exchanges(new ExchangeQuery(PROXIES, ever, null, null, null, null, 10_000, null))
                .items().stream().map(stored -> (TelemetryRecord) stored.record()).toList());
        tell(lines, "serviceWindow", store.serviceWindows(SERVERS, ever, Duration.ofDays(1)).stream()
                .map(step -> (TelemetryRecord) step.total()).toList());
        tell(lines, "proxyWindow", store.proxyWindows(PROXIES, ever, Duration.ofDays(1)).stream()
                .map(step -> (TelemetryRecord) step.total()).toList());
        tell(lines, "accessLogWindow", store.accessLogWindows(SERVERS, ever));
        tell(lines, "hostSample", store.hostSamples("golden-web", ever));
        tell(lines, "serviceSighting", store.sightings(ever));
        tell(lines, "sourceStatus", store.statuses(ever));
        store.close();
        Files.write(Path.of(args[1]), lines);
    }

    private static void tell(List<String> lines, String kind, List<? extends TelemetryRecord> records) {
        lines.add(kind + " " + records.size());
        if (!records.isEmpty()) {
            lines.add(RecordJson.write(records.getFirst()));
        }
    }
}
