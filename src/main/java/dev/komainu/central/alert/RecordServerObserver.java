package dev.komainu.central.alert;

import dev.komainu.central.indices.Evidence;
import dev.komainu.central.indices.LocalizedText;
import dev.komainu.central.store.RecordServerFigures;
import dev.komainu.central.store.RecordServerState;
import dev.komainu.central.store.RecordServerState.Condition;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * The observations of the server that keeps the telemetry: its connection, the age of what waits to
 * be written, and its parts. Its disk is observed as a place, by {@link RoomObserver}.
 */
final class RecordServerObserver {

    static final String CONNECTION = "connection";
    static final String WRITING = "writing";
    static final String PARTS = "parts";
    static final String REPLICAS = "replicas";

    private static final String GOOD = "storing";
    private static final String AWAY = "away";
    private static final String NOT_STORING = "not-storing";
    private static final String LATE = "late";
    private static final String TOO_MANY_PARTS = "too-many-parts";
    private static final String INCOMPLETE = "incomplete";

    /**
     * Share of the limit on parts from which the alert holds: there 18.16 begins to delay inserts.
     */
    static final double MOST_PARTS_SHARE = 0.5;

    private RecordServerObserver() {}

    /**
     * Reports whether a rule fires for an observation.
     *
     * @param seconds time for which a condition with a duration must have lasted
     */
    static boolean isBad(Observation observation, double seconds) {
        return !observation.state().equals(GOOD)
                && (Double.isNaN(observation.figure()) || observation.figure() >= seconds);
    }

    static List<Observation> observe(RecordServerState server, Instant now) {
        return List.of(
                connection(server, now),
                writing(server, now),
                parts(server, now),
                replicas(server, now));
    }

    /** A server of a cluster that does not respond or lacks rows, while others store. */
    private static Observation replicas(RecordServerState server, Instant now) {
        RecordServerFigures figures = server.figures();
        List<RecordServerFigures.Member> behind =
                figures == null ? List.of() : figures.incomplete();
        Instant since = behind.stream()
                .map(RecordServerFigures.Member::since)
                .filter(Objects::nonNull)
                .min(Comparator.naturalOrder())
                .orElse(now);
        String names = behind.stream()
                .map(RecordServerFigures.Member::address)
                .collect(Collectors.joining(", "));
        String why = behind.stream()
                .map(each -> each.failure() != null
                        ? each.failure()
                        : each.isReadOnly() ? "no ZooKeeper" : each.waiting() + " parts to copy")
                .findFirst()
                .orElse("?");
        return observation(
                REPLICAS,
                behind.isEmpty() ? GOOD : INCOMPLETE,
                figures != null && server.isCurrent(),
                Math.max(0, Duration.between(since, now).toMillis() / 1e3),
                Severity.WARNING,
                since,
                LocalizedText.of(
                        "Servers of the cluster are away or lack rows: " + names + " (" + why
                                + "). Others store meanwhile, with fewer copies",
                        "クラスターの一部のサーバーが停止しているか、行が不足しています:" + names + "(" + why
                                + ")。他のサーバーが保存を続けていますが、複製が減っています"));
    }

    private static Observation connection(RecordServerState server, Instant now) {
        Instant since = Objects.requireNonNullElse(server.since(), now);
        String why = Objects.requireNonNullElse(server.reason(), "?");
        boolean isAway = server.condition() == Condition.AWAY;
        String state =
                isAway ? AWAY : server.condition() == Condition.NOT_STORING ? NOT_STORING : GOOD;
        return observation(
                CONNECTION,
                state,
                true,
                // Negative after the clock was set back.
                Math.max(0, Duration.between(since, now).toMillis() / 1e3),
                Severity.CRITICAL,
                since,
                isAway
                        ? LocalizedText.of(
                                "ClickHouse at " + server.address() + " does not respond (" + why
                                        + "). Batches wait at their senders; charts and records of"
                                        + " the past are not available",
                                server.address() + " の ClickHouse が応答しません(" + why
                                        + ")。バッチは送信元で待機し、過去のチャートとレコードは参照できません")
                        : LocalizedText.of(
                                "ClickHouse at " + server.address()
                                        + " responds but does not store (" + why
                                        + "). Batches wait at their senders",
                                server.address() + " の ClickHouse は応答しますが保存しません(" + why
                                        + ")。バッチは送信元で待機しています"));
    }

    private static Observation writing(RecordServerState server, Instant now) {
        double seconds = server.oldestWaiting().toMillis() / 1e3;
        String shown = Long.toString(server.oldestWaiting().toSeconds());
        return observation(
                WRITING,
                seconds > 0 ? LATE : GOOD,
                true,
                seconds,
                Severity.WARNING,
                now.minus(server.oldestWaiting()),
                LocalizedText.of(
                        "The oldest batch has waited " + shown
                                + " s to be stored in ClickHouse. The server is slow, or merges hold"
                                + " inserts back",
                        "最も古いバッチが ClickHouse への保存を " + shown
                                + " 秒待っています。サーバーが遅いか、マージのために挿入が遅れています"));
    }

    private static Observation parts(RecordServerState server, Instant now) {
        RecordServerFigures figures = server.figures();
        long most = figures == null ? 0 : figures.mostParts();
        long limit = figures == null ? 0 : figures.partsLimit();
        boolean isMany = figures != null && most >= MOST_PARTS_SHARE * limit;
        return observation(
                PARTS,
                isMany ? TOO_MANY_PARTS : GOOD,
                figures != null && server.isCurrent(),
                Double.NaN,
                Severity.WARNING,
                now,
                LocalizedText.of(
                        "A table of the telemetry has " + Evidence.figure((double) most, "count")
                                + " parts of one day in ClickHouse. At "
                                + Evidence.figure((double) limit, "count")
                                + " it refuses inserts. Its merges fall behind: give it more CPU time"
                                + " or a faster disk",
                        "ClickHouse のテレメトリのテーブルに 1 日分のパートが "
                                + Evidence.figure((double) most, "count")
                                + " 個あります。" + Evidence.figure((double) limit, "count")
                                + " 個で挿入が拒否されます。マージが追いついていません。CPU またはディスクを増強してください"));
    }

    private static Observation observation(
            String subject,
            String state,
            boolean isObservable,
            double figure,
            Severity usual,
            Instant since,
            LocalizedText text) {
        return new Observation(
                AlertKind.RECORD_SERVER,
                subject,
                state,
                isObservable,
                figure,
                usual,
                since,
                text,
                List.of());
    }
}
