package dev.komainu.central.api.guard;

import dev.komainu.central.access.Caller;
import dev.komainu.central.access.Scope;
import dev.komainu.central.api.problem.Problem;
import dev.komainu.central.api.problem.ProblemWriter;
import dev.komainu.central.limit.BytesExhaustedException;
import dev.komainu.central.limit.Refusal;
import dev.komainu.central.limit.Refusals;
import dev.komainu.central.limit.RequestLimit;
import dev.komainu.central.limit.Seats;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.regex.Pattern;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * The filter that limits the requests in progress, of all callers and of each, after authorization.
 * Event streams have seats of their own.
 */
final class CallerSeatsFilter extends OncePerRequestFilter {

    /** The routes whose results can be large. */
    private static final Pattern LARGE_RESULT = Pattern.compile(
            "/api/v1/(services/[^/]+/(connections|series)|caches/[^/]+/contents|audit)");

    private static final String STREAM = "/api/v1/stream";
    private static final String INGEST = "/api/v1/ingest";

    private final Seats requests = new Seats(
            RequestLimit.REQUESTS.value(),
            RequestLimit.REQUESTS_PER_CALLER.value(),
            RequestLimit.REQUESTS_FOR_ADMINISTRATORS.value());
    private final Seats batches = new Seats(
            RequestLimit.INGEST_REQUESTS.value(), RequestLimit.INGEST_REQUESTS.value(), 0);
    private final ProblemWriter writer;
    private final Refusals refusals;

    CallerSeatsFilter(ProblemWriter writer, Refusals refusals) {
        this.writer = writer;
        this.refusals = refusals;
    }

    @Override
    protected void doFilterInternal(
            HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        if (!(SecurityContextHolder.getContext().getAuthentication()
                instanceof CallerAuthentication authentication)) {
            chain.doFilter(request, response);
            return;
        }
        Caller caller = authentication.getPrincipal();
        RequestBodyFilter.authenticated(request, caller.name());
        String path = request.getServletPath();
        if (path.equals(STREAM)) {
            chain.doFilter(request, response);
            return;
        }
        boolean ingest = path.equals(INGEST);
        Seats seats = ingest ? batches : requests;
        switch (seats.take(caller.name(), caller.scopes().contains(Scope.ADMIN))) {
            case TAKEN -> {
                try {
                    if (LARGE_RESULT.matcher(path).matches()) {
                        RequestBodyFilter.takeResult(request);
                    }
                    chain.doFilter(request, response);
                } catch (BytesExhaustedException e) { // counted by the budget
                    writer.write(
                            request,
                            response,
                            Problem.of(503, "busy", "Not now", e.getMessage()),
                            Duration.ofSeconds(2));
                } finally {
                    seats.leave(caller.name());
                }
            }
            case ALL_TAKEN ->
                refuse(
                        request,
                        response,
                        ingest ? Refusal.INGEST_REQUESTS : Refusal.REQUESTS,
                        // Tomcat closes a connection after each 503. An agent whose batch waits
                        // keeps
                        // its connection, or each new attempt would cost a TLS handshake as well.
                        Problem.of(
                                ingest ? 429 : 503,
                                "busy",
                                "Not now",
                                "requests in progress: " + seats.taken() + " (the limit)"));
            case CALLERS_TAKEN ->
                refuse(
                        request,
                        response,
                        Refusal.REQUESTS_PER_CALLER,
                        Problem.of(
                                429,
                                "too-many-requests",
                                "Too many requests at a time",
                                "requests in progress of " + caller.name() + ": "
                                        + RequestLimit.REQUESTS_PER_CALLER.value()
                                        + " (the limit)"));
        }
    }

    private void refuse(
            HttpServletRequest request,
            HttpServletResponse response,
            Refusal reason,
            Problem problem)
            throws IOException {
        refusals.count(reason);
        writer.write(request, response, problem, Duration.ofSeconds(1));
    }
}
