package dev.komainu.organizer.report;

import dev.komainu.intermediary.process.ProcessUsage;
import dev.komainu.organizer.front.Front;
import dev.komainu.organizer.member.EventLog;
import dev.komainu.organizer.member.Membership;
import dev.komainu.telemetry.record.ClusterView;
import dev.komainu.telemetry.record.EpochMicros;
import dev.komainu.telemetry.record.RecordSink;
import dev.komainu.telemetry.record.SourceStatus;
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
 * Reports to the central service.
 *
 * <p>A view has all members and routes, so that one member that reports is enough to see a cluster,
 * and several show where they do not agree. It grows with the cluster, and so does the time between
 * two: a second, and another for each {@value #MEMBERS_A_SECOND} members. While nobody answers,
 * only views with events wait: the others are about a now that is over.
 */
public final class ClusterReport implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ClusterReport.class);
    private static final int MEMBERS_A_SECOND = 30;
    private static final int STATUS_SECONDS = 10;
    private static final int WAITING_MOST = 5;
    private static final long SPOOL_BYTES = 16L << 20;

    private final String node;
    private final RecordSink sink;
    private final BooleanSupplier backlog;
    /** Absent where somebody else's is used, who tells of this process himself. */
    private final @Nullable Reporter reporter;

    private final Membership membership;
    private final Front front;
    private final EventLog events;
    private final Supplier<List<ClusterView.Server>> servers;
    private final String cluster;
    private final long startedMicros = EpochMicros.now();
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            task -> Thread.ofPlatform().name("komainu-report").daemon().unstarted(task));
    private volatile boolean again;

    // The own thread's.
    private long second;
    private long told;
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
        this.cluster = cluster;
        this.membership = membership;
        this.front = front;
        this.events = events;
        this.servers = servers;
    }

    /**
     * Begins to report by a way of its own.
     *
     * @param servers this member's own, and what each is taken for
     * @param judged told with each answer what the centre thinks of these, state by address; on the
     *     reporter's thread
     * @throws IOException when the directory cannot be used
     */
    public static ClusterReport alone(
            ReportSettings settings,
            String cluster,
            Membership membership,
            Front front,
            EventLog events,
            Supplier<List<ClusterView.Server>> servers,
            Consumer<Map<String, String>> judged)
            throws IOException {
        Reporter reporter = new Reporter(ReporterSettings.of(
                        settings.central(),
                        settings.tokenFile(),
                        "organizer@" + cluster + "/" + membership.self(),
                        settings.data())
                .withLimits(1_000, 1 << 20, SPOOL_BYTES, 1 << 20)
                // What the centre says back is soon old: neither wait long for it, nor for the
                // centre's return, nor at the end.
                .withTimeouts(
                        Duration.ofSeconds(10),
                        Duration.ofMillis(500),
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(1)));
        ClusterReport made = new ClusterReport(
                settings.node(),
                reporter,
                () -> reporter.status().waitingRecords() > WAITING_MOST,
                reporter,
                cluster,
                membership,
                front,
                events,
                servers);
        reporter.onJudged(judged);
        reporter.onCentralRestart(() -> made.again = true);
        made.begin();
        return made;
    }

    /**
     * Begins to report by a way that is there already. Whose that is hands in what the centre
     * thinks of the servers.
     *
     * @param servers this member's own, and what each is taken for
     */
    public static ClusterReport beside(
            ReportSink outlet,
            String cluster,
            Membership membership,
            Front front,
            EventLog events,
            Supplier<List<ClusterView.Server>> servers) {
        ClusterReport made = new ClusterReport(
                outlet.node(),
                outlet.sink(),
                () -> !outlet.answers().getAsBoolean(),
                null,
                cluster,
                membership,
                front,
                events,
                servers);
        made.begin();
        return made;
    }

    private void begin() {
        clock.scheduleWithFixedDelay(this::tick, 0, 1, TimeUnit.SECONDS);
    }

    private void tick() {
        try {
            Reporter own = reporter;
            if (own != null && (again || second % STATUS_SECONDS == 0)) {
                again = false;
                sink.accept(status(own));
            }
            if (second % (1 + membership.size() / MEMBERS_A_SECOND) == 0) {
                tell();
            }
            second++;
        } catch (RuntimeException e) {
            // A scheduled task that throws is never run again.
            LOG.error("A report failed", e);
        }
    }

    private void tell() {
        List<EventLog.Event> news = events.after(told);
        if (news.isEmpty() && backlog.getAsBoolean()) {
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
                news));
        if (!news.isEmpty()) {
            told = news.getLast().number();
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
                ProcessUsage.residentBytes(),
                cores,
                List.of(cluster + "/" + membership.self()),
                lost,
                List.of());
    }

    /** Tells what is left, for at most some seconds; keeps the rest for the next start. */
    @Override
    public void close() {
        clock.shutdownNow();
        if (reporter != null) {
            reporter.close();
        }
    }
}
