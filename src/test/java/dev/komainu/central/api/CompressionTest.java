package dev.komainu.central.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralTest;
import dev.komainu.central.access.Scope;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of which answers are compressed for a client that accepts it. */
class CompressionTest extends CentralTest {

    private final HttpClient http = HttpClient.newHttpClient();

    @AfterEach
    void close() {
        http.close();
    }

    @Test
    void longAnswer_isCompressed() throws Exception {
        HttpResponse<byte[]> answer =
                http.send(get("/api/v1/indices"), HttpResponse.BodyHandlers.ofByteArray());

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Encoding")).contains("gzip");
        String text = new String(
                new GZIPInputStream(new ByteArrayInputStream(answer.body())).readAllBytes(),
                StandardCharsets.UTF_8);
        assertThat(text).contains("arrivalPerSecond");
        assertThat(answer.body().length).isLessThan(text.length() / 2);
    }

    @Test
    void answerAboutASession_isNotCompressed() throws Exception {
        HttpResponse<byte[]> answer =
                http.send(get("/api/v1/session"), HttpResponse.BodyHandlers.ofByteArray());
        assertThat(answer.headers().allValues("Content-Encoding")).doesNotContain("gzip");
        assertThat(new String(answer.body(), StandardCharsets.UTF_8)).startsWith("{");
    }

    @Test
    void answerToACreation_isNotCompressed() throws Exception {
        // A refusal that repeats what was sent is as long as an answer must be to be compressed.
        HttpRequest request = HttpRequest.newBuilder(at("/api/v1/session"))
                .header("Accept-Encoding", "gzip")
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(
                        "{\"name\": \"nobody\", \"" + "x".repeat(4_000) + "\": 1}"))
                .build();
        HttpResponse<byte[]> answer = http.send(request, HttpResponse.BodyHandlers.ofByteArray());
        assertThat(answer.headers().allValues("Content-Encoding")).doesNotContain("gzip");
    }

    @Test
    void eventStream_isCompressed_andEachEventIsReadAtOnce() throws Exception {
        HttpResponse<InputStream> answer = http.send(
                get("/api/v1/stream?topics=services"), HttpResponse.BodyHandlers.ofInputStream());
        try (InputStream body = answer.body()) {
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.headers().firstValue("Content-Encoding")).contains("gzip");
            assertThat(answer.headers().allValues("Vary")).contains("Accept-Encoding");
            GZIPInputStream events = new GZIPInputStream(body);
            assertThat(line(events)).isEqualTo("retry: 2000");
            String line = line(events);
            while (!line.startsWith("data: ")) {
                line = line(events);
            }
            assertThat(line).contains("\"full\":true");
        }
    }

    /** Reads byte by byte: a reader with a buffer waits until later events have filled it. */
    private static String line(InputStream from) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = from.read(); next != '\n'; next = from.read()) {
            assertThat(next).as("after %s", line).isNotNegative();
            line.write(next);
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    @Test
    void eventStream_clientWithoutGzip_isPlain() throws Exception {
        HttpResponse<InputStream> answer = http.send(
                HttpRequest.newBuilder(at("/api/v1/stream?topics=services"))
                        .header("Authorization", "Bearer " + token(Scope.METRICS_READ))
                        .build(),
                HttpResponse.BodyHandlers.ofInputStream());
        try (InputStream body = answer.body()) {
            assertThat(answer.headers().firstValue("Content-Encoding")).isEmpty();
            assertThat(new String(body.readNBytes(6), StandardCharsets.UTF_8)).isEqualTo("retry:");
        }
    }

    private HttpRequest get(String path) {
        return HttpRequest.newBuilder(at(path))
                .header("Accept-Encoding", "gzip")
                .header("Authorization", "Bearer " + token(Scope.SERVERS_READ, Scope.METRICS_READ))
                .build();
    }

    private URI at(String path) {
        return URI.create("http://127.0.0.1:" + port() + path);
    }
}
