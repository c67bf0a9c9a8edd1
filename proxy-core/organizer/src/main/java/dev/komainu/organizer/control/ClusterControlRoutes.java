package dev.komainu.organizer.control;

import dev.komainu.intermediary.control.ControlAuthorization;
import dev.komainu.intermediary.control.ControlExchange;
import dev.komainu.intermediary.control.ControlExtension;
import dev.komainu.intermediary.control.ControlResponse;
import dev.komainu.intermediary.control.ControlScope;
import dev.komainu.intermediary.control.QueryParameters;
import dev.komainu.organizer.front.Front;
import dev.komainu.organizer.member.EventLog;
import dev.komainu.organizer.member.Membership;
import dev.komainu.organizer.route.ServedRoute;
import dev.komainu.organizer.route.UrlPrefix;
import dev.komainu.organizer.service.ServiceEntries;
import dev.komainu.telemetry.metrics.PublishedMetrics;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The control routes of a member: at an organizer's own endpoint, or at the endpoint of the
 * embedding proxy.
 */
public final class ClusterControlRoutes implements ControlExtension {

    private final Membership membership;
    private final Front front;
    private final ServiceEntries services;
    private final EventLog events;
    private final Consumer<Boolean> drain;
    private final BiPredicate<UrlPrefix, Integer> setWeight;
    private final PublishedMetrics<?> metrics;
    private final Supplier<String> central;

    /**
     * Creates the routes.
     *
     * @param setWeight sets the weight of a prefix; returns false when this member does not serve
     *     it
     * @param central supplies the metrics of the way to the central service
     */
    public ClusterControlRoutes(
            Membership membership,
            Front front,
            ServiceEntries services,
            EventLog events,
            Consumer<Boolean> drain,
            BiPredicate<UrlPrefix, Integer> setWeight,
            Supplier<String> central) {
        this.membership = membership;
        this.front = front;
        this.services = services;
        this.events = events;
        this.drain = drain;
        this.setWeight = setWeight;
        this.central = central;
        this.metrics = OrganizerMetrics.of(membership, events, front, services);
    }

    @Override
    public String metrics() {
        return metrics.page() + central.get();
    }

    @Override
    public boolean serve(
            ControlExchange exchange,
            String page,
            QueryParameters query,
            ControlAuthorization gate) {
        switch (page) {
            case "members" -> {
                if (reads(exchange, query, gate)) {
                    ControlResponse.send(exchange, 200, ClusterPages.members(membership));
                }
            }
            case "table" -> {
                if (reads(exchange, query, gate)) {
                    ControlResponse.send(exchange, 200, ClusterPages.table(membership.table()));
                }
            }
            case "front" -> {
                if (reads(exchange, query, gate)) {
                    ControlResponse.send(exchange, 200, FrontPages.front(front));
                }
            }
            case "services" -> {
                if (reads(exchange, query, gate)) {
                    ControlResponse.send(exchange, 200, ServicePages.services(services));
                }
            }
            case "choice" -> {
                UrlPrefix url = UrlPrefix.parse(query.required("url", "HOST/PATH"));
                if (reads(exchange, query, gate)) {
                    ControlResponse.send(exchange, 200, ClusterPages.choice(membership, url));
                }
            }
            case "events" -> {
                int after = query.number("after", 0, 0, 999_999_999);
                if (reads(exchange, query, gate)) {
                    ControlResponse.send(exchange, 200, ClusterPages.events(events, after));
                }
            }
            case "drain" -> {
                if (writes(exchange, gate)) {
                    query.required("on", "true|false");
                    boolean on = query.truth("on");
                    query.refuseUnknown();
                    drain.accept(on);
                    ControlResponse.send(exchange, 200, Map.of("draining", on));
                }
            }
            case "weight" -> {
                if (writes(exchange, gate)) {
                    serveWeight(exchange, query);
                }
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private void serveWeight(ControlExchange exchange, QueryParameters query) {
        UrlPrefix prefix = UrlPrefix.parse(query.required("prefix", "HOST/PATH"));
        query.required("weight", "0…" + ServedRoute.MOST_WEIGHT);
        int weight = query.number("weight", 1, 0, ServedRoute.MOST_WEIGHT);
        query.refuseUnknown();
        if (setWeight.test(prefix, weight)) {
            ControlResponse.send(
                    exchange, 200, Map.of("prefix", prefix.toString(), "weight", weight));
        } else {
            ControlResponse.problem(
                    exchange, 404, "Not Found", "This member does not serve " + prefix);
        }
    }

    boolean reads(ControlExchange exchange, QueryParameters query, ControlAuthorization gate) {
        query.refuseUnknown();
        return ControlResponse.allowed(exchange, "GET") && gate.admits(exchange, ControlScope.READ);
    }

    static boolean writes(ControlExchange exchange, ControlAuthorization gate) {
        return ControlResponse.allowed(exchange, "POST")
                && gate.admits(exchange, ControlScope.CONFIG);
    }
}
