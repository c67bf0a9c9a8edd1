package dev.komainu.central.api.problem;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.control.ControlDataFailure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A problem by RFC 9457.
 *
 * @param type stable type for clients to branch on
 * @param title title, the same for each type
 * @param status HTTP status
 * @param detail description of this occurrence for users
 * @param instance path of the request, or the trace id of an internal error
 * @param errors wrong fields; absent when the problem is not about fields
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Problem(
        String type,
        String title,
        int status,
        @Nullable String detail,
        @Nullable String instance,
        @Nullable List<FieldError> errors) {

    private static final String TYPES = "urn:komainu:problem:";

    /**
     * The mistake of one field.
     *
     * @param field name of a parameter or path in the body, such as {@code scopes[1]}
     */
    public record FieldError(String field, String message) {}

    public static Problem of(int status, String type, String title, @Nullable String detail) {
        return new Problem(TYPES + type, title, status, detail, null, null);
    }

    public static Problem invalid(String detail, FieldError... errors) {
        return new Problem(
                TYPES + "invalid-request",
                "The request is not valid",
                400,
                detail,
                null,
                errors.length == 0 ? null : List.of(errors));
    }

    /** Returns the problem of one field: name, value, expectation. */
    public static Problem invalidField(String field, @Nullable Object value, String expected) {
        String message = value + " (expected: " + expected + ")";
        return invalid(field + ": " + message, new FieldError(field, message));
    }

    public static Problem malformed(String detail) {
        return of(400, "malformed-request", "The request cannot be read", detail);
    }

    public static Problem unauthenticated(String detail) {
        return of(401, "unauthenticated", "Log in, or send a valid token", detail);
    }

    public static Problem forbidden(String detail) {
        return of(403, "forbidden", "Not allowed", detail);
    }

    public static Problem notFound(String what, String name) {
        return of(404, "not-found", "Not found", what + ": " + name + " (unknown)");
    }

    public static Problem conflict(String type, String detail) {
        return of(409, type, "Not possible in the present state", detail);
    }

    /** Returns the problem of a request that needs the control data while they are away. */
    public static Problem controlAway(ControlDataFailure failure) {
        return of(
                503,
                "control-away",
                "The control data cannot be reached",
                "The database of users, alerts, orders and audit " + failure.text()
                        + ". Telemetry is stored and judged as before; try again");
    }

    /** Returns the problem of a request that needs the telemetry while it cannot be read. */
    public static Problem recordsAway(String reason) {
        return of(
                503,
                "records-away",
                "The telemetry cannot be read",
                reason + ". What is judged now goes on; try again");
    }

    public static Problem internal(String traceId) {
        return new Problem(
                TYPES + "internal",
                "Internal error",
                500,
                "The log of the service has details under this trace id: " + traceId,
                "urn:komainu:trace:" + traceId,
                null);
    }

    public Problem at(String path) {
        return instance != null ? this : new Problem(type, title, status, detail, path, errors);
    }
}
