package dev.komainu.central.clickhouse;

import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** One ClickHouse server as seen by its HTTP interface. Any thread. */
final class ClickHouseNode {

    private static final Duration PING = Duration.ofSeconds(2);
    private static final int OK = 200;
    private static final int MOST_ERROR_BYTES = 1_000;

    private final URI server;
    private final String login;
    private final HttpClient http;
    /** True when the last request had no response. */
    private volatile boolean isSuspect;

    /**
     * Creates it; it does not connect yet.
     *
     * @param login value of the field {@code Authorization}
     */
    ClickHouseNode(URI server, String login, HttpClient http) {
        this.server = server;
        this.login = login;
        this.http = http;
    }

    URI server() {
        return server;
    }

    /** Fails at once, or in two seconds, if the server did not respond and still does not. */
    void requireResponse() throws ClickHouseException {
        if (isSuspect) {
            drain(exchange(HttpRequest.newBuilder(URI.create(server + "/ping")), PING)
                    .body());
        }
    }

    /** Reads a response to its end. */
    static void drain(InputStream response) throws ClickHouseException {
        try (response) {
            response.readAllBytes();
        } catch (IOException e) {
            throw ClickHouseException.unknown("ClickHouse: no whole response: " + e, e);
        }
    }

    /**
     * Sends a statement.
     *
     * @param parameters path and query of the request
     * @param patience time until the head of the response, and limit of each pause in its body
     * @return the body of a response that tells success
     */
    InputStream send(String parameters, byte[] body, Duration patience) throws ClickHouseException {
        Response response = exchange(
                HttpRequest.newBuilder(URI.create(server + parameters))
                        .header("Authorization", login)
                        .POST(BodyPublishers.ofByteArray(body)),
                patience);
        if (response.status() == OK) {
            return response.body();
        }
        try (InputStream error = response.body()) {
            throw ClickHouseException.refused(
                    response.status(),
                    new String(error.readNBytes(MOST_ERROR_BYTES), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw ClickHouseException.unknown("ClickHouse: " + e, e);
        }
    }

    /**
     * A response whose head has come.
     *
     * @param body fails when it pauses for longer than the head was waited for: a server may hang
     *     between both
     */
    private record Response(int status, InputStream body) {}

    /**
     * Sends a request and waits for the head of its response. The deadline is kept here: with a
     * server that was stopped, the client's own timeout was seen not to end a request.
     */
    private Response exchange(HttpRequest.Builder request, Duration patience)
            throws ClickHouseException {
        boolean isResponding = false;
        CompletableFuture<HttpResponse<InputStream>> pending =
                http.sendAsync(request.build(), BodyHandlers.ofInputStream());
        try {
            HttpResponse<InputStream> response =
                    pending.get(patience.toMillis(), TimeUnit.MILLISECONDS);
            isResponding = true;
            return new Response(response.statusCode(), new PromptStream(response.body(), patience));
        } catch (TimeoutException e) {
            pending.cancel(true);
            throw ClickHouseException.timeout(patience, e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            if (cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException) {
                throw ClickHouseException.notSent(
                        "ClickHouse: " + server + " cannot be reached", cause);
            }
            throw ClickHouseException.unknown("ClickHouse: " + cause, cause);
        } catch (InterruptedException e) {
            pending.cancel(true);
            Thread.currentThread().interrupt();
            throw ClickHouseException.unknown("ClickHouse: interrupted", e);
        } finally {
            isSuspect = !isResponding;
        }
    }
}
