package dev.komainu.central.clickhouse;

import dev.komainu.central.identity.AuthorityTls;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A client of ClickHouse's HTTP interface. Each statement is one request; the server sends a result
 * only when it is complete ({@code wait_end_of_query}), so a failure in the middle of a query is a
 * status and never a short result. An insert is never sent twice. After a failure without a
 * response a query first asks whether the server responds at all, so that queries do not wait one
 * after the other for a server that hangs. Any thread.
 *
 * <table><caption>Limits</caption>
 * <tr><th>what</th><th>limit</th><th>beyond it</th></tr>
 * <tr><td>connecting</td><td>4 s</td><td>not sent</td></tr>
 * <tr><td>an insert or a change</td><td>{@code komainu.records.timeout}</td><td>outcome unknown</td></tr>
 * <tr><td>the question whether the server responds</td><td>2 s</td><td>not sent</td></tr>
 * <tr><td>a query, and each pause in its result</td><td>four times as long</td><td>fails</td></tr>
 * </table>
 */
public final class ClickHouseClient implements AutoCloseable {

    private static final Duration CONNECT = Duration.ofSeconds(4);
    private static final Duration PING = Duration.ofSeconds(2);
    private static final int QUERY_TIMEOUTS = 4;
    private static final int OK = 200;
    private static final int MOST_ERROR_BYTES = 1_000;

    private final ClickHouseAddress address;
    private final String login;
    private final Duration timeout;
    private final Map<String, String> limits = new LinkedHashMap<>();
    private final HttpClient http;
    private final ClickHouseFailures failures;
    /** True when the last request had no response. */
    private volatile boolean isSuspect;

    /** A reader of the rows of a result. */
    @FunctionalInterface
    public interface Rows<T> {
        T read(RowBinaryReader rows) throws IOException, SQLException;
    }

    /**
     * Creates a client; it does not connect yet.
     *
     * @param threads threads that ClickHouse may use for one query
     * @param clock clock of the times of failures
     * @throws IOException when the file of authorities cannot be read
     */
    public ClickHouseClient(ClickHouseSettings settings, int threads, Clock clock)
            throws IOException {
        failures = new ClickHouseFailures(clock);
        address = Objects.requireNonNull(settings.address());
        login = "Basic "
                + Base64.getEncoder()
                        .encodeToString((settings.user() + ":" + settings.password())
                                .getBytes(StandardCharsets.UTF_8));
        timeout = settings.timeout();
        long memory = settings.memory().toBytes();
        limits.put("max_threads", Integer.toString(threads));
        limits.put("max_memory_usage", Long.toString(memory));
        limits.put("max_bytes_before_external_sort", Long.toString(memory / 2));
        limits.put("max_bytes_before_external_group_by", Long.toString(memory / 2));
        limits.put("max_execution_time", Long.toString(QUERY_TIMEOUTS * timeout.toSeconds()));
        if (!settings.logs().ownStatements()) {
            // Otherwise newer versions write a row about each statement into a table of theirs.
            limits.put("log_queries", "0");
        }
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(CONNECT)
                .followRedirects(HttpClient.Redirect.NEVER);
        Path authorities = settings.authorities();
        if (authorities != null) {
            builder.sslContext(AuthorityTls.of(authorities));
        }
        http = builder.build();
    }

    public ClickHouseAddress address() {
        return address;
    }

    /** Returns the statements that failed since the start. */
    public ClickHouseFailures failures() {
        return failures;
    }

    /** Adds a setting to all later statements; for settings that not every version knows. */
    public void use(String setting, String value) {
        synchronized (limits) {
            limits.put(setting, value);
        }
    }

    /** Carries out a statement without a result, in no database. */
    public void executeOutside(String sql) throws ClickHouseException {
        execute("", sql.getBytes(StandardCharsets.UTF_8), null);
    }

    /** Carries out a statement without a result. */
    public void execute(String sql) throws ClickHouseException {
        execute(address.database(), sql.getBytes(StandardCharsets.UTF_8), null);
    }

    /**
     * Inserts rows.
     *
     * @param into table and columns
     */
    public void insert(String into, byte[] rows) throws ClickHouseException {
        execute(address.database(), rows, "INSERT INTO " + into + " FORMAT RowBinary");
    }

    private void execute(String database, byte[] body, @Nullable String query)
            throws ClickHouseException {
        try {
            drain(send(database, query, body, timeout));
            failures.answered();
        } catch (ClickHouseException e) {
            throw failures.add(e);
        }
    }

    private static void drain(InputStream response) throws ClickHouseException {
        try (response) {
            response.readAllBytes();
        } catch (IOException e) {
            throw ClickHouseException.unknown("ClickHouse: no whole response: " + e, e);
        }
    }

    /** Runs a query and reads its rows while they come. */
    public <T> T query(String sql, Rows<T> rows) throws SQLException {
        return query(address.database(), sql, rows, timeout.multipliedBy(QUERY_TIMEOUTS));
    }

    /** Runs a small query that must be answered as soon as an insert. */
    public <T> T queryPromptly(String sql, Rows<T> rows) throws SQLException {
        return query(address.database(), sql, rows, timeout);
    }

    /** Runs a query that needs no database. */
    public <T> T queryOutside(String sql, Rows<T> rows) throws SQLException {
        return query("", sql, rows, timeout);
    }

    private <T> T query(String database, String sql, Rows<T> rows, Duration patience)
            throws SQLException {
        try {
            T result = ask(database, sql, rows, patience);
            failures.answered();
            return result;
        } catch (ClickHouseException e) {
            throw failures.add(e);
        }
    }

    private <T> T ask(String database, String sql, Rows<T> rows, Duration patience)
            throws SQLException {
        byte[] text = (sql + " FORMAT RowBinary").getBytes(StandardCharsets.UTF_8);
        requireResponse();
        try (InputStream response =
                new BufferedInputStream(ask(database, text, patience), 1 << 16)) {
            return rows.read(new RowBinaryReader(response));
        } catch (IOException e) {
            throw ClickHouseException.unknown("ClickHouse: the result is not whole: " + e, e);
        }
    }

    /** Sends a query, twice if the kept connection was closed meanwhile. */
    private InputStream ask(String database, byte[] query, Duration patience)
            throws ClickHouseException {
        try {
            return send(database, null, query, patience);
        } catch (ClickHouseException e) {
            if (e.outcome() != ClickHouseException.Outcome.UNKNOWN || e.isTimeout()) {
                throw e;
            }
            return send(database, null, query, patience);
        }
    }

    private void requireResponse() throws ClickHouseException {
        if (isSuspect) {
            drain(exchange(HttpRequest.newBuilder(URI.create(address.server() + "/ping")), PING)
                    .body());
        }
    }

    private InputStream send(
            String database, @Nullable String query, byte[] body, Duration patience)
            throws ClickHouseException {
        StringBuilder parameters = new StringBuilder("/?wait_end_of_query=1");
        if (!database.isEmpty()) {
            parameters.append("&database=").append(database);
        }
        synchronized (limits) {
            limits.forEach((name, value) ->
                    parameters.append('&').append(name).append('=').append(value));
        }
        if (query != null) {
            parameters.append("&query=").append(URLEncoder.encode(query, StandardCharsets.UTF_8));
        }
        Response response = exchange(
                HttpRequest.newBuilder(URI.create(address.server() + "" + parameters))
                        .header("Authorization", login)
                        .POST(BodyPublishers.ofByteArray(body)),
                patience);
        if (response.status() == OK) {
            return response.body();
        }
        try (InputStream error = response.body()) {
            throw ClickHouseException.refused(
                    response.status(),
                    new String(error.readNBytes(MOST_ERROR_BYTES), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw ClickHouseException.unknown("ClickHouse: " + e, e);
        }
    }

    /**
     * A response whose head has come.
     *
     * @param body fails when it pauses for longer than the head was waited for: a server may hang
     *     between both
     */
    private record Response(int status, InputStream body) {}

    /**
     * Sends a request and waits for the head of its response. The deadline is kept here: with a
     * server that was stopped, the client's own timeout was seen not to end a request.
     */
    private Response exchange(HttpRequest.Builder request, Duration patience)
            throws ClickHouseException {
        boolean isResponding = false;
        CompletableFuture<HttpResponse<InputStream>> pending =
                http.sendAsync(request.build(), BodyHandlers.ofInputStream());
        try {
            HttpResponse<InputStream> response =
                    pending.get(patience.toMillis(), TimeUnit.MILLISECONDS);
            isResponding = true;
            return new Response(response.statusCode(), new PromptStream(response.body(), patience));
        } catch (TimeoutException e) {
            pending.cancel(true);
            throw ClickHouseException.timeout(patience, e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            if (cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException) {
                throw ClickHouseException.notSent(
                        "ClickHouse: " + address.server() + " cannot be reached", cause);
            }
            throw ClickHouseException.unknown("ClickHouse: " + cause, cause);
        } catch (InterruptedException e) {
            pending.cancel(true);
            Thread.currentThread().interrupt();
            throw ClickHouseException.unknown("ClickHouse: interrupted", e);
        } finally {
            isSuspect = !isResponding;
        }
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
