package dev.komainu.central.api.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralClient;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A reader of the event stream, as in a browser. */
public record StreamListener(BufferedReader in) implements AutoCloseable {

    public static StreamListener open(
            CentralClient client, String topics, @Nullable String lastEventId)
            throws IOException, InterruptedException {
        CentralClient known =
                lastEventId == null ? client : client.withHeader("Last-Event-ID", lastEventId);
        HttpResponse<InputStream> response = known.http()
                .send(
                        known.request("/api/v1/stream?topics=" + topics).build(),
                        HttpResponse.BodyHandlers.ofInputStream());
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Type").orElse(""))
                .startsWith("text/event-stream");
        return new StreamListener(
                new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8)));
    }

    /** Returns the next event whose data contains this text; others are skipped. */
    public Map<String, String> next(String text) throws IOException {
        Map<String, String> event = new LinkedHashMap<>();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.isEmpty()) {
                if (event.getOrDefault("data", "").contains(text) && event.containsKey("data")) {
                    return event;
                }
                event.clear();
            } else if (!line.startsWith(":")) {
                event.put(
                        line.substring(0, line.indexOf(':')),
                        line.substring(line.indexOf(':') + 2));
            }
        }
        throw new AssertionError("the stream ended");
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
