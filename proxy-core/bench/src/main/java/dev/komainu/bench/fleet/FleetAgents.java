package dev.komainu.bench.fleet;

import dev.komainu.telemetry.identity.EnrolmentCode;
import dev.komainu.telemetry.identity.PartIdentity;
import dev.komainu.telemetry.identity.PartNames;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.report.Reporter;
import dev.komainu.telemetry.report.ReporterSettings;
import dev.komainu.telemetry.report.ReporterStatus;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The agents of a fleet. Each reports every second a window of each of its servers, every ten
 * seconds its host, its state and the servers' logs, and every five minutes the servers' names and
 * settings.
 *
 * <p>An agent hands over a second {@value #FIRST_MILLIS} ms after its end, the last agent
 * {@value #SPREAD_MILLIS} ms later: the agents of a real fleet do not report at the same instant.
 * For each line of input one line is printed: the acknowledgements since the line before. A line
 * with a number, 0 to 100, is the percentage of the servers whose figures change from then on.
 */
@Command(
        name = "fleet-agents",
        description = "Agents of many hosts for measurements of the central service",
        sortOptions = false)
public final class FleetAgents implements Callable<Integer> {

    private static final long SECOND = 1_000_000;
    private static final int SIGHTED_EVERY_SECONDS = 300;
    private static final int FIRST_MILLIS = 100;
    private static final int SPREAD_MILLIS = 700;
    /** Age at which a batch closes: as soon as an agent has handed over a second. */
    private static final Duration BATCH_AGE = Duration.ofMillis(50);
    /** Records that the seconds before the start may take in an agent's queue. */
    private static final int QUEUE_RECORDS = 1_000_000;
    /**
     * Time for what was accepted to be sent at the end; a reporter waits up to 30 s after failures.
     */
    private static final int DELIVERY_SECONDS = 120;

    private static final int AGENTS_OF_A_CODE = 100;

    @Option(names = "--central", required = true, description = "Base address")
    URI central = URI.create("http://127.0.0.1:7600");

    @Option(names = "--token-file", required = true, description = "Token with scope ingest")
    Path token = Path.of("token");

    @Option(
            names = "--tokens",
            description =
                    "Directory with one token for each agent: NUMBER.token; absent: --token-file")
    @Nullable
    Path tokens;

    @Option(
            names = "--codes",
            description =
                    "File of enrolment codes, a line for each hundred agents; absent: with tokens")
    @Nullable
    Path codes;

    @Option(names = "--directory", required = true, description = "For the spools")
    Path directory = Path.of("spools");

    @Option(names = "--agents", description = "Number of agents (${DEFAULT-VALUE})")
    int agents = 20;

    @Option(names = "--servers", description = "Servers of each agent (${DEFAULT-VALUE})")
    int servers = 10;

    @Option(names = "--seconds", description = "Duration; 0: until the end of input")
    int seconds = 0;

    @Option(
            names = "--past",
            description = "Seconds before the start that are reported first (${DEFAULT-VALUE})")
    int past = 0;

    @Option(names = "--name", description = "First part of the hosts' names (${DEFAULT-VALUE})")
    String name = "host";

    private volatile int changingPercent = 100;

    public static void main(String[] args) {
        System.exit(new CommandLine(new FleetAgents()).execute(args));
    }

    @Override
    public Integer call() throws Exception {
        List<Agent> fleet = new ArrayList<>();
        for (int number = 1; number <= agents; number++) {
            fleet.add(new Agent(number));
        }
        CountDownLatch end = new CountDownLatch(1);
        try (ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor()) {
            List<ScheduledFuture<?>> reports = new ArrayList<>();
            long now = nowMicros();
            for (Agent agent : fleet) {
                long phase = FIRST_MILLIS * 1_000L
                        + SPREAD_MILLIS * 1_000L * (agent.number - 1) / agents;
                reports.add(timer.scheduleAtFixedRate(
                        agent::report,
                        Math.floorMod(phase - now, SECOND),
                        SECOND,
                        TimeUnit.MICROSECONDS));
            }
            if (seconds > 0) {
                end.await(seconds, TimeUnit.SECONDS);
            } else {
                answerLines(fleet);
            }
            reports.forEach(each -> each.cancel(false));
        }
        long accepted = 0;
        long sent = 0;
        long dropped = 0;
        long failures = 0;
        String trouble = null;
        Instant deadline = Instant.now().plusSeconds(DELIVERY_SECONDS);
        while (Instant.now().isBefore(deadline) && !fleet.stream().allMatch(Agent::delivered)) {
            Thread.sleep(100);
        }
        for (Agent agent : fleet) {
            agent.reporter.close();
            if (agent.identity != null) {
                agent.identity.close();
            }
            ReporterStatus status = agent.reporter.status();
            accepted += agent.accepted.get();
            sent += status.sentRecords();
            failures += status.failures() + status.refusals();
            dropped += agent.reporter.drops().values().stream()
                    .mapToLong(Long::longValue)
                    .sum();
            trouble = trouble == null ? status.lastTrouble() : trouble;
        }
        System.out.println(result(accepted, sent, dropped, failures, trouble));
        return sent == accepted ? 0 : 1;
    }

    /** Prints the acknowledgements since the line before, for each line of input until its end. */
    private void answerLines(List<Agent> fleet) throws IOException {
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (!line.isBlank()) {
                changingPercent = Integer.parseInt(line.strip());
            }
            AcknowledgementTimes all = new AcknowledgementTimes();
            long waiting = 0;
            for (Agent agent : fleet) {
                agent.acknowledgements.moveTo(all);
                waiting += agent.accepted.get() - agent.reporter.status().sentRecords();
            }
            System.out.println(all.json(waiting));
        }
    }

    private String result(
            long accepted, long sent, long dropped, long failures, @Nullable String trouble) {
        return String.format(
                Locale.ROOT,
                "{\"agents\":%d,\"servers\":%d,\"accepted\":%d,\"sent\":%d,\"dropped\":%d,\"failedRequests\":%d,"
                        + "\"trouble\":\"%s\"}",
                agents,
                agents * servers,
                accepted,
                sent,
                dropped,
                failures,
                trouble == null ? "" : trouble.replace('"', '\''));
    }

    /** One agent with its servers. Used by one thread. */
    private final class Agent {
        private final String node;
        private final int number;
        private final RecordTemplates records;
        private final Reporter reporter;
        private final @Nullable PartIdentity identity;
        private final List<String> services = new ArrayList<>();
        private final long startedMicros = nowMicros();
        private final AcknowledgementTimes acknowledgements = new AcknowledgementTimes();
        private final AtomicLong accepted = new AtomicLong();
        private long reports;
        private long newest = Long.MIN_VALUE;

        Agent(int number) throws IOException {
            this.number = number;
            node = name + "-" + number;
            records = new RecordTemplates(number);
            for (int port = 0; port < servers; port++) {
                services.add(node + ":" + (8_000 + port));
            }
            Path own = tokens == null ? token : tokens.resolve(number + ".token");
            identity = codes == null
                    ? null
                    : PartIdentity.open(
                            directory.resolve(node),
                            central,
                            new PartNames(PartNames.Kind.AGENT, "agent@" + node, node),
                            EnrolmentCode.parse(Files.readAllLines(codes)
                                    .get((number - 1) / AGENTS_OF_A_CODE)));
            reporter = new Reporter(
                    ReporterSettings.of(central, own, "agent@" + node, directory.resolve(node))
                            .withLimits(QUEUE_RECORDS, 4 << 20, 256L << 20, 0)
                            .withBatches(2_000, 512 << 10, BATCH_AGE),
                    identity);
            reporter.onJudged(
                    states -> acknowledgements.sent(reporter.status().sentRecords(), nowMicros()));
        }

        /** Reports the newest complete second, and those that a delay of the timer left out. */
        void report() {
            long complete = nowMicros() / SECOND - 1;
            if (reports == 0) {
                for (long second = complete - past; second < complete; second++) {
                    measured(second, second % 10 == 0, (second + 1) * SECOND);
                }
                newest = complete - 1;
            }
            while (newest < complete) {
                newest++;
                report(newest);
            }
        }

        private void report(long second) {
            long now = nowMicros();
            if (reports % SIGHTED_EVERY_SECONDS == 0) {
                accept(records.status(node, startedMicros, now));
                for (int server = 0; server < servers; server++) {
                    String address =
                            "10." + number / 250 + "." + number % 250 + ".1:" + (8_000 + server);
                    accept(records.sighting(services.get(server), node, address, now));
                }
            }
            measured(second, reports % 10 == 0, now);
            reports++;
            acknowledgements.handedOver(accepted.get(), (second + 1) * SECOND, nowMicros());
        }

        private void measured(long second, boolean host, long atMicros) {
            services.forEach(
                    service -> accept(records.window(service, second, isChanging(service))));
            if (host) {
                accept(records.status(node, startedMicros, atMicros));
                accept(records.sample(node, services, this::isChanging, atMicros));
                services.forEach(service -> accept(records.log(service, (second - 40) * SECOND)));
            }
        }

        /** Reports whether a server's figures change: every tenth of all does at ten percent. */
        private boolean isChanging(String service) {
            return (number * servers + services.indexOf(service)) % 100 < changingPercent;
        }

        private boolean delivered() {
            return reporter.status().sentRecords() >= accepted.get();
        }

        private void accept(TelemetryRecord record) {
            accepted.incrementAndGet();
            reporter.accept(record);
        }
    }

    private static long nowMicros() {
        Instant now = Instant.now();
        return now.getEpochSecond() * SECOND + now.getNano() / 1_000;
    }
}
