package dev.komainu.proxy.control;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.intermediary.control.ConfigurationReload;
import dev.komainu.intermediary.control.ControlAuthorization;
import dev.komainu.intermediary.control.ControlExtension;
import dev.komainu.intermediary.control.ControlListener;
import dev.komainu.intermediary.control.ControlResponse;
import dev.komainu.intermediary.control.ControlScope;
import dev.komainu.intermediary.control.ControlSettings;
import dev.komainu.intermediary.control.QueryParameters;
import dev.komainu.intermediary.control.ReloadPage;
import dev.komainu.intermediary.control.TokenFile;
import dev.komainu.intermediary.purge.PurgeOrder;
import dev.komainu.intermediary.purge.PurgePropagation;
import dev.komainu.proxy.cache.tier.MemoryCache;
import dev.komainu.proxy.peak.PeakDecision;
import dev.komainu.proxy.peak.PeakMonitor;
import dev.komainu.proxy.peak.PeakView;
import dev.komainu.proxy.purge.Purger;
import dev.komainu.proxy.report.ProxySnapshot;
import dev.komainu.proxy.tls.TlsFigures;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The control endpoint. Complete contract: {@code docs/formats/proxy-control.md}.
 *
 * <table><caption>Paths</caption>
 * <tr><td>GET /health</td><td>200 {@code {"status":"up"}}, 503 while draining</td></tr>
 * <tr><td>GET /metrics</td><td>Prometheus text</td></tr>
 * <tr><td>GET /control/v1/stats</td><td>statistics as JSON</td></tr>
 * <tr><td>GET /control/v1/contents</td><td>stored responses below a prefix; {@code …/object}: responses of one URL</td></tr>
 * <tr><td>POST /control/v1/purge</td><td>a purge order as JSON</td></tr>
 * <tr><td>GET, PUT /control/v1/partition</td><td>the division of the cache; changes it</td></tr>
 * <tr><td>GET, POST /control/v1/peak</td><td>the peak decision and its reason; orders a state</td></tr>
 * <tr><td>… /control/v1/cluster/…</td><td>the organizer's pages, of a proxy that is a member</td></tr>
 * <tr><td>POST /control/v1/reload</td><td>reads the configuration again</td></tr>
 * <tr><td>POST /control/v1/log/rotate</td><td>rotates the access log</td></tr>
 * <tr><td>PURGE /control/v1/cache?url=URL</td><td>purges one URL; POST is equivalent</td></tr>
 * </table>
 *
 * Writes need {@code Authorization: Bearer TOKEN}; without a token file they are refused. The Host
 * of each request must be a literal address, {@code localhost} or this listener's own name, so that
 * no web page can reach it through DNS rebinding.
 */
public final class ControlServer implements AutoCloseable {

    private static final int MAX_BODY_BYTES = 64 * 1024;
    /** A walk through a million entries must not delay a health check. */
    private static final int THREADS = 4;

    /** The result for other members when the propagation did not end in time. */
    private static final PurgePropagation.Acknowledgements NO_RESULT =
            new PurgePropagation.Acknowledgements(List.of(), List.of());

    private static final String CLUSTER_PREFIX = "/control/v1/cluster/";

    private final HttpServer server;
    private final ExecutorService threads = Executors.newFixedThreadPool(
            THREADS,
            task -> Thread.ofPlatform().name("komainu-control").daemon().unstarted(task));
    private final Supplier<ProxySnapshot> figures;
    private final Supplier<@Nullable TlsFigures> tls;
    private final MemoryCache cache;
    private final Purger purger;
    private final ContentsTree contents;
    private final ObjectPage objects;
    private final BooleanSupplier draining;
    private final ConfigurationReload reload;
    private final BooleanSupplier rotateLog;
    private final @Nullable PeakMonitor peak;
    private final @Nullable ControlExtension cluster;
    private final ProxyClock clock;
    private final ControlAuthorization authorization;

    /**
     * Opens the listener.
     *
     * @param peak null without a disk tier
     * @param cluster null when this proxy is not a member of a cluster
     * @param rotateLog rotates the access log; false when there is none
     * @throws BindException when the address is not available
     * @throws IOException when the token file cannot be read or contains an error
     */
    public ControlServer(
            ControlSettings settings,
            Supplier<ProxySnapshot> figures,
            Supplier<@Nullable TlsFigures> tls,
            MemoryCache cache,
            ProxyClock clock,
            Purger purger,
            @Nullable PeakMonitor peak,
            @Nullable ControlExtension cluster,
            BooleanSupplier draining,
            ConfigurationReload reload,
            BooleanSupplier rotateLog)
            throws IOException {
        this.figures = figures;
        this.tls = tls;
        this.cache = cache;
        this.purger = purger;
        this.contents = new ContentsTree(cache, clock);
        this.objects = new ObjectPage(cache, clock);
        this.peak = peak;
        this.cluster = cluster;
        this.clock = clock;
        this.draining = draining;
        this.reload = reload;
        this.rotateLog = rotateLog;
        TokenFile tokens = ControlListener.tokens(settings);
        server = ControlListener.open(settings.listen());
        authorization = new ControlAuthorization(server.getAddress(), tokens, settings.readToken());
        server.setExecutor(threads);
        server.createContext("/", this::serve);
        server.start();
    }

    /**
     * Reads other tokens.
     *
     * @return an action that puts them in force; thread-safe
     * @throws IOException when the token file cannot be read or contains an error; nothing has
     *     changed then
     */
    public Runnable prepare(ControlSettings next) throws IOException {
        TokenFile tokens = ControlListener.tokens(next);
        return () -> authorization.reload(tokens, next.readToken());
    }

    public InetSocketAddress address() {
        return server.getAddress();
    }

    private void serve(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readNBytes(MAX_BODY_BYTES + 1);
            if (!authorization.isExpectedHost(exchange.getRequestHeaders().getFirst("Host"))) {
                ControlResponse.problem(
                        exchange,
                        421,
                        "Misdirected Request",
                        "The Host of this request is not a name of this endpoint");
            } else if (body.length > MAX_BODY_BYTES) {
                ControlResponse.problem(
                        exchange,
                        413,
                        "Content Too Large",
                        "body: more than " + MAX_BODY_BYTES + " bytes");
            } else {
                try {
                    route(exchange, new String(body, StandardCharsets.UTF_8));
                } catch (IllegalArgumentException e) {
                    ControlResponse.problem(
                            exchange, 400, "Bad Request", String.valueOf(e.getMessage()));
                }
            }
        }
    }

    private void route(HttpExchange exchange, String body) throws IOException {
        switch (exchange.getRequestURI().getPath()) {
            case "/health" -> {
                if (allowed(exchange, "GET", "HEAD")) {
                    boolean up = !draining.getAsBoolean();
                    ControlResponse.send(
                            exchange, up ? 200 : 503, Map.of("status", up ? "up" : "draining"));
                }
            }
            case "/metrics" -> {
                if (reads(exchange)) {
                    ControlResponse.send(
                            exchange,
                            200,
                            "text/plain; version=0.0.4; charset=utf-8",
                            MetricsPage.of(figures.get(), tls.get(), peakView())
                                    + (cluster == null ? "" : cluster.metrics()));
                }
            }
            case "/control/v1/stats" -> {
                if (reads(exchange)) {
                    ControlResponse.send(
                            exchange, 200, StatsPage.of(figures.get(), tls.get(), peakView()));
                }
            }
            case "/control/v1/contents" -> {
                if (reads(exchange)) {
                    contents(exchange, QueryParameters.of(exchange));
                }
            }
            case "/control/v1/contents/object" -> {
                if (reads(exchange)) {
                    object(exchange, QueryParameters.of(exchange));
                }
            }
            case "/control/v1/purge" -> {
                if (allowed(exchange, "POST")) {
                    purge(exchange, body);
                }
            }
            case "/control/v1/cache" -> {
                if (allowed(exchange, "PURGE", "POST")) {
                    purge(exchange, QueryParameters.of(exchange));
                }
            }
            case "/control/v1/partition" -> {
                if (allowed(exchange, "GET", "HEAD", "PUT")) {
                    partition(exchange, body);
                }
            }
            case "/control/v1/peak" -> peak(exchange);
            case "/control/v1/reload" -> {
                if (allowed(exchange, "POST")
                        && authorization.admits(exchange, ControlScope.CONFIG)) {
                    ReloadPage.serve(exchange, QueryParameters.of(exchange), reload);
                }
            }
            case "/control/v1/log/rotate" -> {
                if (allowed(exchange, "POST")
                        && authorization.admits(exchange, ControlScope.CONFIG)) {
                    rotate(exchange);
                }
            }
            default -> {
                if (!isOfCluster(exchange)) {
                    ControlResponse.problem(
                            exchange, 404, "Not Found", "There is no resource at this path");
                }
            }
        }
    }

    private boolean isOfCluster(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        return cluster != null
                && path.startsWith(CLUSTER_PREFIX)
                && cluster.serve(
                        exchange,
                        path.substring(CLUSTER_PREFIX.length()),
                        QueryParameters.of(exchange),
                        authorization);
    }

    /**
     * Serves the partition. An order applies until the next reload or start, which read the
     * configuration.
     */
    private void partition(HttpExchange exchange, String body) throws IOException {
        boolean writes = exchange.getRequestMethod().equals("PUT");
        if (authorization.admits(exchange, writes ? ControlScope.CONFIG : ControlScope.READ)) {
            if (writes) {
                cache.divide(PartitionPage.read(body, cache.settings().partition()));
            }
            ControlResponse.send(
                    exchange,
                    200,
                    PartitionPage.of(cache.partition(), figures.get().counters().pools));
        }
    }

    private @Nullable PeakView peakView() {
        return peak == null ? null : peak.view(clock.wallMillis());
    }

    private void peak(HttpExchange exchange) throws IOException {
        PeakMonitor monitor = peak;
        boolean reads = !exchange.getRequestMethod().equals("POST");
        if (!allowed(exchange, "GET", "HEAD", "POST")
                || !authorization.admits(
                        exchange, reads ? ControlScope.READ : ControlScope.CONFIG)) {
            return;
        }
        if (monitor == null) {
            ControlResponse.problem(
                    exchange, 404, "Not Found", "There is no disk tier: cache.disk is not set");
            return;
        }
        if (!reads) {
            QueryParameters query = QueryParameters.of(exchange);
            String mode = query.required("mode", "auto|peak|off-peak");
            int seconds = query.number("seconds", 3600, 1, 604_800);
            query.refuseUnknown();
            monitor.order(order(mode, clock.wallMillis() + seconds * 1000L));
        }
        ControlResponse.send(exchange, 200, DiskPage.of(monitor.view(clock.wallMillis())));
    }

    private static PeakDecision.@Nullable Order order(String mode, long untilMillis) {
        return switch (mode) {
            case "auto" -> null;
            case "peak" -> new PeakDecision.Order(true, untilMillis);
            case "off-peak" -> new PeakDecision.Order(false, untilMillis);
            default ->
                throw new IllegalArgumentException(
                        "mode: " + mode + " (expected: auto, peak or off-peak)");
        };
    }

    /** Orders a rotation; it takes place shortly after, behind the waiting lines. */
    private void rotate(HttpExchange exchange) throws IOException {
        if (rotateLog.getAsBoolean()) {
            ControlResponse.send(exchange, 202, Map.of("rotating", true));
        } else {
            ControlResponse.problem(
                    exchange, 409, "Conflict", "There is no access log: log.access is not set");
        }
    }

    private boolean reads(HttpExchange exchange) throws IOException {
        return allowed(exchange, "GET", "HEAD")
                && authorization.admits(exchange, ControlScope.READ);
    }

    private static boolean allowed(HttpExchange exchange, String... methods) throws IOException {
        for (String method : methods) {
            if (exchange.getRequestMethod().equals(method)) {
                return true;
            }
        }
        exchange.getResponseHeaders().set("Allow", String.join(", ", methods));
        ControlResponse.problem(
                exchange,
                405,
                "Method Not Allowed",
                "This method is not supported by this resource");
        return false;
    }

    private void contents(HttpExchange exchange, QueryParameters query) throws IOException {
        String prefix = query.text("prefix", "");
        ContentsTree.Sort sort = ContentsTree.Sort.of(query.text("sort", "bytes"));
        int limit = query.number("limit", 100, 1, 1000);
        int from = ContentsCursor.position(query.text("cursor"));
        UrlQueries queries = queries(exchange, query);
        query.refuseUnknown();
        ControlResponse.send(
                exchange,
                200,
                contents.level(
                        queries.of(PurgeOrder.normalized(prefix)), sort, limit, from, queries));
    }

    /** Returns whether a page shows queries: only to callers that may purge and want them. */
    private UrlQueries queries(HttpExchange exchange, QueryParameters query) {
        return !query.truth("hideQueries") && authorization.holds(exchange, ControlScope.PURGE)
                ? UrlQueries.SHOWN
                : UrlQueries.HIDDEN;
    }

    private void object(HttpExchange exchange, QueryParameters query) throws IOException {
        PurgeOrder.Uri uri = PurgeOrder.url(query.required("url", "http://HOST[:PORT]/PATH"));
        UrlQueries queries = queries(exchange, query);
        query.refuseUnknown();
        Map<String, ?> members = objects.of(uri.key(), queries);
        if (members == null) {
            ControlResponse.problem(exchange, 404, "Not Found", "Nothing is stored for this URL");
        } else {
            ControlResponse.send(exchange, 200, members);
        }
    }

    /**
     * Executes a purge order. The body is parsed before the authorization, because a dry run needs
     * only the right to read; an error in the body is reported only to clients that may purge.
     */
    private void purge(HttpExchange exchange, String body) throws IOException {
        PurgeOrder order;
        try {
            order = PurgePage.read(body);
        } catch (IllegalArgumentException e) {
            if (authorization.admits(exchange, ControlScope.PURGE)) {
                throw e;
            }
            return;
        }
        execute(exchange, order);
    }

    private void purge(HttpExchange exchange, QueryParameters query) throws IOException {
        boolean dry = query.truth("dryRun");
        if (authorization.admits(exchange, dry ? ControlScope.READ : ControlScope.PURGE)) {
            PurgeOrder order = new PurgeOrder(
                    PurgeOrder.url(query.required("url", "http://HOST[:PORT]/PATH")),
                    query.truth("soft"),
                    dry);
            query.refuseUnknown();
            ControlResponse.send(exchange, 200, executed(exchange, order));
        }
    }

    private void execute(HttpExchange exchange, PurgeOrder order) throws IOException {
        if (authorization.admits(
                exchange, order.dryRun() ? ControlScope.READ : ControlScope.PURGE)) {
            ControlResponse.send(exchange, 200, executed(exchange, order));
        }
    }

    /**
     * Executes an order. A member that does not confirm within the time limit is reported as
     * missing.
     */
    private Map<String, Object> executed(HttpExchange exchange, PurgeOrder order) {
        Purger.Execution execution = purger.carryOutEverywhere(order);
        CompletableFuture<PurgePropagation.Acknowledgements> elsewhere = execution.elsewhere();
        return PurgePage.of(
                order,
                execution.report(),
                authorization.holds(exchange, ControlScope.PURGE)
                        ? UrlQueries.SHOWN
                        : UrlQueries.HIDDEN,
                elsewhere == null
                        ? null
                        : elsewhere
                                .completeOnTimeout(NO_RESULT, 5, TimeUnit.SECONDS)
                                .join());
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
