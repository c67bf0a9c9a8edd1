import com.sun.net.httpserver.HttpServer;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.report.Reporter;
import dev.komainu.telemetry.report.ReporterSettings;
import dev.komainu.telemetry.wire.AnyRecord;
import dev.komainu.telemetry.wire.BatchCodec;
import dev.komainu.telemetry.wire.DecodedBatch;
import dev.komainu.telemetry.wire.RecordJson;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes golden batches, and reads spools as a reporter does that finds them at its start. Compiled and run by {@code make-golden} on the classes
 * of the build whose formats are kept.
 *
 * <pre>
 *   Wire batches DIRECTORY           a batch of each kind of record, one of all, one of what these leave out; the same as NDJSON
 *   Wire drain SPOOL-OWNER OUTPUT    what is sent from a reporter's directory: the batch's name, then its records, a line each
 * </pre>
 */
final class Wire {

    private static final int OF_EACH_KIND = 6;
    private static final int KINDS = 10;
    private static final int ENOUGH = 10_000;
    private static final Set<String> CONSTANTS =
            Set.of("connection.state", "proxyExchange.outcome", "sourceStatus.kind", "orderOutcome.state");

    private Wire() {}

    public static void main(String[] args) throws Exception {
        if (args[0].equals("batches")) {
            batches(Path.of(args[1]));
        } else {
            drain(Path.of(args[1]), Path.of(args[2]));
        }
    }

    private static void batches(Path directory) throws Exception {
        Files.createDirectories(directory);
        Map<String, List<TelemetryRecord>> kinds = new LinkedHashMap<>();
        AnyRecord any = new AnyRecord(20261124);
        while (kinds.size() < KINDS || kinds.values().stream().anyMatch(records -> records.size() < OF_EACH_KIND)) {
            TelemetryRecord record = any.next();
            List<TelemetryRecord> records = kinds.computeIfAbsent(RecordJson.typeOf(record), kind -> new ArrayList<>());
            if (records.size() < OF_EACH_KIND) {
                records.add(record);
            }
        }
        List<TelemetryRecord> all = new ArrayList<>();
        long sequence = 1;
        for (Map.Entry<String, List<TelemetryRecord>> kind : kinds.entrySet()) {
            write(directory, kind.getKey(), sequence++, kind.getValue());
            all.addAll(kind.getValue());
        }
        write(directory, "mixed", sequence++, all);
        Set<String> told = new HashSet<>();
        all.forEach(record -> tells(record, told));
        List<TelemetryRecord> more = new ArrayList<>();
        for (int n = 0; n < ENOUGH; n++) {
            TelemetryRecord record = any.next();
            if (tells(record, told)) {
                more.add(record);
            }
        }
        write(directory, "more", sequence, more);
    }

    /** Adds the members and constants of a record to {@code told}; true when one of them is new. */
    private static boolean tells(TelemetryRecord record, Set<String> told) {
        return tells(RecordJson.typeOf(record), JsonMapper.shared().readTree(RecordJson.write(record)), told);
    }

    private static boolean tells(String path, JsonNode node, Set<String> told) {
        if (node.isNumber() && node.asDouble() == 0 || node.isBoolean() && !node.asBoolean() || node.isString() && node.asString().isEmpty()) {
            // JSON tells it, but the batch leaves it out.
            return false;
        }
        boolean isNew = told.add(path);
        if (CONSTANTS.contains(path)) {
            isNew |= told.add(path + "=" + node.asString());
        }
        for (Map.Entry<String, JsonNode> member : node.properties()) {
            isNew |= tells(path + "." + member.getKey(), member.getValue(), told);
        }
        if (node.isArray()) {
            for (JsonNode element : node) {
                isNew |= tells(path + "[]", element, told);
            }
        }
        return isNew;
    }

    private static void write(Path directory, String name, long sequence, List<TelemetryRecord> records) throws Exception {
        BatchId id = new BatchId("golden/" + name, 1_764_000_000_000_000L, sequence);
        byte[] batch = BatchCodec.encode(new Batch(id, records));
        Files.write(directory.resolve(name + ".batch"), batch);
        // Told from what was read back, not from what was meant.
        StringBuilder lines = new StringBuilder();
        for (TelemetryRecord record : BatchCodec.decode(batch).batch().records()) {
            lines.append(RecordJson.write(record)).append('\n');
        }
        Files.writeString(directory.resolve(name + ".ndjson"), lines);
    }

    private static void drain(Path directory, Path output) throws Exception {
        List<String> lines = new ArrayList<>();
        HttpServer centre = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        centre.createContext("/api/v1/ingest", exchange -> {
            try {
                DecodedBatch decoded = BatchCodec.decode(exchange.getRequestBody().readAllBytes());
                String name = decoded.batch().id().toString();
                lines.add(name);
                decoded.batch().records().forEach(record -> lines.add(RecordJson.write(record)));
                byte[] answer = String.format(
                                Locale.ROOT,
                                "{\"batch\":\"%s\",\"records\":%d,\"duplicate\":false}",
                                name,
                                decoded.batch().records().size())
                        .getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(200, answer.length);
                exchange.getResponseBody().write(answer);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            } finally {
                exchange.close();
            }
        });
        centre.start();
        URI url = URI.create("http://127.0.0.1:" + centre.getAddress().getPort());
        try (Reporter reporter = new Reporter(ReporterSettings.of(url, null, "golden-drain", directory)
                .withTimeouts(Duration.ofSeconds(10), Duration.ofMillis(50), Duration.ofMillis(50), Duration.ofSeconds(5)))) {
            while (reporter.status().waitingRecords() > 0) {
                Thread.sleep(20);
            }
            if (!reporter.drops().isEmpty()) {
                throw new IllegalStateException("dropped: " + reporter.drops());
            }
        }
        centre.stop(0);
        Files.write(output, lines);
    }
}
