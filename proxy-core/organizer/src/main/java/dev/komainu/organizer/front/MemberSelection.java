package dev.komainu.organizer.front;

import dev.komainu.organizer.route.Candidate;
import dev.komainu.organizer.route.ClusterRouteTable;
import dev.komainu.organizer.route.MemberChoice;
import dev.komainu.organizer.route.MemberId;
import dev.komainu.organizer.route.RouteDecision;
import dev.komainu.organizer.route.RouteQuery;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The members to try for one request, in order, by the route table of its start; each member at
 * most once. A member that has left the current table is tried last, because it may not respond,
 * like the member before it. Used on its loop.
 */
final class MemberSelection {

    /** Members tried for one request. */
    private static final int MAX_ATTEMPTS = 4;

    private final RoutingContext routing;
    private final Http2Headers head;
    private final ClusterRouteTable table;
    private final String host;
    private final String path;
    private final boolean safe;
    private final boolean serversOnly;
    private final Set<MemberId> excluded;
    private int attempts;

    /**
     * Creates the selection with the current route table.
     *
     * @param safe whether the request may be sent twice
     * @param serversOnly whether caches are skipped
     * @param seen members that have already had the request
     */
    MemberSelection(
            RoutingContext routing,
            Http2Headers head,
            boolean safe,
            boolean serversOnly,
            Collection<MemberId> seen) {
        this.routing = routing;
        this.head = head;
        this.table = routing.currentTable();
        this.host = HeadConversion.host(head);
        this.path = HeadConversion.path(head);
        this.safe = safe;
        this.serversOnly = serversOnly;
        this.excluded = new HashSet<>(seen);
    }

    /** Selects the next member. */
    RouteDecision nextMember() {
        RouteDecision decision = choose(safe);
        if (!safe
                && decision instanceof RouteDecision.NoMember none
                && none.reason() == RouteDecision.FailureReason.ALL_DOWN) {
            // Nothing of the request was sent yet. Without this probe a member that receives only
            // unsafe requests would never return to service.
            decision = choose(true);
        }
        return decision;
    }

    private RouteDecision choose(boolean mayProbe) {
        Set<MemberId> gone = attempts == 0 ? Set.of() : gone();
        if (!gone.isEmpty()) {
            gone.addAll(excluded);
            RouteDecision decision = choose(mayProbe, gone);
            if (!(decision instanceof RouteDecision.NoMember)) {
                return decision;
            }
        }
        return choose(mayProbe, excluded);
    }

    /**
     * Returns the members that served the prefix at the start of the request and do not serve it
     * now.
     */
    private Set<MemberId> gone() {
        ClusterRouteTable current = routing.currentTable();
        Set<MemberId> gone = new HashSet<>();
        if (current != table) {
            String pathOnly = HeadConversion.pathWithoutQuery(head);
            table.candidates(host, pathOnly).forEach(candidate -> gone.add(candidate.member()));
            current.candidates(host, pathOnly)
                    .forEach(candidate -> gone.remove(candidate.member()));
        }
        return gone;
    }

    private RouteDecision choose(boolean mayProbe, Set<MemberId> skipped) {
        RouteQuery query = new RouteQuery(
                host,
                path,
                skipped,
                mayProbe,
                serversOnly,
                ThreadLocalRandom.current().nextDouble());
        return MemberChoice.of(table, query, routing.forecasts()::of);
    }

    /** Returns this member as a candidate; null: it does not serve the prefix. */
    @Nullable
    Candidate localCandidate() {
        for (Candidate candidate : table.candidates(host, HeadConversion.pathWithoutQuery(head))) {
            if (candidate.member().equals(routing.self())) {
                return candidate;
            }
        }
        return null;
    }

    /** Records an attempt with a member. */
    void recordAttempt(Candidate candidate) {
        attempts++;
        excluded.add(candidate.member());
    }

    boolean isFirstAttempt() {
        return attempts == 0;
    }

    /** Reports whether another attempt is allowed. */
    boolean mayRetry() {
        return attempts < MAX_ATTEMPTS;
    }
}
