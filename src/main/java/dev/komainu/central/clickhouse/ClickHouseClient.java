package dev.komainu.central.clickhouse;

import dev.komainu.central.identity.AuthorityTls;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client of ClickHouse's HTTP interface. Each statement is one request; the server sends a result
 * only when it is complete ({@code wait_end_of_query}), so a failure in the middle of a query is a
 * status and never a short result. An insert is never sent twice. After a failure without a
 * response a query first asks whether the server responds at all, so that queries do not wait one
 * after the other for a server that hangs. Any thread.
 *
 * <p>With several servers, a server that does not serve is left for the next one, which is asked
 * until it fails, too. A query that failed for the server's state is sent to the others; an insert
 * only if it was not sent.
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

    private static final Logger LOG = LoggerFactory.getLogger(ClickHouseClient.class);
    private static final Duration CONNECT = Duration.ofSeconds(4);
    private static final int QUERY_TIMEOUTS = 4;

    private final ClickHouseAddress address;
    private final List<ClickHouseNode> nodes;
    private final AtomicInteger current = new AtomicInteger();
    private final Duration timeout;
    /** Settings of each statement; shared with the clients of single servers. Guarded by itself. */
    private final Map<String, String> limits;

    private final HttpClient http;
    private final ClickHouseFailures failures;
    private final Clock clock;

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
        this.clock = clock;
        failures = new ClickHouseFailures(clock);
        address = Objects.requireNonNull(settings.address());
        timeout = settings.timeout();
        limits = limits(settings, threads);
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(CONNECT)
                .followRedirects(HttpClient.Redirect.NEVER);
        Path authorities = settings.authorities();
        if (authorities != null) {
            builder.sslContext(AuthorityTls.of(authorities));
        }
        http = builder.build();
        String login = "Basic "
                + Base64.getEncoder()
                        .encodeToString((settings.user() + ":" + settings.password())
                                .getBytes(StandardCharsets.UTF_8));
        nodes = address.servers().stream()
                .map(server -> new ClickHouseNode(server, login, http))
                .toList();
    }

    /** Creates a client of one of the servers of another one. */
    private ClickHouseClient(ClickHouseClient of, ClickHouseNode node) {
        clock = of.clock;
        failures = new ClickHouseFailures(clock);
        address = of.address.on(node.server());
        nodes = List.of(node);
        timeout = of.timeout;
        limits = of.limits;
        http = of.http;
    }

    private static Map<String, String> limits(ClickHouseSettings settings, int threads) {
        Map<String, String> limits = new LinkedHashMap<>();
        long memory = settings.memory().toBytes();
        limits.put("max_threads", Integer.toString(threads));
        limits.put("max_memory_usage", Long.toString(memory));
        limits.put("max_bytes_before_external_sort", Long.toString(memory / 2));
        limits.put("max_bytes_before_external_group_by", Long.toString(memory / 2));
        limits.put(
                "max_execution_time",
                Long.toString(QUERY_TIMEOUTS * settings.timeout().toSeconds()));
        if (!settings.logs().ownStatements()) {
            // Otherwise newer versions write a row about each statement into a table of theirs.
            limits.put("log_queries", "0");
        }
        return limits;
    }

    /**
     * Returns a client for each server, which asks this one only and counts failures of its own; it
     * ends with this client.
     */
    public List<ClickHouseClient> ofEachServer() {
        return nodes.size() == 1
                ? List.of(this)
                : nodes.stream().map(node -> new ClickHouseClient(this, node)).toList();
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
            boolean sent = false;
            for (int left = nodes.size() - 1; !sent; left--) {
                sent = trySend(database, body, query, left > 0);
            }
            failures.answered();
        } catch (ClickHouseException e) {
            throw failures.add(e);
        }
    }

    /**
     * Sends a statement to the server that is asked now.
     *
     * @return false when the statement was not sent and {@code isAnotherLeft}
     */
    private boolean trySend(
            String database, byte[] body, @Nullable String query, boolean isAnotherLeft)
            throws ClickHouseException {
        int node = current.get();
        try {
            ClickHouseNode.drain(nodes.get(node).send(parameters(database, query), body, timeout));
            return true;
        } catch (ClickHouseException e) {
            if (e.isAway()) {
                leave(node);
            }
            if (!isAnotherLeft || e.outcome() != ClickHouseException.Outcome.NOT_SENT) {
                throw e;
            }
            return false;
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
        try (InputStream response =
                new BufferedInputStream(ask(database, text, patience), 1 << 16)) {
            return rows.read(new RowBinaryReader(response));
        } catch (IOException e) {
            throw ClickHouseException.unknown("ClickHouse: the result is not whole: " + e, e);
        }
    }

    /** Sends a query to one server after the other until one responds. */
    private InputStream ask(String database, byte[] query, Duration patience)
            throws ClickHouseException {
        for (int left = nodes.size() - 1; ; left--) {
            int node = current.get();
            try {
                nodes.get(node).requireResponse();
                return askTwice(nodes.get(node), parameters(database, null), query, patience);
            } catch (ClickHouseException e) {
                if (e.isAway()) {
                    leave(node);
                }
                if (left == 0 || !e.isAway()) {
                    throw e;
                }
            }
        }
    }

    /** Sends a query, twice if the kept connection was closed meanwhile. */
    private static InputStream askTwice(
            ClickHouseNode node, String parameters, byte[] query, Duration patience)
            throws ClickHouseException {
        try {
            return node.send(parameters, query, patience);
        } catch (ClickHouseException e) {
            if (e.outcome() != ClickHouseException.Outcome.UNKNOWN || e.isTimeout()) {
                throw e;
            }
            return node.send(parameters, query, patience);
        }
    }

    /** Returns the path and query of a request that carries these settings. */
    private String parameters(String database, @Nullable String query) {
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
        return parameters.toString();
    }

    /** Asks another server from now on, if this one is still the one that is asked. */
    private void leave(int node) {
        if (nodes.size() > 1 && current.compareAndSet(node, (node + 1) % nodes.size())) {
            LOG.info(
                    "Store: ClickHouse at {} does not serve, {} is asked",
                    nodes.get(node).server(),
                    nodes.get((node + 1) % nodes.size()).server());
        }
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
