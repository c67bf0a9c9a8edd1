package dev.komainu.central.alert.notify;

import static org.assertj.core.api.Assertions.assertThat;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import dev.komainu.central.alert.AlertStage;
import dev.komainu.central.assessment.Assessment;
import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.assessment.LiveFeed;
import dev.komainu.central.fleet.Fleet;
import dev.komainu.central.fleet.FleetTable;
import dev.komainu.central.indices.BaselineTable;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.LiveIndices;
import dev.komainu.central.indices.Told;
import dev.komainu.central.state.RuleSet;
import dev.komainu.central.state.ServiceState;
import dev.komainu.central.state.StateHistory;
import dev.komainu.central.state.StateModel;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.TelemetryRecord;
import jakarta.mail.Message;
import jakarta.mail.MessagingException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests of the complete path: records of a saturation come in, a real SMTP server has the mail. The
 * clock is set second by second.
 */
class MailFromRecordsTest {

    private static final String NODE = "web-01";
    private static final String SERVICE = "web-01:80";

    private final GreenMail server = NoticeDispatchers.mailServer(ServerSetup.PROTOCOL_SMTP);
    private NoticeDispatcher dispatcher;
    private AlertStage stage;
    private LiveFeed intake;
    private Assessor assessor;
    private int second;

    @BeforeEach
    void setUp() {
        server.start();
        stage = new AlertStage(made -> dispatcher = NoticeDispatchers.of(made, null));
        NoticeDispatchers.add(stage, NoticeDispatchers.mail(server.getSmtp().getPort(), "ja"));
        stage.restart();
        IndexCatalogue catalogue = new IndexCatalogue();
        LiveIndices live = new LiveIndices(catalogue);
        Fleet fleet = new Fleet(FleetTable.FORGETFUL, stage.clock);
        assessor = new Assessor(
                fleet,
                live,
                catalogue,
                new StateModel(RuleSet.load(catalogue)),
                new StateHistory(stage.jdbc),
                new BaselineTable(stage.jdbc),
                stage.clock);
        assessor.listen(stage::assess);
        intake = new LiveFeed(fleet, live, stage.clock);
    }

    @AfterEach
    void tearDown() {
        server.stop();
    }

    @Test
    void saturation_isMailedWithin15SecondsOfItsNamingAndItsEndToo() throws Exception {
        play(60, false);
        assertThat(server.getReceivedMessages()).isEmpty();

        int named = play(35, true);
        assertThat(named).isPositive();
        assertThat(mailedAt - named)
                .as("seconds from the named state to the mail")
                .isBetween(0, 15);
        assertThat(server.getReceivedMessages()).as("one for each of two").hasSize(2);
        Message firing = only("発生: web-01:80 – 飽和:プロセス");
        assertThat(text(firing))
                .contains("測定値:", "閾値")
                .contains(
                        "http://komainu.test/#/services/web-01:80",
                        "http://komainu.test/#/tuning/web-01:80?entered=");
        assertThat(firing.getHeader("Auto-Submitted")).containsExactly("auto-generated");

        play(70, false);
        assertThat(server.getReceivedMessages()).hasSize(4);
        Message resolved = only("解消: web-01:80 – 飽和:プロセス");
        assertThat(resolved.getHeader("References")).isEqualTo(firing.getHeader("References"));
    }

    private int mailedAt = -1;

    /** Runs a period. Returns the first second in which the service was saturated; -1: never. */
    private int play(int seconds, boolean busy) {
        int named = -1;
        for (int i = 0; i < seconds; i++, second++) {
            long now = stage.clock.instant().getEpochSecond();
            List<TelemetryRecord> records = new ArrayList<>();
            records.add(sighting(now));
            records.add(Told.packets(
                    SERVICE,
                    now,
                    busy
                            ? Map.of("rps", 70.0, "done", 66.0, "ms", 450.0, "waiting", 30.0)
                            : Map.of("rps", 20.0, "ms", 150.0)));
            if (second % 10 == 0) {
                records.add(Told.host(
                        NODE,
                        SERVICE,
                        now + 1,
                        Map.of("idle", busy ? 0.55 : 0.8, "processes", busy ? 11.0 : 4.0)));
            }
            stage.clock.pass(Duration.ofSeconds(1));
            intake.stored(new Batch(new BatchId("agent@" + NODE, 1, second + 1), records));
            assessor.tick();
            dispatcher.runDue();
            Assessment latest = assessor.latest();
            boolean saturated = latest.services().stream()
                    .anyMatch(each -> each.judgement().state() == ServiceState.SATURATED_PROCESSES);
            if (named < 0 && saturated) {
                named = second;
            }
            if (mailedAt < 0 && server.getReceivedMessages().length > 0) {
                mailedAt = second;
            }
        }
        return named;
    }

    /** Returns the first recipient's mail of this subject; the other recipient has the same. */
    private Message only(String subject) throws MessagingException {
        List<Message> found = new ArrayList<>();
        for (Message each : server.getReceivedMessages()) {
            if (each.getSubject().equals(subject)) {
                found.add(each);
            }
        }
        assertThat(found).as(subject).hasSize(2);
        return found.getFirst();
    }

    private static String text(Message message) throws IOException, MessagingException {
        return message.getContent().toString();
    }

    private static ServiceSighting sighting(long second) {
        return new ServiceSighting(
                SERVICE,
                NODE,
                "apache :80",
                "apache",
                "2.4.62",
                List.of(Endpoint.parse("192.0.2.80:80")),
                new ServiceSighting.ServerProcess(100L, "/usr/sbin/apache2"),
                List.of(new ServiceSighting.Setting(
                        "MaxRequestWorkers", "10", "/etc/apache2/mpm.conf:7")),
                second * 1_000_000);
    }
}
