package dev.komainu.central.standby;

import dev.komainu.central.api.problem.Problem;
import dev.komainu.central.api.problem.ProblemWriter;
import dev.komainu.central.lease.Lease;
import dev.komainu.central.lease.PeerCentre;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Collections;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * The filter that sends each request for data to the holder of the lease, and its response back, as
 * they are: a body is never held as a whole, and each part of an event stream is passed on at once.
 * Any thread.
 *
 * <p>A request that was sent and got no response is not repeated, because it may have had its
 * effect: the client gets 502 and knows as much as without this centre.
 */
final class RequestForwarder extends OncePerRequestFilter {

    /** Fields of one connection (RFC 9110 section 7.6.1), and what this client writes itself. */
    private static final Set<String> HOP = Set.of(
            "connection",
            "keep-alive",
            "proxy-connection",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade",
            "expect",
            "host",
            "content-length");

    private static final Set<String> METHODS_WITHOUT_BODY = Set.of("GET", "HEAD", "OPTIONS");
    private static final Duration CONNECT = Duration.ofSeconds(2);
    private static final Duration AGAIN = Duration.ofSeconds(1);
    private static final int COPIED = 16 * 1_024;

    private final Supplier<Lease> lease;
    private final ProblemWriter writer;
    private final HttpClient client;

    /**
     * Creates the filter.
     *
     * @param tls trust in the other centres' certificates; absent: that of the Java runtime
     */
    RequestForwarder(Supplier<Lease> lease, ProblemWriter writer, @Nullable SSLContext tls) {
        this.lease = lease;
        this.writer = writer;
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(CONNECT);
        this.client = (tls == null ? builder : builder.sslContext(tls)).build();
    }

    /** Reports whether the holder answers this path; all other paths are the console's files. */
    static boolean isForwarded(String path) {
        return path.startsWith("/api/") || path.equals("/metrics");
    }

    @Override
    protected void doFilterInternal(
            HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        if (!isForwarded(request.getRequestURI())) {
            chain.doFilter(request, response);
            return;
        }
        Lease holder = lease.get();
        if (!holder.held() || holder.address().isEmpty()) {
            refuse(request, response, 503, "no central service judges at this moment");
            return;
        }
        HttpResponse<InputStream> answer;
        try {
            answer = client.send(
                    forwarded(request, holder), HttpResponse.BodyHandlers.ofInputStream());
        } catch (IOException e) {
            boolean sent = !(e instanceof java.net.ConnectException
                    || e instanceof java.net.http.HttpConnectTimeoutException);
            refuse(
                    request,
                    response,
                    sent ? 502 : 503,
                    "the central service that judges, " + holder.holder()
                            + (sent ? ", ended the connection" : ", does not respond"));
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            refuse(request, response, 503, "this central service ends");
            return;
        }
        answerWith(answer, response);
    }

    private HttpRequest forwarded(HttpServletRequest request, Lease holder) throws IOException {
        String query = request.getQueryString();
        HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create(
                holder.address() + request.getRequestURI() + (query == null ? "" : "?" + query)));
        for (String name : Collections.list(request.getHeaderNames())) {
            if (!HOP.contains(name.toLowerCase(Locale.ROOT)) && !PeerCentre.isField(name)) {
                Collections.list(request.getHeaders(name))
                        .forEach(value -> builder.header(name, value));
            }
        }
        PeerCentre.fields(holder.secret(), request).forEach(builder::header);
        return builder.method(request.getMethod(), body(request)).build();
    }

    private static HttpRequest.BodyPublisher body(HttpServletRequest request) throws IOException {
        boolean none = METHODS_WITHOUT_BODY.contains(request.getMethod())
                || (request.getContentLengthLong() <= 0
                        && request.getHeader("Transfer-Encoding") == null);
        if (none) {
            return HttpRequest.BodyPublishers.noBody();
        }
        InputStream in = request.getInputStream();
        HttpRequest.BodyPublisher body = HttpRequest.BodyPublishers.ofInputStream(() -> in);
        return request.getContentLengthLong() < 0
                ? body
                : HttpRequest.BodyPublishers.fromPublisher(body, request.getContentLengthLong());
    }

    private static void answerWith(HttpResponse<InputStream> answer, HttpServletResponse response)
            throws IOException {
        response.setStatus(answer.statusCode());
        answer.headers().map().forEach((name, values) -> {
            if (!HOP.contains(name.toLowerCase(Locale.ROOT)) && !name.startsWith(":")) {
                values.forEach(value -> response.addHeader(name, value));
            }
        });
        answer.headers()
                .firstValueAsLong("content-length")
                .ifPresent(response::setContentLengthLong);
        try (InputStream in = answer.body()) {
            OutputStream out = response.getOutputStream();
            byte[] part = new byte[COPIED];
            for (int n = in.read(part); n >= 0; n = in.read(part)) {
                out.write(part, 0, n);
                // An event must not wait for the next one.
                response.flushBuffer();
            }
        }
    }

    private void refuse(
            HttpServletRequest request, HttpServletResponse response, int status, String detail)
            throws IOException {
        writer.write(
                request,
                response,
                Problem.of(status, "no-judge", "No central service judges", detail),
                AGAIN);
    }
}
