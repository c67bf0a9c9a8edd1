package dev.komainu.central.oidc;

import com.nimbusds.jose.util.Resource;
import com.nimbusds.jose.util.ResourceRetriever;
import dev.komainu.central.identity.AuthorityTls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.URL;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;

/**
 * The HTTP client of all requests to the provider. Spring Security's and Nimbus's own clients limit
 * neither the size nor the whole time of a response, so they send their requests through this one.
 * Redirects are not followed. Any thread; a call blocks until the response is complete.
 *
 * <table><caption>Limits</caption>
 * <tr><th>what</th><th>limit</th><th>beyond it</th></tr>
 * <tr><td>connecting</td><td>5 s</td><td>the call fails</td></tr>
 * <tr><td>complete response</td><td>10 s</td><td>the call fails</td></tr>
 * <tr><td>body</td><td>256 KB</td><td>the call fails</td></tr>
 * <tr><td>calls at a time</td><td>8</td><td>the call fails at once</td></tr>
 * </table>
 */
final class ProviderConnection implements ClientHttpRequestInterceptor, ResourceRetriever {

    static final int MOST_BYTES = 256 << 10;
    static final int MOST_CALLS = 8;
    private static final Duration CONNECT = Duration.ofSeconds(5);

    /** Header fields that the HTTP client writes itself. */
    private static final Set<String> OWN_FIELDS = Set.of("content-length", "host", "connection");

    private final HttpClient http;
    private final Duration patience;
    private final Semaphore calls = new Semaphore(MOST_CALLS);

    /**
     * Creates a client.
     *
     * @param authorities PEM file of the provider's authorities; absent: those of Java
     * @param patience time until a response must be complete
     * @throws IOException when the file cannot be read
     */
    ProviderConnection(@Nullable Path authorities, Duration patience) throws IOException {
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(CONNECT)
                .followRedirects(HttpClient.Redirect.NEVER);
        if (authorities != null) {
            builder.sslContext(AuthorityTls.of(authorities));
        }
        this.http = builder.build();
        this.patience = patience;
    }

    /**
     * Returns the body of a document.
     *
     * @throws IOException for any other status than 200, too
     */
    byte[] get(URI uri) throws IOException {
        HttpResponse<byte[]> response = send(HttpRequest.newBuilder(uri)
                .header("Accept", "application/json")
                .GET()
                .build());
        if (response.statusCode() != 200) {
            throw new IOException(uri + ": status " + response.statusCode() + " (expected: 200)");
        }
        return response.body();
    }

    /** Retrieves the provider's keys, for Nimbus. */
    @Override
    public Resource retrieveResource(URL url) throws IOException {
        return new Resource(
                new String(get(URI.create(url.toString())), StandardCharsets.UTF_8),
                "application/json");
    }

    /** Sends a request of Spring's clients. */
    @Override
    public ClientHttpResponse intercept(
            org.springframework.http.HttpRequest request,
            byte[] body,
            ClientHttpRequestExecution execution)
            throws IOException {
        HttpRequest.Builder sent = HttpRequest.newBuilder(request.getURI())
                .method(
                        request.getMethod().name(),
                        body.length == 0
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofByteArray(body));
        request.getHeaders().forEach((name, values) -> {
            if (!OWN_FIELDS.contains(name.toLowerCase(Locale.ROOT))) {
                values.forEach(value -> sent.header(name, value));
            }
        });
        return new Received(send(sent.build()));
    }

    private HttpResponse<byte[]> send(HttpRequest request) throws IOException {
        if (!calls.tryAcquire()) {
            throw new IOException(
                    "calls to the OpenID provider in progress: " + MOST_CALLS + " (the limit)");
        }
        try {
            CompletableFuture<HttpResponse<byte[]>> response = http.sendAsync(
                    request,
                    HttpResponse.BodyHandlers.limiting(
                            HttpResponse.BodyHandlers.ofByteArray(), MOST_BYTES));
            try {
                return response.get(patience.toMillis(), TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                response.cancel(true);
                throw new HttpTimeoutException(address(request) + ": no complete response within "
                        + patience.toSeconds() + " s");
            } catch (ExecutionException e) {
                throw new IOException(address(request) + ": " + e.getCause(), e.getCause());
            } catch (InterruptedException e) {
                response.cancel(true);
                Thread.currentThread().interrupt();
                throw new InterruptedIOException(address(request));
            }
        } finally {
            calls.release();
        }
    }

    /** Returns the address without its query, which may hold a secret. */
    private static String address(HttpRequest request) {
        return request.uri().toString().replaceFirst("\\?.*", "");
    }

    /** A complete response, for Spring's clients. */
    private record Received(HttpResponse<byte[]> response) implements ClientHttpResponse {

        @Override
        public HttpStatusCode getStatusCode() {
            return HttpStatusCode.valueOf(response.statusCode());
        }

        @Override
        public String getStatusText() {
            return "";
        }

        @Override
        public HttpHeaders getHeaders() {
            HttpHeaders headers = new HttpHeaders();
            response.headers().map().forEach(headers::addAll);
            return headers;
        }

        @Override
        public InputStream getBody() {
            return new ByteArrayInputStream(response.body());
        }

        @Override
        public void close() {
            // Nothing is open: the body is complete.
        }
    }
}
