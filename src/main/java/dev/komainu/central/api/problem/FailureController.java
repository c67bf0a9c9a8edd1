package dev.komainu.central.api.problem;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The endpoint that turns failures outside the controllers (in a filter, in the container) into
 * problems.
 */
@RestController
public class FailureController implements ErrorController {

    private final ProblemWriter writer;

    public FailureController(ProblemWriter writer) {
        this.writer = writer;
    }

    @RequestMapping("/error")
    void write(HttpServletRequest request, HttpServletResponse response) throws IOException {
        int status =
                request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE) instanceof Integer code
                        ? code
                        : 404;
        Object cause = request.getAttribute(RequestDispatcher.ERROR_EXCEPTION);
        Object path = request.getAttribute(RequestDispatcher.ERROR_REQUEST_URI);
        Problem problem = switch (status) {
            case 400 -> Problem.malformed("The request cannot be read");
            case 401 -> Problem.unauthenticated("The request has neither a session nor a token");
            case 403 -> Problem.forbidden("Not allowed");
            case 404 -> Problem.notFound("path", String.valueOf(path));
            default ->
                status < 500
                        ? Problem.of(status, "http-" + status, "The request is not valid", null)
                        : ProblemAdvice.internal(cause instanceof Throwable t ? t : null, request);
        };
        writer.write(request, response, path == null ? problem : problem.at(path.toString()));
    }
}
