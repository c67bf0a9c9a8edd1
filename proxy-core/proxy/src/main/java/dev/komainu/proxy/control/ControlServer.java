package dev.komainu.proxy.control;

import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.intermediary.control.ConfigurationReload;
import dev.komainu.intermediary.control.ControlAuthorization;
import dev.komainu.intermediary.control.ControlExchange;
import dev.komainu.intermediary.control.ControlExtension;
import dev.komainu.intermediary.control.ControlHttpServer;
import dev.komainu.intermediary.control.ControlPages;
import dev.komainu.intermediary.control.ControlResponse;
import dev.komainu.intermediary.control.ControlScope;
import dev.komainu.intermediary.control.ControlSettings;
import dev.komainu.intermediary.control.QueryParameters;
import dev.komainu.intermediary.control.ReloadPage;
import dev.komainu.intermediary.purge.PurgeOrder;
import dev.komainu.intermediary.purge.PurgePropagation;
import dev.komainu.proxy.cache.tier.MemoryCache;
import dev.komainu.proxy.peak.PeakDecision;
import dev.komainu.proxy.peak.PeakMonitor;
import dev.komainu.proxy.peak.PeakView;
import dev.komainu.proxy.purge.Purger;
import dev.komainu.proxy.report.ProxySnapshot;
import dev.komainu.proxy.tls.TlsFigures;
import dev.komainu.telemetry.identity.PartIdentity;
import dev.komainu.telemetry.metrics.PublishedMetrics;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
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
public final class ControlServer implements ControlPages, AutoCloseable {

    /** The result for other members when the propagation did not end in time. */
    private static final PurgePropagation.Acknowledgements NO_RESULT =
            new PurgePropagation.Acknowledgements(List.of(), List.of());

    private static final String CLUSTER_PREFIX = "/control/v1/cluster/";

    private final ControlHttpServer server;
    private final Supplier<ProxySnapshot> figures;
    private final Supplier<@Nullable TlsFigures> tls;
    private final MemoryCache cache;
    private final Purger purger;
    private final ContentsTree contents;
    private final ObjectPage objects;
    private final BooleanSupplier draining;
    private final ConfigurationReload reload;
    private final BooleanSupplier rotateLog;
    private final Supplier<String> central;
    private final @Nullable PeakMonitor peak;
    private final @Nullable ControlExtension cluster;
    private final ProxyClock clock;
    private final ControlAuthorization authorization;
    private final PublishedMetrics<PublishedFigures> metrics =
            MetricsPage.over(this::metricsFigures);

    /**
     * Opens the listener.
     *
     * @param peak null without a disk tier
     * @param cluster null when this proxy is not a member of a cluster
     * @param rotateLog rotates the access log; false when there is none
     * @param central supplies the metrics of the way to the central service
     * @param identity its certificate is shown where TLS is used; null: this proxy has none
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
            BooleanSupplier rotateLog,
            Supplier<String> central,
            @Nullable PartIdentity identity)
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
        this.central = central;
        server = new ControlHttpServer(settings, this, identity);
        authorization = server.authorization();
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
        return server.prepare(next);
    }

    public InetSocketAddress address() {
        return server.address();
    }

    @Override
    public boolean isDraining() {
        return draining.getAsBoolean();
    }

    @Override
    public void serve(ControlExchange exchange) {
        switch (exchange.path()) {
            case "/metrics" -> {
                if (reads(exchange)) {
                    ControlResponse.send(
                            exchange,
                            200,
                            PublishedMetrics.CONTENT_TYPE,
                            metrics.page()
                                    + central.get()
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
                if (ControlResponse.allowed(exchange, "POST") && mayPurgeOrTry(exchange)) {
                    exchange.readBody(body -> purge(exchange, body));
                }
            }
            case "/control/v1/cache" -> {
                if (ControlResponse.allowed(exchange, "PURGE", "POST")) {
                    purge(exchange, QueryParameters.of(exchange));
                }
            }
            case "/control/v1/partition" -> {
                if (ControlResponse.allowed(exchange, "GET", "HEAD", "PUT")) {
                    partition(exchange);
                }
            }
            case "/control/v1/peak" -> peak(exchange);
            case "/control/v1/reload" -> {
                if (ControlResponse.allowed(exchange, "POST")
                        && authorization.admits(exchange, ControlScope.CONFIG)) {
                    ReloadPage.serve(exchange, QueryParameters.of(exchange), reload);
                }
            }
            case "/control/v1/log/rotate" -> {
                if (ControlResponse.allowed(exchange, "POST")
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

    private boolean isOfCluster(ControlExchange exchange) {
        String path = exchange.path();
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
    private void partition(ControlExchange exchange) {
        boolean writes = exchange.method().equals("PUT");
        if (authorization.admits(exchange, writes ? ControlScope.CONFIG : ControlScope.READ)) {
            if (writes) {
                exchange.readBody(body -> {
                    cache.divide(PartitionPage.read(body, cache.settings().partition()));
                    sendPartition(exchange);
                });
            } else {
                sendPartition(exchange);
            }
        }
    }

    private void sendPartition(ControlExchange exchange) {
        ControlResponse.send(
                exchange, 200, PartitionPage.of(cache.partition(), figures.get().counters().pools));
    }

    private PublishedFigures metricsFigures() {
        return new PublishedFigures(figures.get(), tls.get(), peakView());
    }

    private @Nullable PeakView peakView() {
        return peak == null ? null : peak.view(clock.wallMillis());
    }

    private void peak(ControlExchange exchange) {
        PeakMonitor monitor = peak;
        boolean reads = !exchange.method().equals("POST");
        if (!ControlResponse.allowed(exchange, "GET", "HEAD", "POST")
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
    private void rotate(ControlExchange exchange) {
        if (rotateLog.getAsBoolean()) {
            ControlResponse.send(exchange, 202, Map.of("rotating", true));
        } else {
            ControlResponse.problem(
                    exchange, 409, "Conflict", "There is no access log: log.access is not set");
        }
    }

    /** Checks the authorization of an order before its body tells whether it is a dry run. */
    private boolean mayPurgeOrTry(ControlExchange exchange) {
        return authorization.permits(exchange, ControlScope.READ)
                || authorization.admits(exchange, ControlScope.PURGE);
    }

    private boolean reads(ControlExchange exchange) {
        return ControlResponse.allowed(exchange, "GET", "HEAD")
                && authorization.admits(exchange, ControlScope.READ);
    }

    private void contents(ControlExchange exchange, QueryParameters query) {
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
    private UrlQueries queries(ControlExchange exchange, QueryParameters query) {
        return !query.truth("hideQueries") && authorization.holds(exchange, ControlScope.PURGE)
                ? UrlQueries.SHOWN
                : UrlQueries.HIDDEN;
    }

    private void object(ControlExchange exchange, QueryParameters query) {
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
    private void purge(ControlExchange exchange, String body) {
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

    private void purge(ControlExchange exchange, QueryParameters query) {
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

    private void execute(ControlExchange exchange, PurgeOrder order) {
        if (authorization.admits(
                exchange, order.dryRun() ? ControlScope.READ : ControlScope.PURGE)) {
            ControlResponse.send(exchange, 200, executed(exchange, order));
        }
    }

    /**
     * Executes an order. A member that does not confirm within the time limit is reported as
     * missing.
     */
    private Map<String, Object> executed(ControlExchange exchange, PurgeOrder order) {
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
        server.close();
    }
}
