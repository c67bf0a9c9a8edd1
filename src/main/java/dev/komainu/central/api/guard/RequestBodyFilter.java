package dev.komainu.central.api.guard;

import dev.komainu.central.api.problem.BodyRefusedException;
import dev.komainu.central.api.problem.Problem;
import dev.komainu.central.api.problem.ProblemWriter;
import dev.komainu.central.limit.BytesExhaustedException;
import dev.komainu.central.limit.BytesInHand;
import dev.komainu.central.limit.LimitedConnection;
import dev.komainu.central.limit.LimitedConnections;
import dev.komainu.central.limit.Refusal;
import dev.komainu.central.limit.Refusals;
import dev.komainu.central.limit.RequestLimit;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * The filter that limits each request's body before anything reads it: by its announced length at
 * once, by its count, its time and the budget of bytes in hand while it is read.
 */
final class RequestBodyFilter extends OncePerRequestFilter {

    private static final String IN_PROGRESS = RequestBodyFilter.class.getName();
    private static final Set<String> SESSION = Set.of(
            "/api/v1/session",
            "/api/v1/session/code",
            "/api/v1/session/password",
            "/api/v1/session/oidc/back-channel-logout");
    private static final String INGEST = "/api/v1/ingest";

    /** Heap that one byte of JSON needs at most as text and as objects. */
    private static final int HEAP_PER_JSON_BYTE = 4;

    private final ProblemWriter writer;
    private final BytesInHand budget;
    private final Refusals refusals;
    private final LongSupplier nanoTime;

    RequestBodyFilter(
            ProblemWriter writer, BytesInHand budget, Refusals refusals, LongSupplier nanoTime) {
        this.writer = writer;
        this.budget = budget;
        this.refusals = refusals;
        this.nanoTime = nanoTime;
    }

    /** The resources that a request in progress holds. */
    private record Held(
            BytesInHand.Holding holding,
            @Nullable LimitedConnection connection,
            @Nullable LimitedBody body) {

        void authenticated(String caller) {
            holding.authenticated();
            if (connection != null) {
                connection.authenticated(caller);
            }
            if (body != null) {
                body.authenticated();
            }
        }
    }

    /** Notes that a request has an authenticated caller, and so the limits of callers. */
    static void authenticated(HttpServletRequest request, String caller) {
        if (request.getAttribute(IN_PROGRESS) instanceof Held held) {
            held.authenticated(caller);
        }
    }

    /**
     * Takes the heap of a large result from the budget, until the request ends.
     *
     * @throws BytesExhaustedException when the budget has fewer bytes left
     */
    static void takeResult(HttpServletRequest request) {
        if (request.getAttribute(IN_PROGRESS) instanceof Held held) {
            held.holding().take(RequestLimit.RESULT_BYTES.value());
        }
    }

    @Override
    protected boolean shouldNotFilterErrorDispatch() {
        return false;
    }

    @Override
    protected void doFilterInternal(
            HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        LimitedConnection connection = LimitedConnections.current();
        if (request.getDispatcherType() == DispatcherType.ERROR) {
            // Tomcat's error page for a client that cannot receive it would cost more than its
            // request.
            if (connection == null || connection.cutFor() == null) {
                chain.doFilter(request, response);
            }
            return;
        }
        long length = request.getContentLengthLong();
        boolean body = length > 0 || request.getHeader("Transfer-Encoding") != null;
        ServletInputStream in = body ? request.getInputStream() : null;
        if (connection != null) {
            connection.headComplete(in != null && (length < 0 || in.available() < length));
        }
        try (BytesInHand.Holding holding = budget.open(true)) {
            int most = most(request.getServletPath());
            if (length > most) {
                refusals.count(Refusal.BODY_BYTES);
                response.setHeader("Connection", "close");
                writer.write(request, response, tooLarge(length + " bytes", most));
                return;
            }
            if (in != null) {
                LimitedBody limited = new LimitedBody(
                        in,
                        most,
                        most == Integer.MAX_VALUE ? 0 : HEAP_PER_JSON_BYTE,
                        holding,
                        refusals,
                        connection,
                        nanoTime);
                request.setAttribute(IN_PROGRESS, new Held(holding, connection, limited));
                ServletInputStream complete = limited;
                if (SESSION.contains(request.getServletPath())) {
                    complete = complete(limited, connection, request, response);
                    if (complete == null) {
                        return;
                    }
                }
                chain.doFilter(new WithBody(request, complete), response);
            } else {
                request.setAttribute(IN_PROGRESS, new Held(holding, connection, null));
                chain.doFilter(request, response);
            }
        } finally {
            if (connection != null) {
                connection.answered(in != null && !in.isFinished());
            }
        }
    }

    /**
     * Reads the whole small body of a route that is open to strangers, so that a body that drips
     * costs no more than a waiting thread: neither the other filters nor the parser began.
     *
     * @return the body; null when it was refused
     */
    private @Nullable ServletInputStream complete(
            LimitedBody body,
            @Nullable LimitedConnection connection,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        try {
            return new CompleteBody(body);
        } catch (BodyRefusedException e) {
            response.setHeader("Connection", "close");
            writer.write(request, response, e.problem(), e.retryAfter());
            return null;
        } catch (IOException e) {
            if (connection != null && connection.cutFor() != null) {
                return null; // its client gets no response
            }
            writer.write(request, response, Problem.malformed("body: absent or truncated"));
            return null;
        }
    }

    /** Returns the limit of a route's body. The ingest checks and counts its bodies itself. */
    private static int most(String path) {
        if (SESSION.contains(path)) {
            return RequestLimit.SESSION_BODY.value();
        }
        return path.equals(INGEST) ? Integer.MAX_VALUE : RequestLimit.BODY.value();
    }

    static Problem tooLarge(String actual, int most) {
        return Problem.of(
                413,
                "body-too-large",
                "The body is too large",
                "body: " + actual + " (expected: at most " + most + ")");
    }

    /** The request with its limited body. */
    private static final class WithBody extends HttpServletRequestWrapper {

        private final ServletInputStream body;

        WithBody(HttpServletRequest request, ServletInputStream body) {
            super(request);
            this.body = body;
        }

        @Override
        public ServletInputStream getInputStream() {
            return body;
        }

        @Override
        public BufferedReader getReader() {
            return new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8));
        }
    }
}
