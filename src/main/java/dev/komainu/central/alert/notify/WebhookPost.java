package dev.komainu.central.alert.notify;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A POST of JSON to an address that an administrator configured. A redirect is not followed, so
 * that only the administrator chooses the target. The response's body is not read. Any thread.
 */
final class WebhookPost {

    private final HttpClient http;
    private final Duration timeout;

    WebhookPost(Duration timeout) {
        this.timeout = timeout;
        this.http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(timeout)
                .followRedirects(HttpClient.Redirect.NEVER)
                .build();
    }

    DeliveryOutcome send(String url, Map<String, String> headers, byte[] json) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url))
                .timeout(timeout)
                .header("Content-Type", "application/json")
                .header("User-Agent", "Komainu")
                .POST(HttpRequest.BodyPublishers.ofByteArray(json));
        headers.forEach(request::header);
        CompletableFuture<HttpResponse<InputStream>> answer =
                http.sendAsync(request.build(), HttpResponse.BodyHandlers.ofInputStream());
        try {
            // Twice the timeout: once to connect, once for the response. The client's own timeouts
            // usually end it earlier.
            HttpResponse<InputStream> response =
                    answer.get(2 * timeout.toMillis() + 500, TimeUnit.MILLISECONDS);
            close(response.body());
            return outcome(response.statusCode());
        } catch (TimeoutException e) {
            answer.cancel(true);
            return DeliveryOutcome.later("No response within " + 2 * timeout.toSeconds() + " s");
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            String message = cause.getMessage();
            return DeliveryOutcome.later(cause.getClass().getSimpleName()
                    + (message == null ? "" : ": " + message.replace(url, "…")));
        } catch (InterruptedException e) {
            answer.cancel(true);
            Thread.currentThread().interrupt();
            return DeliveryOutcome.later("interrupted");
        }
    }

    private static DeliveryOutcome outcome(int status) {
        String text = "HTTP " + status;
        if (status >= 200 && status < 300) {
            return DeliveryOutcome.delivered(text);
        }
        if (status >= 300 && status < 400) {
            return DeliveryOutcome.never(
                    text + " (a redirect is not followed; configure its target address)");
        }
        // 408, 425, 429: retry later (RFC 9110 section 15.5.9, RFC 8470, RFC 6585). Other 4xx: the
        // request is wrong.
        boolean later = status >= 500 || status == 408 || status == 425 || status == 429;
        return later ? DeliveryOutcome.later(text) : DeliveryOutcome.never(text);
    }

    private static void close(InputStream body) {
        try {
            body.close();
        } catch (IOException e) {
            // the status was enough
        }
    }
}
