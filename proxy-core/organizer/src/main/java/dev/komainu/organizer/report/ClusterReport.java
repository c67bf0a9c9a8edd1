package dev.komainu.organizer.report;

import dev.komainu.intermediary.process.ProcessUsage;
import dev.komainu.organizer.front.Front;
import dev.komainu.organizer.member.EventLog;
import dev.komainu.organizer.member.Membership;
import dev.komainu.telemetry.identity.PartIdentity;
import dev.komainu.telemetry.metrics.PublishedMetrics;
import dev.komainu.telemetry.record.ClusterView;
import dev.komainu.telemetry.record.EpochMicros;
import dev.komainu.telemetry.record.RecordSink;
import dev.komainu.telemetry.record.SourceStatus;
import dev.komainu.telemetry.report.CentralMetrics;
import dev.komainu.telemetry.report.ProductVersion;
import dev.komainu.telemetry.report.Reporter;
import dev.komainu.telemetry.report.ReporterSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reports of the cluster to the central service.
 *
 * <p>A view contains all members and routes. So one reporting member is enough to show a cluster,
 * and several show where their views differ. The view grows with the cluster, and so does the
 * interval between two views: one second, and one more for each {@value #MEMBERS_A_SECOND} members.
 * While the central service does not respond, only views with events are stored: the others would
 * be outdated.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the task handles its failures
public final class ClusterReport implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ClusterReport.class);
    private static final int MEMBERS_A_SECOND = 30;
    private static final int STATUS_SECONDS = 10;
    private static final int MAX_WAITING = 5;
    private static final long SPOOL_BYTES = 16L << 20;

    private final String node;
    private final RecordSink sink;
    private final BooleanSupplier backlog;
    /**
     * Null when the sink of another component is used; that component reports this process itself.
     */
    private final @Nullable Reporter reporter;

    private final @Nullable PublishedMetrics<?> metrics;
    private final Membership membership;
    private final Front front;
    private final EventLog events;
    private final Supplier<List<ClusterView.Server>> servers;
    private final String cluster;
    private final long startedMicros = EpochMicros.now();
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            task -> Thread.ofPlatform().name("komainu-report").daemon().unstarted(task));
    private volatile boolean statusDue;

    // Used by the own thread only.
    private long second;
    private long lastEvent;
    private long cpuBefore;
    private long nanosBefore = System.nanoTime();

    private ClusterReport(
            String node,
            RecordSink sink,
            BooleanSupplier backlog,
            @Nullable Reporter reporter,
            String cluster,
            Membership membership,
            Front front,
            EventLog events,
            Supplier<List<ClusterView.Server>> servers) {
        this.node = node;
        this.sink = sink;
        this.backlog = backlog;
        this.reporter = reporter;
        this.metrics =
                reporter == null ? null : CentralMetrics.of("komainu_organizer_", reporter::status);
        this.cluster = cluster;
        this.membership = membership;
        this.front = front;
        this.events = events;
        this.servers = servers;
    }

    /**
     * Starts to report with its own reporter.
     *
     * @param identity its certificate is shown to the central service; absent: the token is sent
     * @param servers supplies this member's own servers and their states
     * @param onServerStates receives with each response the central service's states of these
     *     servers, by address; on the reporter's thread
     * @throws IOException when the directory cannot be used
     */
    public static ClusterReport alone(
            ReportSettings settings,
            @Nullable PartIdentity identity,
            String cluster,
            Membership membership,
            Front front,
            EventLog events,
            Supplier<List<ClusterView.Server>> servers,
            Consumer<Map<String, String>> onServerStates)
            throws IOException {
        Reporter reporter = new Reporter(
                ReporterSettings.of(
                                settings.central(),
                                settings.tokenFile(),
                                "organizer@" + cluster + "/" + membership.self(),
                                settings.data())
                        .withAuthorities(settings.authorityFile())
                        .withLimits(1_000, 1 << 20, SPOOL_BYTES, 1 << 20)
                        // The states in a response are outdated soon. So the timeouts of the
                        // response, of the retry and of the close are short.
                        .withTimeouts(
                                Duration.ofSeconds(10),
                                Duration.ofMillis(500),
                                Duration.ofSeconds(5),
                                Duration.ofSeconds(1)),
                identity);
        ClusterReport created = new ClusterReport(
                settings.node(),
                reporter,
                () -> reporter.status().waitingRecords() > MAX_WAITING,
                reporter,
                cluster,
                membership,
                front,
                events,
                servers);
        reporter.onJudged(onServerStates);
        reporter.onCentralRestart(() -> created.statusDue = true);
        created.begin();
        return created;
    }

    /**
     * Starts to report to an existing sink. The owner of the sink receives the central service's
     * states of the servers.
     *
     * @param servers supplies this member's own servers and their states
     */
    public static ClusterReport beside(
            ReportSink target,
            String cluster,
            Membership membership,
            Front front,
            EventLog events,
            Supplier<List<ClusterView.Server>> servers) {
        ClusterReport created = new ClusterReport(
                target.node(),
                target.sink(),
                () -> !target.isReachable().getAsBoolean(),
                null,
                cluster,
                membership,
                front,
                events,
                servers);
        created.begin();
        return created;
    }

    /** Returns the metrics of its own way to the central service; empty: it has none. */
    public String metrics() {
        return metrics == null ? "" : metrics.page();
    }

    private void begin() {
        clock.scheduleWithFixedDelay(this::tick, 0, 1, TimeUnit.SECONDS);
    }

    private void tick() {
        try {
            Reporter own = reporter;
            if (own != null && (statusDue || second % STATUS_SECONDS == 0)) {
                statusDue = false;
                sink.accept(status(own));
            }
            if (second % (1 + membership.size() / MEMBERS_A_SECOND) == 0) {
                report();
            }
            second++;
        } catch (RuntimeException e) {
            // A scheduled task that throws is not run again.
            LOG.error("A cluster report failed", e);
        }
    }

    private void report() {
        List<EventLog.Event> newEvents = events.after(lastEvent);
        if (newEvents.isEmpty() && backlog.getAsBoolean()) {
            return;
        }
        sink.accept(ClusterViewBuilder.of(
                cluster,
                node,
                EpochMicros.now(),
                membership,
                front.lineFigures(),
                front.counts(),
                servers.get(),
                newEvents));
        if (!newEvents.isEmpty()) {
            lastEvent = newEvents.getLast().number();
        }
    }

    private SourceStatus status(Reporter own) {
        long cpu = ProcessUsage.cpuNanos();
        long nanos = System.nanoTime();
        double cores =
                cpuBefore == 0 ? 0 : (double) (cpu - cpuBefore) / Math.max(1, nanos - nanosBefore);
        cpuBefore = cpu;
        nanosBefore = nanos;
        List<SourceStatus.Drops> lost = new ArrayList<>();
        own.drops().forEach((reason, count) -> lost.add(new SourceStatus.Drops(reason, count)));
        return new SourceStatus(
                node,
                SourceStatus.Kind.ORGANIZER,
                ProductVersion.text(),
                startedMicros,
                EpochMicros.now(),
                new SourceStatus.Use(ProcessUsage.residentBytes(), cores),
                List.of(cluster + "/" + membership.self()),
                lost,
                List.of());
    }

    /**
     * Sends the remaining records for at most a few seconds; stores the rest for the next start.
     */
    @Override
    public void close() {
        clock.shutdownNow();
        if (reporter != null) {
            reporter.close();
        }
    }
}
