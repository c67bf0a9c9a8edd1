package dev.komainu.central.alert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.room.RoomState;
import dev.komainu.central.store.RecordServerFigures;
import dev.komainu.central.store.RecordServerState;
import dev.komainu.central.store.RecordServerState.Condition;
import dev.komainu.central.store.SystemLogUse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The alerts about the server of the telemetry, with the rule that comes with the schema. */
class RecordServerAlertTest {

    private final List<String> notices = new ArrayList<>();

    private final AlertStage stage = new AlertStage(made -> new NoticeQueue() {
        @Override
        public Runnable accept(Notice notice, List<String> receivers) {
            notices.add(notice.tell().text() + " " + notice.alert().subject() + " "
                    + notice.alert().state());
            return () -> {};
        }

        @Override
        public boolean reaches(List<String> receivers) {
            return true;
        }
    });

    private void server(
            Condition condition,
            @Nullable Instant since,
            Duration oldest,
            long mostParts,
            boolean isCurrent) {
        server(condition, since, oldest, mostParts, isCurrent, List.of());
    }

    private void server(
            Condition condition,
            @Nullable Instant since,
            Duration oldest,
            long mostParts,
            boolean isCurrent,
            List<RecordServerFigures.Member> members) {
        stage.recordServer(new RecordServerState(
                "http://127.0.0.1:8123/komainu",
                condition,
                since,
                since == null ? null : "ClickHouse: no response within 15000 ms",
                oldest,
                new RecordServerFigures(
                        stage.clock.instant(),
                        "18.16.1",
                        List.of(new RecordServerFigures.Table("windows", 1, mostParts, mostParts)),
                        null,
                        300,
                        true,
                        0,
                        0,
                        members),
                isCurrent,
                List.of(),
                new SystemLogUse(List.of(), false, 1, 7, 0, null)));
    }

    private void stores() {
        server(Condition.STORING, null, Duration.ZERO, 10, true);
    }

    private void waits(int seconds) {
        server(Condition.STORING, null, Duration.ofSeconds(seconds), 10, true);
    }

    private void parts(long most, boolean isCurrent) {
        server(Condition.STORING, null, Duration.ZERO, most, isCurrent);
    }

    private void goneSince(Condition condition, Instant since) {
        server(condition, since, Duration.ZERO, 10, false);
    }

    @Test
    void serverAway_isToldAfterAMinuteOnce_alsoAcrossARestart_andEndsByItself() {
        stores();
        stage.seconds(5);
        goneSince(Condition.AWAY, stage.clock.instant());
        stage.seconds(59);
        assertThat(notices).isEmpty();
        stage.seconds(1);
        assertThat(notices).containsExactly("firing connection away");
        assertThat(stage.board().firing().getFirst().text().en())
                .contains("http://127.0.0.1:8123/komainu", "no response within 15000 ms");

        stage.restart();
        stage.seconds(100);
        assertThat(notices).hasSize(1);
        stores();
        stage.seconds(29);
        assertThat(notices).hasSize(1);
        stage.seconds(2);
        assertThat(notices).containsExactly("firing connection away", "resolved connection away");
        assertThat(stage.board().firing()).isEmpty();
    }

    @Test
    void shortOutages_areNotTold() {
        for (int i = 0; i < 3; i++) {
            goneSince(Condition.AWAY, stage.clock.instant());
            stage.seconds(50);
            stores();
            stage.seconds(20);
        }
        assertThat(notices).isEmpty();
    }

    @Test
    void serverThatRespondsButDoesNotStore_isToldAsThat() {
        goneSince(Condition.NOT_STORING, stage.clock.instant());
        stage.seconds(60);
        assertThat(notices).containsExactly("firing connection not-storing");
    }

    @Test
    void batchThatWaitsForAMinute_isToldAtOnce() {
        waits(59);
        stage.seconds(100);
        assertThat(notices).isEmpty();
        waits(60);
        stage.seconds(1);
        assertThat(notices).containsExactly("firing writing late");
        stores();
        stage.seconds(31);
        assertThat(notices).endsWith("resolved writing late");
    }

    @Test
    void halfOfThePartsAtWhichInsertsAreRefused_isTold_andLastsWhileTheyAreNotKnown() {
        parts(149, true);
        stage.seconds(100);
        assertThat(notices).isEmpty();
        parts(150, true);
        stage.seconds(1);
        assertThat(notices).containsExactly("firing parts too-many-parts");
        parts(10, false);
        stage.seconds(100);
        assertThat(notices).hasSize(1);
        parts(10, true);
        stage.seconds(31);
        assertThat(notices).endsWith("resolved parts too-many-parts");
    }

    @Test
    void serverOfTheClusterAwayForAMinute_isToldByItsAddressWhileOthersStore() {
        RecordServerFigures.Member complete =
                new RecordServerFigures.Member("http://a/k", "s0", "r0", null, false, 0, 0, null);
        RecordServerFigures.Member away = new RecordServerFigures.Member(
                "http://b/k", "s0", "r1", "cannot be reached", false, 0, 0, stage.clock.instant());
        server(Condition.STORING, null, Duration.ZERO, 10, true, List.of(complete, away));
        stage.seconds(59);
        assertThat(notices).isEmpty();
        stage.seconds(1);
        assertThat(notices).containsExactly("firing replicas incomplete");
        assertThat(stage.board().firing().getFirst().text().en())
                .contains("http://b/k (cannot be reached)")
                .doesNotContain("http://a/k");
        server(Condition.STORING, null, Duration.ZERO, 10, true, List.of(complete));
        stage.seconds(31);
        assertThat(notices).endsWith("resolved replicas incomplete");
    }

    @Test
    void diskOfTheServer_isToldByItsName() {
        stores();
        stage.rooms()
                .add(new RoomState(RoomState.RECORD_SERVER, 1 << 20, 64 << 20, true, false, false));
        stage.seconds(1);
        assertThat(notices).containsExactly("firing clickhouse no-room");
        assertThat(stage.board().firing().getFirst().text().en()).contains("disk of ClickHouse");
    }
}
