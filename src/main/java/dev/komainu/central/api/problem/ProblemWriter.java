package dev.komainu.central.api.problem;

import dev.komainu.central.control.ControlDataFailure;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** The writer of a problem to a response, for filters before the controllers. Any thread. */
@Component
public class ProblemWriter {

    public static final String MEDIA_TYPE = "application/problem+json";

    /** Time after which a client asks again while the control data are away. */
    private static final Duration AWAY = Duration.ofSeconds(5);

    private final JsonMapper mapper;

    public ProblemWriter(JsonMapper mapper) {
        this.mapper = mapper;
    }

    public void write(HttpServletRequest request, HttpServletResponse response, Problem problem)
            throws IOException {
        write(request, response, problem, null);
    }

    public void write(
            HttpServletRequest request,
            HttpServletResponse response,
            Problem problem,
            @Nullable Duration retryAfter)
            throws IOException {
        if (response.isCommitted()) {
            return;
        }
        response.resetBuffer();
        response.setStatus(problem.status());
        if (problem.status() == 401 && !response.containsHeader("WWW-Authenticate")) {
            response.setHeader("WWW-Authenticate", "Bearer realm=\"komainu\"");
        }
        if (retryAfter != null) {
            response.setHeader("Retry-After", seconds(retryAfter));
        }
        response.setContentType(MEDIA_TYPE);
        byte[] body = mapper.writeValueAsBytes(problem.at(request.getRequestURI()));
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }

    /**
     * Writes the problem of an outage of the control data.
     *
     * @return false when the exception is none; nothing is written then
     */
    public boolean writeAway(
            HttpServletRequest request, HttpServletResponse response, Throwable failure)
            throws IOException {
        ControlDataFailure found = ControlDataFailure.of(failure);
        if (found.isOutage()) {
            write(request, response, Problem.controlAway(found), AWAY);
        }
        return found.isOutage();
    }

    /** Returns whole seconds, rounded up, at least 1. */
    private static String seconds(Duration wait) {
        return Long.toString(Math.max(1, wait.plusMillis(999).toSeconds()));
    }
}
