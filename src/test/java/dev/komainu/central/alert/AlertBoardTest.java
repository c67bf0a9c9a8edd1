package dev.komainu.central.alert;

import static dev.komainu.central.state.ServiceState.NORMAL;
import static dev.komainu.central.state.ServiceState.SATURATED_CPU;
import static dev.komainu.central.state.ServiceState.SATURATED_PROCESSES;
import static dev.komainu.central.state.ServiceState.STOPPED_CRASHED;
import static dev.komainu.central.state.ServiceState.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.cluster.ClusterState;
import dev.komainu.central.control.ControlEngine;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of the notices by assessments, rules, silences and a clock. */
@ParameterizedClass
@EnumSource
class AlertBoardTest {

    private static final String WEB = "web:80";

    /** The notices, each as {@code firing web:80 saturated/cpu}. */
    private final List<String> notices = new ArrayList<>();

    private boolean hasReceiver = true;

    @Parameter
    private ControlEngine engine;

    private AlertStage stage;

    @BeforeEach
    void setUp() {
        stage = new AlertStage(engine.fresh(), made -> new NoticeQueue() {
            @Override
            public Runnable accept(Notice notice, List<String> receivers) {
                notices.add(notice.tell().text() + " " + notice.alert().subject() + " "
                        + notice.alert().state());
                return () -> {};
            }

            @Override
            public boolean reaches(List<String> receivers) {
                return hasReceiver;
            }
        });
    }

    @Test
    void service_saturated_isNotifiedOnceAtThatTickAndItsEndOnce() {
        stage.in(WEB, NORMAL).seconds(5).in(WEB, SATURATED_CPU).seconds(1);
        assertThat(notices).containsExactly("firing web:80 saturated/cpu");
        stage.seconds(300);
        assertThat(notices).hasSize(1);

        stage.in(WEB, NORMAL).seconds(29);
        assertThat(notices).as("clearSeconds is 30").hasSize(1);
        stage.seconds(60);

        assertThat(notices)
                .containsExactly("firing web:80 saturated/cpu", "resolved web:80 saturated/cpu");
        assertThat(stage.board().firing()).isEmpty();
        Alert kept = stage.table().ended(WEB, Long.MAX_VALUE, 10).getFirst().alert();
        assertThat(kept.endReason()).isEqualTo(Alert.RECOVERED);
        assertThat(kept.notices()).isEqualTo(2);
    }

    @Test
    void clockSetBackWhileItFires_itsEndIsNotifiedAfterTheUsualTime() {
        stage.in(WEB, SATURATED_CPU).seconds(10);
        stage.clock.pass(Duration.ofHours(-1));

        // Normal from the first tick on: the condition last held by the old clock.
        stage.in(WEB, NORMAL).seconds(29);
        assertThat(notices).containsExactly("firing web:80 saturated/cpu");
        stage.seconds(2);

        assertThat(notices)
                .containsExactly("firing web:80 saturated/cpu", "resolved web:80 saturated/cpu");
    }

    @Test
    void clockSetBackWhileItFires_aMissingServiceEndsItAfterTheUsualTime() {
        stage.in(WEB, STOPPED_CRASHED).seconds(10);
        stage.clock.pass(Duration.ofHours(-1));

        stage.in(WEB, null).seconds(62);

        assertThat(notices).endsWith("resolved web:80 stopped/crashed").hasSize(2);
    }

    @Test
    void clockSetBackWhileItFires_anotherCauseIsStillNotified() {
        stage.in(WEB, SATURATED_CPU).seconds(10);
        stage.clock.pass(Duration.ofHours(-1));

        stage.in(WEB, SATURATED_PROCESSES).seconds(62);

        assertThat(notices).endsWith("updated web:80 saturated/processes").hasSize(2);
    }

    @Test
    void clockAYearAhead_endedAlertsAreNotDeleted() {
        stage.in(WEB, STOPPED_CRASHED).seconds(5).in(WEB, NORMAL).seconds(60);
        Instant ahead = stage.clock.instant().plus(Duration.ofDays(400));

        stage.table().forgetEnded(ahead, 90);
        assertThat(stage.table().ended(WEB, Long.MAX_VALUE, 10)).hasSize(1);

        stage.clock.pass(Duration.ofDays(91));
        stage.in(WEB, STOPPED_CRASHED).seconds(5).in(WEB, NORMAL).seconds(60);
        stage.table().forgetEnded(stage.clock.instant(), 90);
        assertThat(stage.table().ended(WEB, Long.MAX_VALUE, 10))
                .as("one is too old now")
                .hasSize(1);
    }

    @Test
    void clockAYearAhead_silencesStay() {
        Instant now = stage.clock.instant();
        stage.silences()
                .create(
                        new Silence(
                                false,
                                WEB,
                                List.of(),
                                "work",
                                "ann",
                                now,
                                now.plus(Duration.ofHours(1))),
                        "ann",
                        null);

        stage.silences().forgetEnded(now.plus(Duration.ofDays(400)), 90);

        assertThat(stage.silences().running()).hasSize(1);
    }

    @Test
    void service_flapping_isOneAlert() {
        for (int i = 0; i < 20; i++) {
            stage.in(WEB, SATURATED_CPU).seconds(10).in(WEB, NORMAL).seconds(20);
        }
        stage.seconds(30);

        assertThat(notices)
                .containsExactly("firing web:80 saturated/cpu", "resolved web:80 saturated/cpu");
    }

    @Test
    void service_anotherCause_isAnUpdateOfTheSameAlert() {
        stage.in(WEB, SATURATED_CPU).seconds(1);
        String id = stage.board().firing().getFirst().id();

        stage.in(WEB, SATURATED_PROCESSES).seconds(59);
        assertThat(notices).as("of the same gravity: not within a minute").hasSize(1);
        stage.seconds(2);
        assertThat(notices).endsWith("updated web:80 saturated/processes");
        stage.in(WEB, STOPPED_CRASHED).seconds(1);

        assertThat(notices).endsWith("updated web:80 stopped/crashed").hasSize(3);
        assertThat(stage.board().firing().getFirst().id()).isEqualTo(id);
        assertThat(stage.board().firing().getFirst().severity()).isEqualTo(Severity.CRITICAL);
    }

    @Test
    void service_notObservable_neitherEndsNorFires() {
        stage.in(WEB, STOPPED_CRASHED).in("other:80", NORMAL).seconds(1);

        stage.in(WEB, UNKNOWN).in("other:80", UNKNOWN).seconds(600);
        assertThat(notices).containsExactly("firing web:80 stopped/crashed");
        stage.in(WEB, NORMAL).seconds(30);

        assertThat(notices).endsWith("resolved web:80 stopped/crashed").hasSize(2);
    }

    @Test
    void service_gone_endsWithThatReason() {
        stage.in(WEB, STOPPED_CRASHED).seconds(1).in(WEB, null).seconds(61);

        assertThat(notices).endsWith("resolved web:80 stopped/crashed");
        assertThat(stage.table()
                        .ended(WEB, Long.MAX_VALUE, 1)
                        .getFirst()
                        .alert()
                        .endReason())
                .isEqualTo(Alert.GONE);
    }

    private static ClusterState cluster(
            boolean parted, boolean contested, boolean flapping, boolean fresh) {
        Instant then = Instant.parse("2026-11-22T09:59:00Z");
        return new ClusterState(
                "shop",
                then,
                fresh,
                parted ? then : null,
                List.of(),
                List.of(new ClusterState.Member(
                        "web1", null, "", then, true, then, true, false, false, flapping, "up", 0,
                        0, null, null, null, List.of())),
                List.of(),
                List.of(),
                contested
                        ? List.of(new ClusterState.Conflict("h/", List.of("web1"), List.of("web2")))
                        : List.of());
    }

    @Test
    void cluster_partedContestedAndFlapping_isThreeAlertsThatEnd() {
        stage.clusters(cluster(false, false, false, true)).seconds(10);
        assertThat(notices).isEmpty();

        stage.clusters(cluster(true, true, true, true)).seconds(10);
        assertThat(notices)
                .containsExactlyInAnyOrder(
                        "firing shop parted", "firing shop contested", "firing shop/web1 flapping");
        assertThat(stage.board().firing())
                .filteredOn(alert -> alert.kind() == AlertKind.CLUSTER_PARTED)
                .extracting(Alert::severity)
                .containsExactly(Severity.CRITICAL);

        stage.clusters(cluster(false, false, false, false)).seconds(300);
        assertThat(notices).as("nobody reports: nothing is known to be over").hasSize(3);

        stage.clusters(cluster(false, false, false, true)).seconds(62);
        assertThat(notices)
                .contains(
                        "resolved shop parted",
                        "resolved shop contested",
                        "resolved shop/web1 flapping")
                .hasSize(6);
    }

    @Test
    void alert_thatLasts_isRepeatedAfterTheRulesHours() {
        stage.in(WEB, SATURATED_CPU).seconds(1);
        stage.clock.pass(Duration.ofHours(4));
        stage.seconds(2);
        stage.clock.pass(Duration.ofHours(4));
        stage.seconds(2);

        assertThat(notices)
                .containsExactly(
                        "firing web:80 saturated/cpu",
                        "repeated web:80 saturated/cpu",
                        "repeated web:80 saturated/cpu");
    }

    @Test
    void receiver_addedWhileItFires_isNotified() {
        hasReceiver = false;
        stage.in(WEB, SATURATED_CPU).in("db:80", SATURATED_CPU).seconds(60);
        assertThat(stage.board().firing()).hasSize(2).allMatch(alert -> alert.toldAt() == null);
        stage.in("db:80", NORMAL).seconds(31);
        hasReceiver = true;
        stage.seconds(2);

        assertThat(notices).containsExactly("firing web:80 saturated/cpu");
    }

    @Test
    void restart_whileFiring_notifiesNothingTwice() {
        stage.in(WEB, SATURATED_CPU).seconds(10);
        stage.restart();
        stage.seconds(100);
        assertThat(notices).containsExactly("firing web:80 saturated/cpu");

        stage.in(WEB, NORMAL).seconds(31);
        assertThat(notices).endsWith("resolved web:80 saturated/cpu").hasSize(2);
    }

    @Test
    void restart_endedMeanwhile_notifiesTheEnd() {
        stage.in(WEB, SATURATED_CPU).seconds(10);
        stage.clock.pass(Duration.ofMinutes(10));
        stage.restart();
        stage.in(WEB, NORMAL).seconds(31);

        assertThat(notices)
                .containsExactly("firing web:80 saturated/cpu", "resolved web:80 saturated/cpu");
    }

    @Test
    void rule_someOfTheLast_firesNotBefore() {
        only(new AlertRule(
                "8 of 10",
                AlertKind.SERVICE,
                List.of("saturated"),
                "web:*",
                8,
                10,
                0,
                0,
                null,
                null,
                List.of(),
                true));

        stage.in(WEB, SATURATED_CPU).seconds(4).in(WEB, NORMAL).seconds(3);
        stage.in(WEB, SATURATED_CPU)
                .seconds(3)
                .in("db:80", SATURATED_CPU)
                .in(WEB, STOPPED_CRASHED)
                .seconds(20);
        assertThat(notices).isEmpty();
        stage.in(WEB, SATURATED_CPU).seconds(7);
        assertThat(notices).isEmpty();
        stage.seconds(1);

        assertThat(notices).containsExactly("firing web:80 saturated/cpu");
    }

    @Test
    void rule_removed_endsItsAlerts() {
        stage.in(WEB, SATURATED_CPU).seconds(1);
        stage.rules().delete("services");
        stage.seconds(1);

        assertThat(notices).endsWith("resolved web:80 saturated/cpu");
        assertThat(stage.table()
                        .ended(WEB, Long.MAX_VALUE, 1)
                        .getFirst()
                        .alert()
                        .endReason())
                .isEqualTo(Alert.RULE);
    }

    @Test
    void silence_whileItRuns_suppressesAndThenNotifies() {
        silence(new Silence(
                false,
                "web:*",
                List.of("saturated"),
                "known",
                "me",
                stage.clock.instant(),
                in(Duration.ofMinutes(5))));
        stage.in(WEB, SATURATED_CPU).seconds(60);
        assertThat(notices).isEmpty();
        assertThat(stage.board().firing().getFirst().silencedBy()).isNotNull();

        stage.in("db:80", SATURATED_CPU).seconds(1);
        assertThat(notices).as("not covered").containsExactly("firing db:80 saturated/cpu");
        stage.in(WEB, STOPPED_CRASHED).seconds(1);
        assertThat(notices).as("another state").endsWith("firing web:80 stopped/crashed");
    }

    @Test
    void silence_over_notifiesAlertsThatStillFire() {
        silence(new Silence(
                true,
                WEB,
                List.of(),
                "new disk",
                "me",
                stage.clock.instant(),
                in(Duration.ofMinutes(5))));
        stage.in(WEB, STOPPED_CRASHED).seconds(299);
        assertThat(notices).isEmpty();

        stage.seconds(2);

        assertThat(notices).containsExactly("firing web:80 stopped/crashed");
        assertThat(stage.silences().running()).isEmpty();
    }

    @Test
    void silence_alertEndedWithin_isNeverNotified() {
        silence(new Silence(
                true,
                WEB,
                List.of(),
                "new disk",
                "me",
                stage.clock.instant(),
                in(Duration.ofMinutes(5))));
        stage.in(WEB, STOPPED_CRASHED).seconds(60).in(WEB, NORMAL).seconds(300);

        assertThat(notices).isEmpty();
        assertThat(stage.table().ended(WEB, Long.MAX_VALUE, 10)).hasSize(1);
    }

    @Test
    void silence_ofStates_coversTheirEndAndUnobservableTimes() {
        silence(new Silence(
                false,
                WEB,
                List.of("stopped"),
                "known",
                "me",
                stage.clock.instant(),
                in(Duration.ofMinutes(5))));
        stage.in(WEB, STOPPED_CRASHED).seconds(10).in(WEB, UNKNOWN).seconds(10);
        stage.in(WEB, NORMAL).seconds(60);

        assertThat(notices).isEmpty();
        assertThat(stage.table().ended(WEB, Long.MAX_VALUE, 10)).hasSize(1);
    }

    @Test
    void silence_overWhileTheEndIsPending_notifiesNothing() {
        silence(new Silence(
                true,
                WEB,
                List.of(),
                "new disk",
                "me",
                stage.clock.instant(),
                in(Duration.ofSeconds(70))));
        stage.in(WEB, STOPPED_CRASHED).seconds(60).in(WEB, NORMAL).seconds(60);

        assertThat(notices).isEmpty();
    }

    @Test
    void silence_afterTheFiringWasNotified_stillNotifiesTheEnd() {
        stage.in(WEB, STOPPED_CRASHED).seconds(1);
        silence(new Silence(
                true,
                WEB,
                List.of(),
                "mending",
                "me",
                stage.clock.instant(),
                in(Duration.ofHours(5))));
        stage.seconds(60).in(WEB, NORMAL).seconds(31);

        assertThat(notices)
                .containsExactly(
                        "firing web:80 stopped/crashed", "resolved web:80 stopped/crashed");
    }

    @Test
    void source_silent_isNotifiedButNotRightAfterAStart() {
        stage.source("agent@web", true, Map.of()).seconds(50);
        assertThat(notices).as("everybody gets the time to report").isEmpty();
        stage.source("agent@web", false, Map.of())
                .seconds(20)
                .source("agent@web", true, Map.of())
                .seconds(1);

        assertThat(notices).containsExactly("firing agent@web silent");
        stage.source("agent@web", false, Map.of()).seconds(31);
        assertThat(notices).endsWith("resolved agent@web silent").hasSize(2);
    }

    @Test
    void probe_losingPackets_isNotifiedWithItsRateAndRecords() {
        long lost = 1_000_000;
        for (int i = 0; i < 12; i++) {
            stage.source("agent@web", false, Map.of("kernel-drop", lost, "seen-twice", lost))
                    .seconds(10);
            lost += i < 5 ? 10 : 90;
        }
        assertThat(notices).containsExactly("firing agent@web losing-packets");

        stage.source("agent@web", false, Map.of("kernel-drop", lost, "spool-full", 1L))
                .seconds(1);
        assertThat(notices).endsWith("firing agent@web dropping-records");
    }

    @Test
    void store_nearlyFull_isNotified() {
        stage.disk(0.89).seconds(100);
        assertThat(notices).isEmpty();
        stage.disk(0.91).seconds(31);

        assertThat(notices).containsExactly("firing store nearly-full");
        assertThat(stage.board().firing().getFirst().text().en()).contains("91 %");
    }

    private void only(AlertRule rule) {
        stage.rules().all().forEach(each -> stage.rules().delete(each.id()));
        stage.rules().create(rule, "test", null);
    }

    private void silence(Silence silence) {
        stage.silences().create(silence, "test", null);
    }

    private java.time.Instant in(Duration time) {
        return stage.clock.instant().plus(time);
    }
}
