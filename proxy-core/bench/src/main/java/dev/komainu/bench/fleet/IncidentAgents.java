package dev.komainu.bench.fleet;

import dev.komainu.bench.fleet.RecordedLines.Line;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.report.Reporter;
import dev.komainu.telemetry.report.ReporterSettings;
import dev.komainu.telemetry.report.ReporterStatus;
import dev.komainu.telemetry.wire.MalformedBatchException;
import dev.komainu.telemetry.wire.RecordJson;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The agents of recorded incidents. Each recorded record is reported again at its second of the
 * schedule, by the same reporter as a real agent's; only names, addresses and times differ
 * ({@link Relocation}).
 *
 * <pre>
 * [ { "file": "nginx-files.zst", "service": "web-01:8081", "host": "incident-01",
 *     "fromSecond": 1795848200, "afterSeconds": 90 } ]
 * </pre>
 *
 * <p>It prints the ids of the services as a JSON array when all files are read, and waits for a
 * line with the second since the epoch at which the schedule begins. In: {@code fromSecond}, the
 * recorded second that is played {@code afterSeconds} later than that. Out: one JSON object at the
 * end.
 */
@Command(
        name = "incident-agents",
        description = "Agents that report recorded incidents again",
        sortOptions = false)
public final class IncidentAgents implements Callable<Integer> {

    private static final long SECOND = 1_000_000;
    private static final int FIRST_NETWORK = 100;
    private static final int LAST_NETWORK = 255;
    private static final Duration BATCH_AGE = Duration.ofMillis(50);
    private static final int DELIVERY_SECONDS = 60;

    @Option(names = "--central", required = true, description = "Base address")
    URI central = URI.create("http://127.0.0.1:7600");

    @Option(
            names = "--token-file",
            required = true,
            description = "Token with scope ingest that may report every name: an incident has"
                    + " several sources")
    Path token = Path.of("token");

    @Option(names = "--directory", required = true, description = "For the spools")
    Path directory = Path.of("spools");

    @Option(names = "--schedule", required = true, description = "File with the incidents, as JSON")
    Path schedule = Path.of("schedule.json");

    /** An incident of the schedule with its reporters. */
    private final class Incident implements Callable<Long> {

        private final RecordedLines recorded;
        private final JsonNode planned;
        private final int network;
        private final Map<String, Reporter> reporters = new LinkedHashMap<>();
        private Relocation relocation;

        Incident(int network, JsonNode planned) throws IOException {
            this.planned = planned;
            this.network = network;
            recorded = RecordedLines.read(Path.of(planned.required("file").asString()));
            relocation = relocation(0);
            for (Line line : recorded.lines()) {
                // Every record is read once before the first is due: mistakes are told at the
                // start.
                read(line);
                if (!reporters.containsKey(line.source())) {
                    Path spool = directory.resolve(
                            planned.required("host").asString() + "-" + reporters.size());
                    reporters.put(
                            line.source(),
                            new Reporter(ReporterSettings.of(
                                            central, token, relocation.name(line.source()), spool)
                                    .withBatches(2_000, 512 << 10, BATCH_AGE)));
                }
            }
        }

        private Relocation relocation(long shiftMicros) {
            return new Relocation(
                    recorded,
                    planned.required("service").asString(),
                    planned.required("host").asString(),
                    network,
                    shiftMicros);
        }

        private TelemetryRecord read(Line line) throws IOException {
            try {
                return RecordJson.read(relocation.record(line.record()).toString(), 1);
            } catch (MalformedBatchException e) {
                throw new IOException(e.getMessage(), e);
            }
        }

        /** Moves the recorded first second to its place in the schedule that begins now. */
        void begin(long second) {
            relocation = relocation(SECOND
                    * (second
                            + planned.required("afterSeconds").asLong()
                            - planned.required("fromSecond").asLong()));
        }

        /** Reports the records, and returns by how many microseconds the latest was late. */
        @Override
        public Long call() throws IOException {
            long latest = 0;
            for (Line line : recorded.lines()) {
                TelemetryRecord record = read(line);
                long due = relocation.instant(line.arrivedMicros());
                long wait = due - nowMicros();
                while (wait > 0) {
                    LockSupport.parkNanos(wait * 1_000);
                    wait = due - nowMicros();
                }
                latest = Math.max(latest, -wait);
                Reporter reporter = reporters.get(line.source());
                if (reporter != null) {
                    reporter.accept(record);
                }
            }
            return latest;
        }

        /** Returns the id of the service as the central service will know it. */
        private String service() {
            return relocation.name(planned.required("service").asString());
        }

        private long sent() {
            return reporters.values().stream()
                    .mapToLong(each -> each.status().sentRecords())
                    .sum();
        }
    }

    public static void main(String[] args) {
        System.exit(new CommandLine(new IncidentAgents()).execute(args));
    }

    @Override
    public Integer call() throws IOException, InterruptedException, ExecutionException {
        List<Incident> incidents = new ArrayList<>();
        int network = FIRST_NETWORK;
        for (JsonNode planned : JsonMapper.builder().build().readTree(schedule.toFile())) {
            Incident incident = new Incident(network, planned);
            network += incident.relocation.networks();
            if (network > LAST_NETWORK) {
                throw new IOException(schedule + ": more than " + (LAST_NETWORK - FIRST_NETWORK)
                        + " networks (expected: fewer incidents)");
            }
            incidents.add(incident);
        }
        System.out.println(JsonMapper.builder()
                .build()
                .writeValueAsString(incidents.stream().map(Incident::service).toList()));
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String second = lines.readLine();
        if (second == null) {
            return 2;
        }
        for (Incident incident : incidents) {
            incident.begin(Long.parseLong(second.strip()));
        }
        long latest = 0;
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<Long> each : threads.invokeAll(incidents)) {
                latest = Math.max(latest, each.get());
            }
        }
        Instant deadline = Instant.now().plusSeconds(DELIVERY_SECONDS);
        long accepted = incidents.stream()
                .mapToLong(each -> each.recorded.lines().size())
                .sum();
        while (sent(incidents) < accepted && Instant.now().isBefore(deadline)) {
            TimeUnit.MILLISECONDS.sleep(100);
        }
        long sent = sent(incidents);
        String trouble = null;
        for (Incident incident : incidents) {
            for (Reporter reporter : incident.reporters.values()) {
                reporter.close();
                ReporterStatus status = reporter.status();
                trouble = trouble == null ? status.lastTrouble() : trouble;
            }
        }
        System.out.printf(
                Locale.ROOT,
                "{\"accepted\":%d,\"sent\":%d,\"latestMillis\":%d,\"trouble\":%s}%n",
                accepted,
                sent,
                latest / 1_000,
                JsonMapper.builder().build().writeValueAsString(trouble));
        return sent == accepted ? 0 : 1;
    }

    private static long sent(List<Incident> incidents) {
        return incidents.stream().mapToLong(Incident::sent).sum();
    }

    private static long nowMicros() {
        Instant now = Instant.now();
        return now.getEpochSecond() * SECOND + now.getNano() / 1_000;
    }
}
