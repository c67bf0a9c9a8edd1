package dev.komainu.organizer.control;

import dev.komainu.intermediary.control.ConfigurationReload;
import dev.komainu.intermediary.control.ControlAuthorization;
import dev.komainu.intermediary.control.ControlExchange;
import dev.komainu.intermediary.control.ControlHttpServer;
import dev.komainu.intermediary.control.ControlPages;
import dev.komainu.intermediary.control.ControlResponse;
import dev.komainu.intermediary.control.ControlSettings;
import dev.komainu.intermediary.control.QueryParameters;
import dev.komainu.intermediary.control.ReloadPage;
import dev.komainu.intermediary.process.ReloadCounts;
import dev.komainu.telemetry.identity.PartIdentity;
import dev.komainu.telemetry.metrics.PublishedMetrics;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The control endpoint of an organizer, with the same tokens and responses as the proxy's.
 *
 * <table><caption>Paths</caption> <tr><td>GET /health</td><td>200 {@code {"status":"up"}}</td></tr>
 * <tr><td>GET /metrics</td><td>Prometheus text</td></tr> <tr><td>GET
 * /control/v1/members</td><td>the members and their load</td></tr> <tr><td>GET
 * /control/v1/table</td><td>prefix, member, weight; conflicts; the digest that is the same at all
 * members</td></tr> <tr><td>GET /control/v1/front</td><td>counts of requests, by reason; lines to
 * peers</td></tr> <tr><td>GET /control/v1/services</td><td>entries for other protocols, counts of
 * their clients, by reason</td></tr> <tr><td>GET /control/v1/choice?url=HOST/PATH</td><td>the
 * member for a request now, and the forecast of each candidate</td></tr> <tr><td>GET
 * /control/v1/events?after=N</td><td>the events of the cluster</td></tr> <tr><td>POST
 * /control/v1/drain?on=true|false</td><td>starts or ends draining of this member</td></tr>
 * <tr><td>POST /control/v1/reload?dryRun=true|false</td><td>reloads the configuration</td></tr>
 * <tr><td>POST /control/v1/weight?prefix=HOST/PATH&amp;weight=N</td><td>sets this member's weight
 * for a prefix</td></tr> </table>
 */
public final class ControlEndpoint implements ControlPages, AutoCloseable {

    private static final String PATHS = "/control/v1/";

    private final ControlHttpServer server;
    private final ControlAuthorization gate;
    private final ClusterControlRoutes routes;
    private final ConfigurationReload reload;
    private final PublishedMetrics<?> reloads;

    /**
     * Starts to listen.
     *
     * @param reloads supplies the counts of reloads
     * @param identity its certificate is shown where TLS is used; absent: this organizer has none
     * @throws BindException when the address cannot be bound
     * @throws IOException when the token file cannot be read or has a mistake
     */
    public ControlEndpoint(
            ControlSettings settings,
            ClusterControlRoutes routes,
            ConfigurationReload reload,
            Supplier<ReloadCounts.Figures> reloads,
            @Nullable PartIdentity identity)
            throws IOException {
        this.routes = routes;
        this.reload = reload;
        this.reloads = OrganizerMetrics.of(reloads);
        server = new ControlHttpServer(settings, this, identity);
        gate = server.authorization();
        server.start();
    }

    /** Reports whether connections use TLS. */
    public boolean isEncrypted() {
        return server.isEncrypted();
    }

    /** Returns the listening address. */
    public InetSocketAddress address() {
        return server.address();
    }

    /**
     * Prepares other tokens.
     *
     * @return applies them; any thread
     * @throws IOException when the token file cannot be read or has a mistake; nothing has changed
     *     then
     */
    public Runnable prepare(ControlSettings next) throws IOException {
        return server.prepare(next);
    }

    @Override
    public boolean isDraining() {
        return false;
    }

    @Override
    public void serve(ControlExchange exchange) {
        String path = exchange.path();
        QueryParameters query = QueryParameters.of(exchange);
        if (path.equals("/metrics")) {
            if (routes.reads(exchange, query, gate)) {
                ControlResponse.send(
                        exchange,
                        200,
                        PublishedMetrics.CONTENT_TYPE,
                        routes.metrics() + reloads.page());
            }
        } else if (path.equals(PATHS + "reload")) {
            if (ClusterControlRoutes.writes(exchange, gate)) {
                ReloadPage.serve(exchange, query, reload);
            }
        } else if (!path.startsWith(PATHS)
                || !routes.serve(exchange, path.substring(PATHS.length()), query, gate)) {
            ControlResponse.problem(exchange, 404, "Not Found", "Nothing is here");
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
