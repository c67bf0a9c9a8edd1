package dev.komainu.organizer.control;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.komainu.organizer.front.Front;
import dev.komainu.organizer.member.EventLog;
import dev.komainu.organizer.member.Membership;
import dev.komainu.organizer.route.ServedRoute;
import dev.komainu.organizer.route.UrlPrefix;
import dev.komainu.proxy.control.ControlServer;
import dev.komainu.proxy.control.ControlSettings;
import dev.komainu.proxy.control.Gate;
import dev.komainu.proxy.control.QueryParameters;
import dev.komainu.proxy.control.Scope;
import dev.komainu.proxy.control.TokenFile;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BiPredicate;
import java.util.function.Consumer;

/**
 * The control endpoint of an organizer, with the proxy's tokens and manner.
 *
 * <table><caption>Paths</caption>
 * <tr><td>GET /health</td><td>200 {@code {"status":"up"}}</td></tr>
 * <tr><td>GET /metrics</td><td>Prometheus text</td></tr>
 * <tr><td>GET /control/v1/members</td><td>who is there and how each does</td></tr>
 * <tr><td>GET /control/v1/table</td><td>prefix, member, weight; conflicts; the digest that is the same at all members</td></tr>
 * <tr><td>GET /control/v1/front</td><td>what became of requests, by reason; lines to peers</td></tr>
 * <tr><td>GET /control/v1/choice?url=HOST/PATH</td><td>whom a request would go to now, and what is expected of each</td></tr>
 * <tr><td>GET /control/v1/events?after=N</td><td>what happened</td></tr>
 * <tr><td>POST /control/v1/drain?on=true|false</td><td>this member wants no new requests, or does again</td></tr>
 * <tr><td>POST /control/v1/weight?prefix=HOST/PATH&amp;weight=N</td><td>this member's weight for a prefix</td></tr>
 * </table>
 */
public final class ControlEndpoint implements AutoCloseable {

    private final HttpServer server;
    private final ExecutorService threads = Executors.newFixedThreadPool(
            2, task -> Thread.ofPlatform().name("komainu-control").daemon().unstarted(task));
    private final Gate gate;
    private final Membership membership;
    private final Front front;
    private final EventLog events;
    private final Consumer<Boolean> drain;
    private final BiPredicate<UrlPrefix, Integer> weigh;

    /**
     * Begins to listen.
     *
     * @param weigh false: this member does not serve that prefix
     * @throws BindException when the address cannot be had
     * @throws IOException when the token file cannot be read or has a mistake
     */
    public ControlEndpoint(
            ControlSettings settings,
            Membership membership,
            Front front,
            EventLog events,
            Consumer<Boolean> drain,
            BiPredicate<UrlPrefix, Integer> weigh)
            throws IOException {
        this.membership = membership;
        this.front = front;
        this.events = events;
        this.drain = drain;
        this.weigh = weigh;
        TokenFile tokens = ControlServer.tokens(settings);
        server = ControlServer.listener(settings.listen());
        gate = new Gate(server.getAddress(), tokens, settings.readToken());
        server.setExecutor(threads);
        server.createContext("/", this::serve);
        server.start();
    }

    public InetSocketAddress address() {
        return server.getAddress();
    }

    private void serve(HttpExchange exchange) throws IOException {
        try (exchange) {
            if (!gate.hostExpected(exchange.getRequestHeaders().getFirst("Host"))) {
                ControlServer.problem(
                        exchange, 421, "Misdirected Request", "The Host of this request is not this endpoint's");
                return;
            }
            try {
                route(exchange, exchange.getRequestURI().getPath(), QueryParameters.of(exchange));
            } catch (IllegalArgumentException e) {
                ControlServer.problem(exchange, 400, "Bad Request", String.valueOf(e.getMessage()));
            }
        }
    }

    private void route(HttpExchange exchange, String path, QueryParameters query) throws IOException {
        switch (path) {
            case "/health" -> ControlServer.answer(exchange, 200, Map.of("status", "up"));
            case "/metrics" -> {
                if (reads(exchange, query)) {
                    ControlServer.answer(
                            exchange,
                            200,
                            "text/plain; version=0.0.4; charset=utf-8",
                            Pages.metrics(membership, events) + FrontPages.metrics(front));
                }
            }
            case "/control/v1/members" -> {
                if (reads(exchange, query)) {
                    ControlServer.answer(exchange, 200, Pages.members(membership));
                }
            }
            case "/control/v1/table" -> {
                if (reads(exchange, query)) {
                    ControlServer.answer(exchange, 200, Pages.table(membership.table()));
                }
            }
            case "/control/v1/front" -> {
                if (reads(exchange, query)) {
                    ControlServer.answer(exchange, 200, FrontPages.front(front));
                }
            }
            case "/control/v1/choice" -> {
                UrlPrefix url = UrlPrefix.parse(query.required("url", "HOST/PATH"));
                if (reads(exchange, query)) {
                    ControlServer.answer(exchange, 200, Pages.choice(membership, url));
                }
            }
            case "/control/v1/events" -> {
                int after = query.number("after", 0, 0, 999_999_999);
                if (reads(exchange, query)) {
                    ControlServer.answer(exchange, 200, Pages.events(events, after));
                }
            }
            case "/control/v1/drain" -> {
                if (writes(exchange)) {
                    query.required("on", "true|false");
                    boolean on = query.truth("on");
                    query.refuseUnknown();
                    drain.accept(on);
                    ControlServer.answer(exchange, 200, Map.of("draining", on));
                }
            }
            case "/control/v1/weight" -> {
                if (writes(exchange)) {
                    weigh(exchange, query);
                }
            }
            default -> ControlServer.problem(exchange, 404, "Not Found", "Nothing is here");
        }
    }

    private void weigh(HttpExchange exchange, QueryParameters query) throws IOException {
        UrlPrefix prefix = UrlPrefix.parse(query.required("prefix", "HOST/PATH"));
        query.required("weight", "0…" + ServedRoute.MOST_WEIGHT);
        int weight = query.number("weight", 1, 0, ServedRoute.MOST_WEIGHT);
        query.refuseUnknown();
        if (weigh.test(prefix, weight)) {
            ControlServer.answer(exchange, 200, Map.of("prefix", prefix.toString(), "weight", weight));
        } else {
            ControlServer.problem(exchange, 404, "Not Found", "This member does not serve " + prefix);
        }
    }

    private boolean reads(HttpExchange exchange, QueryParameters query) throws IOException {
        query.refuseUnknown();
        return allowed(exchange, "GET") && gate.admits(exchange, Scope.READ);
    }

    private boolean writes(HttpExchange exchange) throws IOException {
        return allowed(exchange, "POST") && gate.admits(exchange, Scope.CONFIG);
    }

    private static boolean allowed(HttpExchange exchange, String method) throws IOException {
        if (exchange.getRequestMethod().equals(method)) {
            return true;
        }
        exchange.getResponseHeaders().set("Allow", method);
        ControlServer.problem(exchange, 405, "Method Not Allowed", "This method does not apply here");
        return false;
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
