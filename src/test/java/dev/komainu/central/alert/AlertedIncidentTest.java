package dev.komainu.central.alert;

import static dev.komainu.central.state.ServiceState.NORMAL;
import static dev.komainu.central.state.ServiceState.SATURATED_CPU;
import static dev.komainu.central.state.ServiceState.SATURATED_PROCESSES;
import static dev.komainu.central.state.ServiceState.UPSTREAM_FAULT;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of the notices about services that depend on each other: a proxy before one server. */
class AlertedIncidentTest {

    private static final String PROXY = "proxy:80";
    private static final String SERVER = "app:8080";

    private final List<String> notices = new ArrayList<>();
    private final List<Alert> alerts = new ArrayList<>();

    private final AlertStage stage = new AlertStage(made -> new NoticeQueue() {
        @Override
        public Runnable accept(Notice notice, List<String> receivers) {
            notices.add(notice.tell().text() + " " + notice.alert().subject() + " "
                    + notice.alert().state());
            alerts.add(notice.alert());
            return () -> {};
        }

        @Override
        public boolean reaches(List<String> receivers) {
            return true;
        }
    });

    @BeforeEach
    void allNormal() {
        stage.in(SERVER, NORMAL).in(PROXY, NORMAL).behind(PROXY, SERVER).seconds(2);
    }

    @Test
    void proxyIsNamedFirst_theOneAlertIsOfTheServer() {
        stage.in(PROXY, UPSTREAM_FAULT).seconds(3);
        assertThat(notices).as("the server may turn out to be the root").isEmpty();

        stage.in(SERVER, SATURATED_PROCESSES).seconds(120);
        assertThat(notices).containsExactly("firing app:8080 saturated/processes");
        assertThat(alerts.getFirst().text().en())
                .isEqualTo("Cause of saturated/processes. Also affected: proxy:80");
        assertThat(stage.board().firing()).hasSize(1);

        stage.in(SERVER, NORMAL).seconds(20);
        assertThat(notices).as("the proxy still feels it").hasSize(1);
        stage.in(PROXY, NORMAL).seconds(60);
        assertThat(notices)
                .containsExactly(
                        "firing app:8080 saturated/processes",
                        "resolved app:8080 saturated/processes");
        assertThat(alerts.getLast().endReason()).isEqualTo(Alert.RECOVERED);
    }

    @Test
    void serverStaysNormal_theProxyIsToldAfterEightSeconds() {
        stage.in(PROXY, UPSTREAM_FAULT).seconds(8);
        assertThat(notices).isEmpty();
        stage.seconds(1);
        assertThat(notices).containsExactly("firing proxy:80 upstream-fault");
    }

    @Test
    void ruleThatCoversOnlyTheProxy_namesTheRoot() {
        only("proxy:*", 0);
        stage.in(SERVER, SATURATED_PROCESSES).in(PROXY, UPSTREAM_FAULT).seconds(1);
        assertThat(notices).containsExactly("firing proxy:80 upstream-fault");
        assertThat(alerts.getFirst().text().en())
                .isEqualTo("Cause of upstream-fault. Root of the incident: app:8080");
    }

    @Test
    void incidentIsContinuedByAnother_itsAlertEnds() {
        stage.in(SERVER, SATURATED_PROCESSES).in(PROXY, SATURATED_CPU).seconds(2);
        assertThat(notices)
                .containsExactlyInAnyOrder(
                        "firing app:8080 saturated/processes", "firing proxy:80 saturated/cpu");

        stage.in(PROXY, UPSTREAM_FAULT).seconds(1);

        assertThat(notices).last().isEqualTo("resolved proxy:80 saturated/cpu");
        assertThat(alerts.getLast().endReason()).isEqualTo(Alert.MERGED);
        assertThat(stage.board().firing()).extracting(Alert::subject).containsExactly(SERVER);
    }

    @Test
    void ruleWithALongerClearTimeThanTheIncident_endsAsRecovered() {
        only(null, 300);
        stage.in(SERVER, SATURATED_PROCESSES).seconds(5).in(SERVER, NORMAL).seconds(299);
        assertThat(notices).hasSize(1);
        stage.seconds(2);
        assertThat(notices).last().isEqualTo("resolved app:8080 saturated/processes");
        assertThat(alerts.getLast().endReason()).isEqualTo(Alert.RECOVERED);
    }

    @Test
    void restartedDuringAnIncident_nothingIsToldAgain() {
        stage.in(SERVER, SATURATED_PROCESSES).in(PROXY, UPSTREAM_FAULT).seconds(5);
        stage.restart();
        stage.seconds(60);
        assertThat(notices).hasSize(1);
        assertThat(stage.board().firing()).hasSize(1);
    }

    @Test
    void silenceOfTheServer_keepsBackTheWholeIncident() {
        stage.silences()
                .create(
                        new Silence(
                                false,
                                SERVER,
                                List.of(),
                                "test",
                                "admin",
                                stage.clock.instant(),
                                stage.clock.instant().plus(Duration.ofHours(1))),
                        "admin",
                        null);
        stage.in(SERVER, SATURATED_PROCESSES).in(PROXY, UPSTREAM_FAULT).seconds(30);
        assertThat(notices).isEmpty();
        assertThat(stage.board().firing()).hasSize(1);
    }

    private void only(@Nullable String service, int clearSeconds) {
        stage.rules().all().forEach(each -> stage.rules().delete(each.id()));
        stage.rules()
                .create(
                        new AlertRule(
                                "only",
                                AlertKind.SERVICE,
                                List.of(),
                                service,
                                1,
                                1,
                                clearSeconds,
                                0,
                                null,
                                null,
                                List.of(),
                                true),
                        "test",
                        null);
    }
}
