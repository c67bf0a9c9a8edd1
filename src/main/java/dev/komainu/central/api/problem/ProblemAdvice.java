package dev.komainu.central.api.problem;

import dev.komainu.central.control.ControlDataFailure;
import dev.komainu.central.limit.Refusal;
import dev.komainu.central.limit.Refusals;
import dev.komainu.central.store.StoreException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import org.apache.catalina.connector.ClientAbortException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.TypeMismatchException;
import org.springframework.dao.DataAccessException;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.transaction.TransactionException;
import org.springframework.validation.FieldError;
import org.springframework.web.ErrorResponse;
import org.springframework.web.HttpMediaTypeNotAcceptableException;
import org.springframework.web.HttpMediaTypeNotSupportedException;
import org.springframework.web.HttpRequestMethodNotSupportedException;
import org.springframework.web.bind.MethodArgumentNotValidException;
import org.springframework.web.bind.MissingServletRequestParameterException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.async.AsyncRequestNotUsableException;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;
import org.springframework.web.servlet.resource.NoResourceFoundException;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.StreamConstraintsException;

/**
 * The conversion of exceptions of controllers into problems. Only unexpected exceptions are logged,
 * each with a trace id.
 */
@RestControllerAdvice
public class ProblemAdvice {

    private static final Logger log = LoggerFactory.getLogger(ProblemAdvice.class);

    /** Time after which a client asks for telemetry again. */
    private static final Duration RECORDS = Duration.ofSeconds(5);

    private final ProblemWriter writer;
    private final Refusals refusals;

    public ProblemAdvice(ProblemWriter writer, Refusals refusals) {
        this.writer = writer;
        this.refusals = refusals;
    }

    @ExceptionHandler
    void expected(ProblemException e, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        writer.write(request, response, e.problem(), e.retryAfter());
    }

    /** Responds to a body that was refused while it was read. */
    @ExceptionHandler
    void refusedBody(
            BodyRefusedException e, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        writer.write(request, response, e.problem(), e.retryAfter());
    }

    /**
     * Responds to malformed JSON with its position, or with the path of a field of a wrong type.
     */
    @ExceptionHandler
    void unreadable(
            HttpMessageNotReadableException e,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof BodyRefusedException refused) {
                refusedBody(refused, request, response);
                return;
            }
            if (cause instanceof StreamConstraintsException) {
                refusals.count(Refusal.JSON);
            }
        }
        writer.write(
                request,
                response,
                e.getCause() instanceof JacksonException json
                        ? json(json)
                        : Problem.malformed("body: absent or truncated"));
    }

    @ExceptionHandler
    void wrongParameters(
            MethodArgumentNotValidException e,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        BodyChecks checks = new BodyChecks();
        for (FieldError error : e.getBindingResult().getFieldErrors()) {
            Class<?> type = error.contains(TypeMismatchException.class)
                    ? error.unwrap(TypeMismatchException.class).getRequiredType()
                    : null;
            checks.that(false, error.getField(), error.getRejectedValue(), expectation(type));
        }
        writer.write(request, response, checks.problem());
    }

    @ExceptionHandler
    void wrongType(
            MethodArgumentTypeMismatchException e,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        writer.write(
                request,
                response,
                Problem.invalidField(e.getName(), e.getValue(), expectation(e.getRequiredType())));
    }

    @ExceptionHandler
    void missing(
            MissingServletRequestParameterException e,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        writer.write(
                request, response, Problem.invalidField(e.getParameterName(), "absent", "a value"));
    }

    @ExceptionHandler
    void noResource(
            NoResourceFoundException e, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        writer.write(request, response, Problem.notFound("path", request.getRequestURI()));
    }

    @ExceptionHandler
    void wrongMethod(
            HttpRequestMethodNotSupportedException e,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        Set<org.springframework.http.HttpMethod> allowed =
                Objects.requireNonNullElse(e.getSupportedHttpMethods(), Set.of());
        String list =
                allowed.stream().map(Object::toString).sorted().collect(Collectors.joining(", "));
        response.setHeader("Allow", list);
        writer.write(
                request,
                response,
                Problem.of(
                        405,
                        "method-not-allowed",
                        "Method not allowed for this resource",
                        "method: " + e.getMethod() + " (expected: " + list + ")"));
    }

    @ExceptionHandler
    void wrongMediaType(
            HttpMediaTypeNotSupportedException e,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        writer.write(
                request,
                response,
                Problem.of(
                        415,
                        "unsupported-media-type",
                        "Content type not supported by this resource",
                        "Content-Type: " + e.getContentType() + " (expected: "
                                + e.getSupportedMediaTypes() + ")"));
    }

    @ExceptionHandler
    void notAcceptable(
            HttpMediaTypeNotAcceptableException e,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        writer.write(
                request,
                response,
                Problem.of(
                        406,
                        "not-acceptable",
                        "Representation not supported by this resource",
                        "Accept: " + request.getHeader("Accept") + " (expected: "
                                + e.getSupportedMediaTypes() + ")"));
    }

    /** Ignores a client that left before its response was written. */
    @ExceptionHandler({ClientAbortException.class, AsyncRequestNotUsableException.class})
    void onDisconnect(IOException e) {
        log.debug("Client left: {}", e.getMessage());
    }

    /** Leaves the exception to the container, which closes the connection. */
    @ExceptionHandler
    void cutOff(CutOffException e) {
        throw e;
    }

    @ExceptionHandler
    void surprise(Exception e, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        if (e instanceof ErrorResponse known && known.getStatusCode().is4xxClientError()) {
            int status = known.getStatusCode().value();
            writer.write(
                    request,
                    response,
                    Problem.of(
                            status,
                            "http-" + status,
                            "The request is not valid",
                            known.getBody().getDetail()));
            return;
        }
        writer.write(request, response, internal(e, request));
    }

    /**
     * Responds to a failure of the database; an outage is told in the log once, where it is found.
     */
    @ExceptionHandler({DataAccessException.class, TransactionException.class})
    void controlData(RuntimeException e, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        if (writer.writeAway(request, response, e)) {
            return;
        }
        writer.write(
                request,
                response,
                ControlDataFailure.of(e) == ControlDataFailure.TEXT
                        ? Problem.malformed("a text with the character U+0000")
                        : internal(e, request));
    }

    /** Responds to a failure of the store, which the store or its server tells. */
    @ExceptionHandler
    void records(StoreException e, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        log.warn("{} {}: {}", request.getMethod(), request.getRequestURI(), e.getMessage());
        writer.write(
                request, response, Problem.recordsAway(String.valueOf(e.getMessage())), RECORDS);
    }

    /** Logs an unexpected exception under a new trace id. The client receives only that id. */
    static Problem internal(@Nullable Throwable e, HttpServletRequest request) {
        String traceId = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
        log.error(
                "trace {}: {} {} failed", traceId, request.getMethod(), request.getRequestURI(), e);
        return Problem.internal(traceId);
    }

    private static Problem json(JacksonException e) {
        TokenStreamLocation location = e.getLocation();
        String place = location == null
                ? ""
                : "line " + location.getLineNr() + ", column " + location.getColumnNr() + ": ";
        String path = e.getPath().stream()
                .map(step -> step.getPropertyName() == null
                        ? "[" + step.getIndex() + "]"
                        : step.getPropertyName())
                .collect(Collectors.joining("."))
                .replace(".[", "[");
        String what = e.getOriginalMessage();
        return path.isEmpty()
                ? Problem.malformed("body, " + place + what)
                : Problem.invalid(path + ": " + place + what, new Problem.FieldError(path, what));
    }

    private static String expectation(@Nullable Class<?> type) {
        if (type == null) {
            return "another form";
        }
        if (type.isEnum()) {
            return Arrays.stream(type.getEnumConstants())
                    .map(Object::toString)
                    .collect(Collectors.joining(", "));
        }
        return switch (type.getSimpleName()) {
            case "int", "Integer", "long", "Long" -> "a whole number";
            case "double", "Double" -> "a number";
            case "boolean", "Boolean" -> "true or false";
            case "Instant" -> "an RFC 3339 instant such as 2026-11-21T00:00:00Z";
            default -> type.getSimpleName();
        };
    }
}
