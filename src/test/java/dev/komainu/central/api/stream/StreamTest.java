package dev.komainu.central.api.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.central.CentralClient;
import dev.komainu.central.CentralTest;
import dev.komainu.central.OpenApiContract;
import dev.komainu.central.access.ApiTokens;
import dev.komainu.central.access.Role;
import dev.komainu.central.access.Scope;
import dev.komainu.central.limit.RequestLimit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;

/** Tests of the event stream over a real connection. */
@Timeout(120)
class StreamTest extends CentralTest {

    @Autowired
    private ApiTokens tokens;

    @Test
    void stream_changeRecorded_isSentWithItsId() throws Exception {
        try (StreamListener listener =
                StreamListener.open(machine(Scope.METRICS_READ), "changes", null)) {
            record("stream-a:80");

            Map<String, String> event = listener.next("stream-a:80");

            assertThat(event.get("event")).isEqualTo("change");
            assertThat(event.get("id")).matches("[0-9a-z]+-\\d+");
            OpenApiContract.get().checkSchema("Change", event.get("data"));
        }
    }

    @Test
    void stream_returnedWithLastEventId_isSentWhatItMissed() throws Exception {
        String lastId;
        try (StreamListener listener =
                StreamListener.open(machine(Scope.METRICS_READ), "changes", null)) {
            record("stream-b1:80");
            lastId = listener.next("stream-b1:80").get("id");
        }
        record("stream-b2:80");
        record("stream-b3:80");

        try (StreamListener listener =
                StreamListener.open(machine(Scope.METRICS_READ), "changes", lastId)) {
            assertThat(listener.next("").get("data")).contains("stream-b2:80");
            assertThat(listener.next("").get("data")).contains("stream-b3:80");
        }
    }

    @Test
    void stream_idOfAnotherRun_isReset() throws Exception {
        try (StreamListener listener =
                StreamListener.open(machine(Scope.METRICS_READ), "changes", "otherlife-5")) {
            assertThat(listener.next("").get("event")).isEqualTo("reset");
        }
    }

    /** The check's period, 10 s, is a matter of StreamPaceTest; here the stream must end at all. */
    @Test
    void streamOfRevokedToken_ends() throws Exception {
        ApiTokens.Created token =
                tokens.create("revoked", List.of(Scope.METRICS_READ), Duration.ofHours(1), "test");
        try (StreamListener listener =
                StreamListener.open(stranger().withToken(token.secret()), "changes", null)) {
            tokens.revoke(token.token().id());

            assertThatThrownBy(() -> listener.next("never")).hasMessage("the stream ended");
        }
    }

    @Test
    void streams_oneTokenTakesAllSeats_othersStillGetOne() throws Exception {
        CentralClient greedy = stranger()
                .withToken(tokens.create(
                                "greedy", List.of(Scope.METRICS_READ), Duration.ofHours(1), "test")
                        .secret());
        List<StreamListener> taken = new ArrayList<>();
        try {
            for (int i = 0; i < RequestLimit.STREAMS_PER_CALLER.value(); i++) {
                taken.add(StreamListener.open(greedy, "changes", null));
            }

            assertThat(greedy.get("/api/v1/stream?topics=changes").expect(503).problem())
                    .isEqualTo("too-many-subscribers");
            taken.add(StreamListener.open(browser(Role.ADMINISTRATOR), "changes", null));
        } finally {
            for (StreamListener listener : taken) {
                listener.close();
            }
        }
    }

    @Test
    void stream_unknownTopic_isRefused() {
        assertThat(machine(Scope.METRICS_READ)
                        .get("/api/v1/stream?topics=overview,weather")
                        .expect(400)
                        .json()
                        .get("detail")
                        .asString())
                .isEqualTo(
                        "topics[1]: weather (expected: services, overview, changes, alerts, verifications, orders or service:ID)");
        machine(Scope.METRICS_READ).get("/api/v1/stream").expect(400);
    }

    private void record(String service) {
        browser(Role.OPERATOR)
                .post("/api/v1/changes", Map.of("service", service, "title", "t"))
                .expect(201);
    }
}
