package dev.komainu.central.alert;

import dev.komainu.central.access.IdentityConcerns;
import dev.komainu.central.assessment.Assessment;
import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.cluster.ClusterState;
import dev.komainu.central.fleet.Fleet;
import dev.komainu.central.fleet.RefusedNames;
import dev.komainu.central.fleet.RefusedNames.Limit;
import dev.komainu.central.fleet.SourceProfile;
import dev.komainu.central.indices.Deferred;
import dev.komainu.central.indices.Evidence;
import dev.komainu.central.indices.LocalizedText;
import dev.komainu.central.ingest.ForeignReports;
import dev.komainu.central.room.RoomState;
import dev.komainu.central.state.Judgement;
import dev.komainu.central.state.ServiceState;
import dev.komainu.central.store.RecordServerState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The observations of one assessment: services, sources, clusters, the store and its server. Runs
 * on the assessment's thread only.
 */
final class Observer {

    static final String SILENT = "silent";
    static final String STORE = "store";
    static final String REFUSING = "refusing";
    static final String FOREIGN = "foreign-names";
    static final String ORDERLY = "orderly";

    private static final String WITHIN_LIMITS = "within-limits";
    private static final String OWN = "own-names";
    private static final String REPORTING = "reporting";
    private static final String LOSING = "losing-packets";
    private static final String DROPPING = "dropping-records";
    private static final String FULL = "nearly-full";

    /** Time after a start in which no source counts as silent. */
    private static final Duration GRACE = Duration.ofSeconds(Fleet.SILENT_SECONDS + 30);

    /**
     * A source that is silent for longer counts as removed, like a service that leaves the list.
     */
    private static final Duration REMOVED = Duration.ofHours(Fleet.FORGET_HOURS);

    /**
     * Time after the newest refusal in which a limit counts as reached: senders retry each minute.
     */
    private static final Duration REFUSED_LATELY = Duration.ofMinutes(2);

    /** Time after the newest notice in which a concern counts as lasting. */
    private static final Duration CONCERNED_LATELY = Duration.ofMinutes(10);

    private final Instant start;
    private final Supplier<DiskUse.@Nullable Figures> disk;
    private final Supplier<List<RoomState>> rooms;
    private final Supplier<List<ClusterState>> clusters;
    private final Supplier<Optional<RecordServerState>> recordServer;
    private final RefusedNames refused;
    private final ForeignReports foreign;
    private final IdentityConcerns concerns;
    private final Map<String, DropRate> drops = new HashMap<>();

    Observer(
            Instant start,
            Supplier<DiskUse.@Nullable Figures> disk,
            Supplier<List<RoomState>> rooms,
            Supplier<List<ClusterState>> clusters,
            Supplier<Optional<RecordServerState>> recordServer,
            RefusedNames refused,
            ForeignReports foreign,
            IdentityConcerns concerns) {
        this.start = start;
        this.disk = disk;
        this.rooms = rooms;
        this.clusters = clusters;
        this.recordServer = recordServer;
        this.refused = refused;
        this.foreign = foreign;
        this.concerns = concerns;
    }

    List<Observation> observe(Assessment assessment) {
        List<Observation> all = new ArrayList<>();
        assessment.services().forEach(service -> all.add(service(service)));
        for (SourceProfile source : assessment.sources()) {
            Instant lastReport = Instant.ofEpochMilli(source.lastSeenMicros() / 1_000);
            if (Duration.between(lastReport, assessment.at()).compareTo(REMOVED) <= 0) {
                source(source, lastReport, assessment.at(), all);
            }
        }
        Set<String> known =
                assessment.sources().stream().map(SourceProfile::name).collect(Collectors.toSet());
        drops.keySet().retainAll(known);
        all.add(store(assessment.at()));
        rooms.get().forEach(room -> all.add(RoomObserver.observe(room, assessment.at())));
        recordServer
                .get()
                .ifPresent(server ->
                        all.addAll(RecordServerObserver.observe(server, assessment.at())));
        refused.all().forEach((limit, count) -> all.add(quota(limit, count, assessment.at())));
        foreign.all()
                .forEach((credential, count) ->
                        all.add(foreign(credential, count, assessment.at())));
        concerns.all().forEach((name, told) -> all.add(identity(name, told, assessment.at())));
        clusters.get().forEach(cluster -> ClusterObserver.observe(cluster, assessment.at(), all));
        return all;
    }

    private static Observation service(ServiceAssessment service) {
        Judgement judgement = service.judgement();
        ServiceState state = judgement.state();
        return new Observation(
                AlertKind.SERVICE,
                service.profile().id(),
                state.label(),
                state != ServiceState.UNKNOWN,
                Double.NaN,
                usual(state),
                Instant.ofEpochSecond(judgement.sinceSecond()),
                judgement.cause(),
                Deferred.list(() -> judgement.evidence().stream()
                        .map(Evidence::withoutSparkline)
                        .toList()),
                service.labels());
    }

    private static Severity usual(ServiceState state) {
        return switch (state.severity()) {
            case STOPPED, FAULT -> Severity.CRITICAL;
            case SATURATED -> Severity.WARNING;
            case UNKNOWN, NORMAL -> Severity.INFO;
        };
    }

    private void source(
            SourceProfile source, Instant lastReport, Instant now, List<Observation> all) {
        boolean inGrace = Duration.between(start, now).compareTo(GRACE) < 0;
        String node = source.status().node();
        all.add(new Observation(
                AlertKind.SOURCE_SILENT,
                source.name(),
                source.silent() ? SILENT : REPORTING,
                !(source.silent() && inGrace),
                Double.NaN,
                AlertKind.SOURCE_SILENT.usual(),
                lastReport,
                LocalizedText.of(
                        source.name() + " has not reported for more than " + Fleet.SILENT_SECONDS
                                + " s. The services that it watches on " + node
                                + " are not observed",
                        source.name() + " から " + Fleet.SILENT_SECONDS + " 秒以上報告がありません。" + node
                                + " のサービスは観測されていません"),
                List.of()));
        DropRate losses = drops.computeIfAbsent(source.name(), name -> new DropRate());
        losses.add(source.status());
        all.add(new Observation(
                AlertKind.PROBE_LOSS,
                source.name(),
                LOSING,
                !source.silent(),
                losses.packets(),
                AlertKind.PROBE_LOSS.usual(),
                now,
                LocalizedText.of(
                        count(losses.packets()) + " packets per minute were dropped before "
                                + source.name()
                                + " read them. Its values from packets are lower bounds",
                        source.name() + " が読む前に 1 分間で " + count(losses.packets())
                                + " パケットが破棄されました。パケットから求めた値は下限です"),
                List.of()));
        all.add(new Observation(
                AlertKind.RECORD_DROPS,
                source.name(),
                DROPPING,
                !source.silent(),
                losses.records(),
                AlertKind.RECORD_DROPS.usual(),
                now,
                LocalizedText.of(
                        source.name() + " dropped " + count(losses.records())
                                + " records in one minute",
                        source.name() + " は 1 分間に " + count(losses.records()) + " 件のレコードを破棄しました"),
                List.of()));
    }

    private Observation store(Instant now) {
        DiskUse.Figures figures = disk.get();
        double share = figures == null ? Double.NaN : figures.usedShare();
        String free = figures == null ? "?" : Evidence.figure((double) figures.freeBytes(), "B");
        String used = figures == null ? "?" : Evidence.figure(share, "share");
        return new Observation(
                AlertKind.STORE_FULL,
                STORE,
                FULL,
                figures != null,
                share,
                AlertKind.STORE_FULL.usual(),
                now,
                LocalizedText.of(
                        "The disk of the telemetry store is " + used + " full. Free space: " + free,
                        "テレメトリ保存先のディスクは " + used + " 使用済みです。空きは " + free + " です"),
                List.of());
    }

    private static Observation quota(Limit limit, RefusedNames.Count count, Instant now) {
        Instant last = Instant.ofEpochMilli(count.atMicros() / 1_000);
        boolean refuses = Duration.between(last, now).compareTo(REFUSED_LATELY) < 0;
        return new Observation(
                AlertKind.QUOTA,
                limit.label(),
                refuses ? REFUSING : WITHIN_LIMITS,
                true,
                count.count(),
                AlertKind.QUOTA.usual(),
                last,
                LocalizedText.of(
                        "The limit \"" + limit.label() + "\" is reached. Refused since the start: "
                                + count(count.count()) + ", the last for " + count.last(),
                        "上限「" + limit.label() + "」に達しています。起動後に拒否した件数は " + count(count.count())
                                + "、最後は " + count.last() + " です"),
                List.of());
    }

    private static Observation foreign(String credential, ForeignReports.Count count, Instant now) {
        Instant last = Instant.ofEpochMilli(count.atMicros() / 1_000);
        boolean reports = Duration.between(last, now).compareTo(REFUSED_LATELY) < 0;
        String name = count.name().label();
        return new Observation(
                AlertKind.FOREIGN_REPORT,
                credential,
                reports ? FOREIGN : OWN,
                true,
                count.count(),
                AlertKind.FOREIGN_REPORT.usual(),
                last,
                LocalizedText.of(
                        credential
                                + " reports in names that are not its own. Left out since the start: "
                                + count(count.count()) + ", the last for the " + name + " "
                                + count.last()
                                + ". If this is no mistake in its settings, revoke it",
                        credential + " が自分のものではない名前で報告しています。起動後に除外した件数は "
                                + count(count.count()) + "、最後は " + name + " " + count.last()
                                + " です。設定の誤りでなければ失効させてください"),
                List.of());
    }

    private static Observation identity(String name, IdentityConcerns.Told told, Instant now) {
        boolean lately = Duration.between(told.at(), now).compareTo(CONCERNED_LATELY) < 0;
        IdentityConcerns.Concern concern = told.concern();
        boolean two = concern == IdentityConcerns.Concern.TWO_SPEAK_AS_ONE;
        return new Observation(
                AlertKind.IDENTITY,
                name,
                lately ? concern.label() : ORDERLY,
                true,
                Double.NaN,
                two ? Severity.CRITICAL : Severity.WARNING,
                told.at(),
                text(name, concern, told.detail()),
                List.of());
    }

    private static LocalizedText text(
            String name, IdentityConcerns.Concern concern, String detail) {
        return switch (concern) {
            case TWO_SPEAK_AS_ONE ->
                LocalizedText.of(
                        name + ": two processes speak as one: " + detail
                                + ". If none of them was copied or started twice, its identity was"
                                + " stolen: revoke it and enrol the host again",
                        name + ": 2 つのプロセスが同じ名前で報告しています(" + detail
                                + ")。複製や二重起動でなければ識別情報が盗まれています。失効させ、ホストを登録し直してください");
            case CLOCK_DIFFERS ->
                LocalizedText.of(
                        name + ": " + detail + ". Its records have wrong times, and its"
                                + " certificate may count as ended: set both clocks (NTP)",
                        name + ": ホストの時計がずれています(" + detail
                                + ")。レコードの時刻が誤り、証明書が期限切れと見なされることがあります。両方の時計を合わせてください(NTP)");
            case CERTIFICATE_ENDS ->
                LocalizedText.of(name + ": " + detail, name + ": 証明書の期限が近づいています(" + detail + ")");
        };
    }

    private static String count(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }
}
