package dev.komainu.central;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A client of the service: as a browser, with a token or without authentication. It checks every
 * response under {@code /api/v1} against the contract. Immutable; {@code with…} returns a changed
 * copy.
 */
public final class CentralClient {

    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final HttpClient http;
    private final URI base;
    private final Map<String, String> headers;

    private CentralClient(HttpClient http, URI base, Map<String, String> headers) {
        this.http = http;
        this.base = base;
        this.headers = Map.copyOf(headers);
    }

    /** Returns a client without authentication. */
    public static CentralClient at(int port) {
        return new CentralClient(HTTP, URI.create("http://127.0.0.1:" + port), Map.of());
    }

    /** A response. */
    public record Answer(int status, HttpHeaders headers, byte[] bytes) {
        public String body() {
            return new String(bytes, StandardCharsets.UTF_8);
        }

        public JsonNode json() {
            return JsonMapper.shared().readTree(bytes);
        }

        public String header(String name) {
            return headers.firstValue(name).orElse("");
        }

        /** Returns the last part of a problem's type. */
        public String problem() {
            return json().path("type").asString("").replaceFirst(".*:", "");
        }

        public Answer expect(int expected) {
            assertThat(status).as(body()).isEqualTo(expected);
            return this;
        }
    }

    public CentralClient withHeader(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new CentralClient(http, base, more);
    }

    public CentralClient withToken(String secret) {
        return withHeader("Authorization", "Bearer " + secret);
    }

    /** Returns a client with another loopback address, such as 127.0.0.9. */
    public CentralClient from(String address) {
        HttpClient other = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .localAddress(InetAddress.ofLiteral(address))
                .build();
        return new CentralClient(other, base, headers);
    }

    /** Logs in and returns a client with the cookie and the CSRF token. */
    public CentralClient login(String name, String password) {
        Answer answer = post("/api/v1/session", Map.of("name", name, "password", password))
                .expect(200);
        return withHeader("Cookie", answer.header("Set-Cookie").replaceFirst(";.*", ""))
                .withHeader("X-CSRF-Token", answer.json().get("csrfToken").asString());
    }

    public Answer get(String path) {
        return send("GET", path, null);
    }

    public Answer post(String path, @Nullable Object body) {
        return send("POST", path, body);
    }

    public Answer put(String path, Object body) {
        return send("PUT", path, body);
    }

    public Answer patch(String path, Object body) {
        return send("PATCH", path, body);
    }

    public Answer delete(String path) {
        return send("DELETE", path, null);
    }

    /**
     * Sends a request.
     *
     * @param body written as JSON; a String or byte[] is sent unchanged
     */
    public Answer send(String method, String path, @Nullable Object body) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(base.resolve(path)).timeout(Duration.ofSeconds(20));
        if (body != null && !headers.containsKey("Content-Type")) {
            request.header("Content-Type", "application/json");
        }
        headers.forEach(request::header);
        request.method(method, publisher(body));
        try {
            HttpResponse<byte[]> response =
                    http.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
            Answer answer = new Answer(response.statusCode(), response.headers(), response.body());
            if (path.startsWith("/api/v1/")) {
                OpenApiContract.get()
                        .check(
                                method,
                                path,
                                answer.status(),
                                answer.header("Content-Type"),
                                answer.body());
            }
            return answer;
        } catch (IOException e) {
            throw new IllegalStateException(method + " " + path, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /**
     * Returns the HTTP client, for operations that this class does not have, such as reading a
     * stream.
     */
    public HttpRequest.Builder request(String path) {
        HttpRequest.Builder request = HttpRequest.newBuilder(base.resolve(path));
        headers.forEach(request::header);
        return request;
    }

    public HttpClient http() {
        return http;
    }

    private static HttpRequest.BodyPublisher publisher(@Nullable Object body) {
        return switch (body) {
            case null -> HttpRequest.BodyPublishers.noBody();
            case byte[] bytes -> HttpRequest.BodyPublishers.ofByteArray(bytes);
            case String text -> HttpRequest.BodyPublishers.ofString(text);
            default ->
                HttpRequest.BodyPublishers.ofByteArray(JsonMapper.shared().writeValueAsBytes(body));
        };
    }
}
