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
            // Twice: once to connect, once to answer. The client's own time-outs end it before, as
            // a rule.
            HttpResponse<InputStream> response =
                    answer.get(2 * timeout.toMillis() + 500, TimeUnit.MILLISECONDS);
            close(response.body());
            return judge(response.statusCode());
        } catch (TimeoutException e) {
            answer.cancel(true);
            return DeliveryOutcome.later("no answer within " + 2 * timeout.toSeconds() + " s");
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

    private static DeliveryOutcome judge(int status) {
        String words = "HTTP " + status;
        if (status >= 200 && status < 300) {
            return DeliveryOutcome.delivered(words);
        }
        if (status >= 300 && status < 400) {
            return DeliveryOutcome.never(
                    words + " (a redirect is not followed; give the address it leads to)");
        }
        // 408, 425, 429: come again (RFC 9110 section 15.5.9, RFC 8470, RFC 6585). Other 4xx: the
        // request is wrong.
        boolean later = status >= 500 || status == 408 || status == 425 || status == 429;
        return later ? DeliveryOutcome.later(words) : DeliveryOutcome.never(words);
    }

    private static void close(InputStream body) {
        try {
            body.close();
        } catch (IOException e) {
            // what came was enough
        }
    }
}
