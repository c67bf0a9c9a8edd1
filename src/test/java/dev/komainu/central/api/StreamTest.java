package dev.komainu.central.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralClient;
import dev.komainu.central.CentralTest;
import dev.komainu.central.OpenApiContract;
import dev.komainu.central.access.Role;
import dev.komainu.central.access.Scope;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.json.JsonMapper;

/** The event stream over a real connection. */
@Timeout(30)
class StreamTest extends CentralTest {

    @Test
    void stream_changeRecorded_isToldWithItsId() throws Exception {
        try (Listener listener = listen(machine(Scope.METRICS_READ), "changes", null)) {
            record("stream-a:80");

            Map<String, String> event = listener.next("stream-a:80");

            assertThat(event.get("event")).isEqualTo("change");
            assertThat(event.get("id")).matches("[0-9a-z]+-\\d+");
            OpenApiContract.get().checkSchema("Change", event.get("data"));
        }
    }

    @Test
    void stream_returnedWithLastEventId_isSentWhatItMissed() throws Exception {
        String seen;
        try (Listener listener = listen(machine(Scope.METRICS_READ), "changes", null)) {
            record("stream-b1:80");
            seen = listener.next("stream-b1:80").get("id");
        }
        record("stream-b2:80");
        record("stream-b3:80");

        try (Listener listener = listen(machine(Scope.METRICS_READ), "changes", seen)) {
            assertThat(listener.next("").get("data")).contains("stream-b2:80");
            assertThat(listener.next("").get("data")).contains("stream-b3:80");
        }
    }

    @Test
    void stream_idOfAnotherLife_isReset() throws Exception {
        try (Listener listener = listen(machine(Scope.METRICS_READ), "changes", "otherlife-5")) {
            assertThat(listener.next("").get("event")).isEqualTo("reset");
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
                .isEqualTo("topics: weather (expected: overview, changes or service:ID)");
        machine(Scope.METRICS_READ).get("/api/v1/stream").expect(400);
    }

    private void record(String service) {
        browser(Role.OPERATOR)
                .post("/api/v1/changes", Map.of("service", service, "title", "t"))
                .expect(201);
    }

    private static Listener listen(CentralClient client, String topics, String lastEventId)
            throws IOException, InterruptedException {
        CentralClient known = lastEventId == null ? client : client.withHeader("Last-Event-ID", lastEventId);
        HttpResponse<InputStream> response = known.http()
                .send(
                        known.request("/api/v1/stream?topics=" + topics).build(),
                        HttpResponse.BodyHandlers.ofInputStream());
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Type").orElse("")).startsWith("text/event-stream");
        return new Listener(response.body());
    }

    /** Reads events as a browser does. */
    private record Listener(BufferedReader in) implements AutoCloseable {

        Listener(InputStream body) {
            this(new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8)));
        }

        /** The next event whose data has this text; others are passed over. */
        Map<String, String> next(String text) throws IOException {
            Map<String, String> event = new LinkedHashMap<>();
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.isEmpty()) {
                    if (event.containsKey("data") && event.get("data").contains(text)) {
                        assertThat(JsonMapper.shared().readTree(event.get("data")))
                                .isNotNull();
                        return event;
                    }
                    event.clear();
                } else if (!line.startsWith(":")) {
                    event.put(line.substring(0, line.indexOf(':')), line.substring(line.indexOf(':') + 2));
                }
            }
            throw new AssertionError("the stream ended");
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }
}
