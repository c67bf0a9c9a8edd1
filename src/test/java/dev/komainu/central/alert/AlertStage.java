package dev.komainu.central.alert;

import dev.komainu.central.access.IdentityConcerns;
import dev.komainu.central.assessment.Assessment;
import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.cluster.ClusterState;
import dev.komainu.central.control.ControlEngine;
import dev.komainu.central.fleet.RefusedNames;
import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.fleet.SourceProfile;
import dev.komainu.central.incident.IncidentBoard;
import dev.komainu.central.indices.LocalizedText;
import dev.komainu.central.ingest.ForeignReports;
import dev.komainu.central.room.RoomState;
import dev.komainu.central.state.Judgement;
import dev.komainu.central.state.ServiceState;
import dev.komainu.central.store.RecordServerState;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import dev.komainu.telemetry.record.SourceStatus;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The alert package over a database of its own, second by second by a clock that is set. Everything
 * runs on the test's thread. {@link #restart} starts again from the database.
 */
public final class AlertStage {

    public final SettableClock clock = new SettableClock();
    public final MeterRegistry meters = new SimpleMeterRegistry();
    public final JdbcClient jdbc;
    public final AlertSettings settings = new AlertSettings(
            "http://komainu.test",
            3,
            Duration.ofHours(6),
            Duration.ofSeconds(5),
            List.of("127.0.0.1"),
            90);

    private final RefusedNames refused = new RefusedNames();
    private final ForeignReports foreign = new ForeignReports();
    private final IdentityConcerns concerns = new IdentityConcerns();
    private final TransactionTemplate transactions;
    private final Function<AlertStage, NoticeQueue> queues;
    private final Map<String, ServiceState> states = new LinkedHashMap<>();
    private final Map<String, SourceProfile> sources = new LinkedHashMap<>();
    private DiskUse.@Nullable Figures disk;
    private final List<RoomState> rooms = new ArrayList<>();
    private @Nullable RecordServerState recordServer;
    private final List<ClusterState> clusters = new ArrayList<>();
    private final Map<String, String> origins = new HashMap<>();
    private IncidentBoard incidents = new IncidentBoard(this::serviceAt, List.of(), incident -> {});
    private AlertBoard board;
    private AlertRules rules;
    private Silences silences;

    /** A clock that the test advances. */
    public static final class SettableClock extends Clock {
        private Instant now = Instant.parse("2026-11-22T10:00:00Z");

        public void pass(Duration time) {
            now = now.plus(time);
        }

        @Override
        public Instant instant() {
            return now;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }

    /**
     * Creates the stage over H2.
     *
     * @param queues creates the queue of notices, at the start and after each restart
     */
    public AlertStage(Function<AlertStage, NoticeQueue> queues) {
        this(ControlEngine.H2.fresh(), queues);
    }

    /**
     * Creates the stage over a database with the whole schema.
     *
     * @param queues creates the queue of notices, at the start and after each restart
     */
    public AlertStage(DataSource source, Function<AlertStage, NoticeQueue> queues) {
        jdbc = JdbcClient.create(source);
        transactions = new TransactionTemplate(new DataSourceTransactionManager(source));
        this.queues = queues;
        restart();
    }

    /** Creates a new board from the database. */
    public void restart() {
        rules = new AlertRules(jdbc);
        silences = new Silences(jdbc, clock);
        AlertTable table = new AlertTable(jdbc);
        NoticeQueue notices = queues.apply(this);
        AlertKeeper keeper = new AlertKeeper(
                table,
                silences,
                notices,
                new DiskUse(Path.of(".")),
                settings,
                transactions,
                clock,
                meters);
        incidents = new IncidentBoard(this::serviceAt, incidents.open(), incident -> {});
        board = new AlertBoard(
                rules,
                silences,
                new Observer(
                        clock.instant(),
                        () -> disk,
                        () -> List.copyOf(rooms),
                        () -> List.copyOf(clusters),
                        () -> Optional.ofNullable(recordServer),
                        refused,
                        foreign,
                        concerns),
                incidents::of,
                notices,
                table.open(),
                clock.instant(),
                keeper::store);
    }

    /** Returns the rooms that each assessment observes. */
    public List<RoomState> rooms() {
        return rooms;
    }

    /** Sets the state of the server of the telemetry that each assessment observes. */
    public void recordServer(RecordServerState state) {
        recordServer = state;
    }

    public RefusedNames refused() {
        return refused;
    }

    public AlertBoard board() {
        return board;
    }

    public AlertRules rules() {
        return rules;
    }

    public Silences silences() {
        return silences;
    }

    public AlertTable table() {
        return new AlertTable(jdbc);
    }

    /** Sets the state of a service; null: it is no longer watched. */
    public AlertStage in(String service, @Nullable ServiceState state) {
        if (state == null) {
            states.remove(service);
        } else {
            states.put(service, state);
        }
        return this;
    }

    /** Makes a service the only server behind a proxy; the proxy's origin side is normal. */
    public AlertStage behind(String proxy, String server) {
        origins.put(proxy + ">origin", server);
        return in(proxy + ">origin", ServiceState.NORMAL);
    }

    private @Nullable String serviceAt(String address, @Nullable String node) {
        return states.containsKey(address) ? address : null;
    }

    /** Sets the clusters. */
    public AlertStage clusters(ClusterState... now) {
        clusters.clear();
        clusters.addAll(List.of(now));
        return this;
    }

    /** Adds a status report of a source at the present time. */
    public AlertStage source(String name, boolean silent, Map<String, Long> drops) {
        long now = clock.millis() * 1_000;
        List<SourceStatus.Drops> counts = new ArrayList<>();
        drops.forEach((reason, count) -> counts.add(new SourceStatus.Drops(reason, count)));
        SourceStatus status = new SourceStatus(
                "web",
                SourceStatus.Kind.AGENT,
                "0.1.0",
                1,
                now,
                new SourceStatus.Use(1, 0.01),
                List.of("lo"),
                counts,
                List.of());
        sources.put(name, new SourceProfile(name, status, silent ? now - 31_000_000 : now, silent));
        return this;
    }

    public AlertStage disk(double usedShare) {
        disk = new DiskUse.Figures(1_000_000_000, Math.round(1e9 * (1 - usedShare)));
        return this;
    }

    /** Advances by seconds, with one assessment at the end of each. */
    public AlertStage seconds(int seconds) {
        for (int i = 0; i < seconds; i++) {
            clock.pass(Duration.ofSeconds(1));
            assess(assessment());
        }
        return this;
    }

    public void assess(Assessment assessment) {
        incidents.assessed(assessment);
        board.assessed(assessment);
    }

    private Assessment assessment() {
        List<ServiceAssessment> services = new ArrayList<>();
        states.forEach((id, state) -> services.add(service(id, state)));
        return new Assessment(clock.instant(), services, List.copyOf(sources.values()), List.of());
    }

    private ServiceAssessment service(String id, ServiceState state) {
        long second = clock.instant().getEpochSecond();
        ServiceProfile profile = new ServiceProfile(
                id,
                "web",
                id,
                "apache",
                null,
                List.of(),
                null,
                null,
                origins.containsKey(id)
                        ? List.of(new Setting("origin:it", origins.get(id), "upstream"))
                        : List.of(),
                Set.of("agent@web"),
                0,
                second * 1_000_000);
        Judgement judgement = new Judgement(
                state,
                second,
                "test",
                LocalizedText.of("Cause of " + state.label(), state.label() + " の原因"),
                List.of(),
                List.of(),
                null);
        return new ServiceAssessment(
                profile,
                second,
                judgement,
                new ServiceAssessment.Summary(null, null, null, null, null, null, null, null, null),
                Map.of(),
                Map.of(),
                false);
    }
}
