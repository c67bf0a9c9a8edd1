package dev.komainu.central.alert.notify;

import static dev.komainu.central.state.ServiceState.NORMAL;
import static dev.komainu.central.state.ServiceState.SATURATED_CPU;
import static dev.komainu.central.state.ServiceState.STOPPED_CRASHED;
import static dev.komainu.telemetry.kit.FreePort.freePort;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import com.sun.net.httpserver.HttpServer;
import dev.komainu.central.alert.AlertStage;
import dev.komainu.central.control.ControlEngine;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests of webhooks to a real HTTP server: signature, format, retries, queue limit, restart. */
@ParameterizedClass
@EnumSource
class NoticeDispatcherTest {

    private static final String WEB = "web:80";

    @Parameter
    private ControlEngine engine;

    private HttpServer http;
    private final Deque<Integer> answers = new ArrayDeque<>();
    private final List<Received> got = new CopyOnWriteArrayList<>();
    private NoticeDispatcher dispatcher;
    private AlertStage stage;

    private record Received(String path, String signature, String delivery, byte[] body) {
        JsonNode json() {
            return JsonMapper.shared().readTree(body);
        }
    }

    @BeforeEach
    void setUp() throws IOException {
        http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        http.createContext("/", exchange -> {
            got.add(new Received(
                    exchange.getRequestURI().getPath(),
                    exchange.getRequestHeaders().getFirst(Signature.HEADER),
                    exchange.getRequestHeaders().getFirst("Komainu-Delivery"),
                    exchange.getRequestBody().readAllBytes()));
            Integer answer = answers.poll();
            exchange.getResponseHeaders().add("Location", "/elsewhere");
            exchange.sendResponseHeaders(answer == null ? 200 : answer, -1);
            exchange.close();
        });
        http.start();
        stage = new AlertStage(
                engine.fresh(), made -> dispatcher = NoticeDispatchers.of(made, null));
    }

    @AfterEach
    void tearDown() {
        http.stop(0);
    }

    @Test
    void webhook_firingAndResolved_isAlertmanagersShapeAndSigned() throws Exception {
        hook(Receiver.Type.WEBHOOK);
        fire();
        dispatcher.runDue();

        Received firing = got.getFirst();
        assertThat(firing.signature())
                .isEqualTo(signed(firing, stage.clock.instant().getEpochSecond()));
        JsonNode message = firing.json();
        assertThat(message.get("version").asString()).isEqualTo("4");
        assertThat(message.get("status").asString()).isEqualTo("firing");
        assertThat(message.get("groupKey").asString())
                .isEqualTo("{}:{alertname=\"Services\", service=\"web:80\"}");
        assertThat(message.get("externalURL").asString()).isEqualTo("http://komainu.test");
        assertThat(message.at("/commonLabels/severity").asString()).isEqualTo("critical");
        assertThat(message.at("/alerts/0/endsAt").asString()).isEqualTo("0001-01-01T00:00:00Z");
        assertThat(message.at("/alerts/0/labels/state").asString()).isEqualTo("stopped/crashed");

        stage.in(WEB, NORMAL).seconds(30);
        dispatcher.runDue();

        JsonNode resolved = got.get(1).json();
        assertThat(resolved.get("status").asString()).isEqualTo("resolved");
        assertThat(resolved.at("/alerts/0/endsAt").asString())
                .isEqualTo(stage.clock.instant().toString());
        assertThat(resolved.at("/alerts/0/fingerprint"))
                .isEqualTo(message.at("/alerts/0/fingerprint"));
        assertThat(resolved.get("groupKey")).isEqualTo(message.get("groupKey"));
    }

    @Test
    void clockAYearAheadAtAStart_deliveriesAreNotDeleted() {
        hook(Receiver.Type.WEBHOOK);
        fire();
        dispatcher.runDue();
        stage.clock.pass(Duration.ofDays(400));

        stage.restart();
        dispatcher.start();
        dispatcher.stop();

        assertThat(stage.jdbc
                        .sql("select count(*) from alert_delivery")
                        .query(Integer.class)
                        .single())
                .isEqualTo(1);
    }

    @Test
    void clockSetBackWhileANoticeWaits_itIsNotDelayedByAnHour() {
        hook(Receiver.Type.WEBHOOK);
        answers.add(503);
        fire();
        dispatcher.runDue();
        assertThat(got).hasSize(1);

        stage.clock.pass(Duration.ofHours(-1));
        dispatcher.runDue();

        assertThat(got).hasSize(2);
    }

    @Test
    void slack_notice_escapesWhatSlackWouldRead() {
        hook(Receiver.Type.SLACK);
        stage.in("<!channel>&:80", STOPPED_CRASHED).seconds(1);
        dispatcher.runDue();

        JsonNode message = got.getFirst().json();
        assertThat(message.get("text").asString())
                .isEqualTo("Firing: &lt;!channel&gt;&amp;:80 – stopped: crashed");
        assertThat(message.at("/blocks/1/text/text").asString())
                .contains("Cause of stopped/crashed");
        assertThat(got.getFirst().signature()).isNull();
    }

    @Test
    void receiver_down_isRetriedWithGrowingPausesUntilItResponds() {
        String id = hook(Receiver.Type.WEBHOOK);
        answers.addAll(List.of(503, 500, 429));
        fire();

        int[] due = {0, 5, 15, 45};
        for (int pause : due) {
            stage.clock.pass(Duration.ofSeconds(Math.max(0, pause - 1)));
            int before = got.size();
            if (pause > 0) {
                dispatcher.runDue();
                assertThat(got).as("not before its time").hasSize(before);
                stage.clock.pass(Duration.ofSeconds(1));
            }
            dispatcher.runDue();
            assertThat(got).hasSize(before + 1);
        }
        stage.clock.pass(Duration.ofHours(1));
        dispatcher.runDue();

        assertThat(got)
                .hasSize(4)
                .extracting(Received::delivery)
                .containsOnly(got.getFirst().delivery());
        DeliveryTable.Row kept = deliveries(id).getFirst();
        assertThat(kept.status()).isEqualTo("delivered");
        assertThat(kept.attempts())
                .extracting(DeliveryTable.Attempt::outcome)
                .containsExactly("HTTP 503", "HTTP 500", "HTTP 429", "HTTP 200");
    }

    @Test
    void receiver_connectionRefused_isGivenUpInTheEnd() {
        String id = NoticeDispatchers.add(
                stage,
                NoticeDispatchers.hook(
                        Receiver.Type.WEBHOOK, "http://127.0.0.1:" + freePort() + "/"));
        fire();
        for (int i = 0; i < 60; i++) {
            dispatcher.runDue();
            stage.clock.pass(Duration.ofMinutes(10));
        }

        DeliveryTable.Row kept = deliveries(id).getFirst();
        assertThat(kept.status()).isEqualTo("failed");
        assertThat(kept.outcome())
                .startsWith("Given up after ")
                .contains("Not reachable, or not allowed");
        assertThat(stage.meters
                        .get("komainu.alerts.notices")
                        .tag("outcome", "failed")
                        .counter()
                        .count())
                .isEqualTo(1);
    }

    @Test
    void redirect_isNotFollowedAndNotTriedAgain() {
        String id = hook(Receiver.Type.WEBHOOK);
        answers.add(302);
        fire();
        dispatcher.runDue();
        stage.clock.pass(Duration.ofHours(1));
        dispatcher.runDue();

        assertThat(got).extracting(Received::path).containsExactly("/hook");
        assertThat(deliveries(id).getFirst().status()).isEqualTo("failed");
        assertThat(deliveries(id).getFirst().outcome()).contains("redirect");
    }

    @Test
    void queue_full_dropsTheOldestAndCountsIt() {
        String id = hook(Receiver.Type.WEBHOOK);
        for (int i = 1; i <= 5; i++) {
            stage.in("s" + i + ":80", STOPPED_CRASHED).seconds(1);
        }
        dispatcher.runDue();

        assertThat(got)
                .extracting(each -> each.json().at("/groupLabels/service").asString())
                .containsExactly("s3:80", "s4:80", "s5:80");
        assertThat(stage.meters
                        .get("komainu.alerts.notices")
                        .tag("outcome", "dropped")
                        .counter()
                        .count())
                .isEqualTo(2);
        assertThat(deliveries(id))
                .extracting(DeliveryTable.Row::status)
                .containsExactly("delivered", "delivered", "delivered", "dropped", "dropped");
    }

    @Test
    void order_endNeverOvertakesItsBeginning() {
        hook(Receiver.Type.WEBHOOK);
        answers.add(503);
        fire();
        dispatcher.runDue();
        stage.in(WEB, NORMAL).seconds(3);
        stage.in(WEB, NORMAL).seconds(27);
        dispatcher.runDue();

        assertThat(got)
                .extracting(each -> each.json().get("status").asString())
                .containsExactly("firing", "firing", "resolved");
    }

    @Test
    void restart_inBetween_deliversWaitingNoticesOnce() {
        hook(Receiver.Type.WEBHOOK);
        answers.add(503);
        fire();
        dispatcher.runDue();

        stage.restart();
        stage.seconds(5);
        dispatcher.runDue();
        stage.seconds(60);
        dispatcher.runDue();

        assertThat(got)
                .hasSize(2)
                .extracting(Received::delivery)
                .containsOnly(got.getFirst().delivery());
    }

    @Test
    void receiver_edited_isTriedAtOnceAndRemoved_dropsWhatWaits() {
        String id = hook(Receiver.Type.WEBHOOK);
        answers.addAll(List.of(503, 503));
        fire();
        dispatcher.runDue();
        dispatcher.edited(id);
        dispatcher.runDue();
        assertThat(got).hasSize(2);

        new Receivers(stage.jdbc, TestSecrets.CIPHER).delete(id);
        dispatcher.removed(id);
        stage.clock.pass(Duration.ofHours(1));
        dispatcher.runDue();

        assertThat(got).hasSize(2);
        assertThat(deliveries(id).getFirst().status()).isEqualTo("dropped");
    }

    @Test
    void threads_oneReceiverHangs_theOtherIsNotified() throws Exception {
        java.util.concurrent.CountDownLatch hold = new java.util.concurrent.CountDownLatch(1);
        HttpServer slow =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        slow.createContext("/", exchange -> {
            try {
                hold.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            exchange.close();
        });
        slow.start();
        GreenMail mail = NoticeDispatchers.mailServer(ServerSetup.PROTOCOL_SMTP);
        mail.start();
        try {
            NoticeDispatchers.add(
                    stage,
                    NoticeDispatchers.hook(
                            Receiver.Type.WEBHOOK,
                            "http://127.0.0.1:" + slow.getAddress().getPort() + "/"));
            NoticeDispatchers.add(stage, NoticeDispatchers.mail(mail.getSmtp().getPort(), "en"));
            stage.restart();
            dispatcher.start();
            stage.in(WEB, SATURATED_CPU).seconds(1);

            await().atMost(Duration.ofSeconds(120))
                    .until(() -> mail.getReceivedMessages().length == 2);
            assertThat(mail.getReceivedMessages()[0].getSubject())
                    .isEqualTo("Firing: web:80 – saturated: CPU");
        } finally {
            dispatcher.stop();
            hold.countDown();
            slow.stop(0);
            mail.stop();
        }
    }

    private void fire() {
        stage.restart(); // the dispatcher reads the receivers from the database
        stage.in(WEB, STOPPED_CRASHED).seconds(1);
    }

    private String hook(Receiver.Type type) {
        String id = NoticeDispatchers.add(
                stage,
                NoticeDispatchers.hook(
                        type, "http://127.0.0.1:" + http.getAddress().getPort() + "/hook"));
        stage.restart();
        return id;
    }

    private List<DeliveryTable.Row> deliveries(String receiver) {
        return new DeliveryTable(stage.jdbc).list(receiver, Long.MAX_VALUE, 100);
    }

    /** Returns the signature, computed as docs/alerts.md describes for receivers. */
    private static String signed(Received got, long second) throws Exception {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(
                "sixteen-characters".getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        mac.update((second + ".").getBytes(StandardCharsets.UTF_8));
        return "t=" + second + ",v1=" + HexFormat.of().formatHex(mac.doFinal(got.body()));
    }
}
