package dev.komainu.central.limit;

import java.time.Duration;
import java.util.Locale;

/**
 * A limit of the central service's HTTP port. {@code docs/security.md} contains the same table; a
 * test compares them.
 */
public enum RequestLimit {
    HEAD_BYTES(Unit.BYTES, 16 << 10, "request line and header fields of one request", "400"),
    SESSION_BODY(
            Unit.BYTES,
            64 << 10,
            "body of a request to `/api/v1/session`, `/api/v1/session/code`, `/api/v1/session/password` and `/api/v1/session/oidc/back-channel-logout`",
            "413 before the body is read"),
    BODY(
            Unit.BYTES,
            1 << 20,
            "body of a request to any other route. `/api/v1/ingest` has"
                    + " `komainu.ingest.max-body` instead",
            "413 before the body is read"),
    JSON_DEPTH(Unit.NUMBER, 64, "nested arrays and objects in a JSON body", "400"),
    JSON_STRING(Unit.NUMBER, 64 << 10, "characters of one string in a JSON body", "400"),
    JSON_NAME(Unit.NUMBER, 1_000, "characters of one field name in a JSON body", "400"),
    JSON_NUMBER(Unit.NUMBER, 100, "digits of one number in a JSON body", "400"),
    JSON_DOCUMENT(Unit.NUMBER, 1 << 20, "characters of a JSON body", "400"),
    JSON_TOKENS(
            Unit.NUMBER,
            100_000,
            "tokens of a JSON body: values, field names, brackets; so also entries of a list",
            "400"),
    HEAD_TIME(
            Unit.MILLIS,
            10_000,
            "time from the connection's start until the first byte, and from there until the head is"
                    + " complete",
            "connection closed"),
    STRANGER_BODY_TIME(
            Unit.MILLIS,
            10_000,
            "time until the body of a request without a login is complete",
            "408, connection closed"),
    CALLER_BODY_TIME(
            Unit.MILLIS,
            60_000,
            "time until the body of an authenticated request is complete",
            "408, connection closed"),
    STRANGER_RESPONSE_TIME(
            Unit.MILLIS,
            60_000,
            "time until a client without a login has taken its response",
            "connection closed"),
    OPENED_CONNECTIONS(
            Unit.NUMBER,
            512,
            "connections on which nothing came yet",
            "the oldest of them is closed"),
    OPENED_PER_ADDRESS(
            Unit.NUMBER, 384, "of these from one address", "the address's oldest is closed"),
    UNFINISHED_CONNECTIONS(
            Unit.NUMBER,
            128,
            "connections with half a head, or half a body without a login",
            "the oldest of them is closed"),
    UNFINISHED_PER_ADDRESS(
            Unit.NUMBER, 64, "of these from one address", "the address's oldest is closed"),
    STRANGER_CONNECTIONS(
            Unit.NUMBER,
            48,
            "connections on which a request without a login is answered",
            "the oldest of them is closed"),
    STRANGERS_PER_ADDRESS(
            Unit.NUMBER, 32, "of these from one address", "the address's oldest is closed"),
    IDLE_CONNECTIONS(
            Unit.NUMBER,
            192,
            "connections kept alive between two requests, the last one without a login",
            "the one idle longest is closed"),
    IDLE_PER_ADDRESS(
            Unit.NUMBER, 128, "of these from one address", "the address's longest idle is closed"),
    CALLER_IDLE_CONNECTIONS(
            Unit.NUMBER,
            640,
            "connections kept alive between two requests, the last one authenticated",
            "the one idle longest is closed"),
    IDLE_PER_CALLER(
            Unit.NUMBER,
            128,
            "of these of one user, token or part",
            "the caller's longest idle is closed"),
    REQUESTS(
            Unit.NUMBER,
            48,
            "authenticated requests in progress, without streams and ingest",
            "503 with `Retry-After`"),
    REQUESTS_PER_CALLER(Unit.NUMBER, 16, "of these of one user or token", "429 with `Retry-After`"),
    REQUESTS_FOR_ADMINISTRATORS(
            Unit.NUMBER, 10, "of these only for callers with the scope `admin`", "503"),
    INGEST_REQUESTS(
            Unit.NUMBER, 128, "batches being received or waiting", "429 with `Retry-After`"),
    STREAMS_PER_CALLER(
            Unit.NUMBER,
            20,
            "event streams of one user or token. `komainu.stream.clients` (200) is the limit of"
                    + " all",
            "503 with `Retry-After`"),
    STREAMS_FOR_ADMINISTRATORS(
            Unit.NUMBER,
            10,
            "of all event streams only for callers with the scope `admin`",
            "503 with `Retry-After`"),
    STREAM_BACKLOG(
            Unit.BYTES, 256 << 10, "events that one event stream can lag behind", "stream ended"),
    STREAMS_BACKLOG(
            Unit.BYTES,
            8 << 20,
            "events that all event streams together lag behind",
            "the stream that lags behind is ended"),
    STREAM_CHECK(
            Unit.MILLIS,
            10_000,
            "time between two checks that a stream's session or token is still valid and has the"
                    + " scope",
            "stream ended"),
    BUDGET_SHARE(
            Unit.PERCENT,
            25,
            "share of the heap for bytes in hand: bodies, decoded batches, results",
            "503 with `Retry-After`; 413 if one request alone exceeds it"),
    STRANGERS_SHARE(
            Unit.PERCENT,
            10,
            "share of the bytes in hand for requests without a login",
            "503 with `Retry-After`"),
    RESULT_BYTES(
            Unit.BYTES,
            4 << 20,
            "heap that one request for connections, series, cache contents or the audit log takes"
                    + " from the bytes in hand",
            "503 with `Retry-After`"),
    PAGE_ITEMS(Unit.NUMBER, 1_000, "items of one page (`limit`)", "400"),
    PAGE_BYTES(
            Unit.BYTES,
            1 << 20,
            "records of one page of connections, as stored",
            "a shorter page with `nextCursor`"),
    SERIES_POINTS(Unit.NUMBER, 5_000, "steps of one series (`from`, `to`, `stepSeconds`)", "400"),
    SERIES_VALUES(Unit.NUMBER, 500_000, "values of one series: steps × indices", "400"),
    RANGE(
            Unit.MILLIS,
            3_660L * 86_400_000L,
            "range `from` to `to` of series, connections and transitions",
            "400");

    /** The unit of a limit's value. */
    private enum Unit {
        BYTES,
        NUMBER,
        MILLIS,
        PERCENT
    }

    private final Unit unit;
    private final long value;
    private final String what;
    private final String beyond;

    RequestLimit(Unit unit, long value, String what, String beyond) {
        this.unit = unit;
        this.value = value;
        this.what = what;
        this.beyond = beyond;
    }

    public int value() {
        return Math.toIntExact(value);
    }

    public Duration time() {
        return Duration.ofMillis(value);
    }

    /** Returns this share of a number. */
    public long shareOf(long whole) {
        return whole / 100 * value;
    }

    /** Returns the limit's row in the table of {@code docs/security.md}. */
    public String row() {
        return "| `" + name().toLowerCase(Locale.ROOT).replace('_', '-') + "` | " + text() + " | "
                + what + " | " + beyond + " |";
    }

    private String text() {
        return switch (unit) {
            case BYTES -> value % (1 << 20) == 0 ? (value >> 20) + " MB" : (value >> 10) + " KB";
            case NUMBER -> String.format(Locale.ROOT, "%,d", value);
            case PERCENT -> value + " %";
            case MILLIS ->
                value % 86_400_000 == 0 ? value / 86_400_000 + " d" : value / 1_000 + " s";
        };
    }
}
