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
 * Whom to ask for one request, one after the other, by the table that it began with; nobody twice.
 * Who has gone from the table meanwhile is asked only where nobody else is left: he may be silent
 * for as long as the one before him was. On its loop.
 */
final class MemberSelection {

    /** Members asked for one request. */
    private static final int MOST_ATTEMPTS = 4;

    private final RoutingContext routing;
    private final Http2Headers head;
    private final ClusterRouteTable table;
    private final String host;
    private final String path;
    private final boolean safe;
    private final boolean serversOnly;
    private final Set<MemberId> excluded;
    private int asked;

    /**
     * Whom to ask, as of now.
     *
     * @param safe whether it may be asked twice
     * @param serversOnly no other caches
     * @param seen by these already
     */
    MemberSelection(
            RoutingContext routing,
            Http2Headers head,
            boolean safe,
            boolean serversOnly,
            Collection<MemberId> seen) {
        this.routing = routing;
        this.head = head;
        this.table = routing.tableNow();
        this.host = HeadConversion.host(head);
        this.path = HeadConversion.path(head);
        this.safe = safe;
        this.serversOnly = serversOnly;
        this.excluded = new HashSet<>(seen);
    }

    /** Whom the table and chance name. */
    RouteDecision next() {
        RouteDecision decision = choose(safe);
        if (!safe
                && decision instanceof RouteDecision.Nobody none
                && none.why() == RouteDecision.WhyNot.ALL_DOWN) {
            // Nothing of it was sent yet. Were it never to try who may be back, a member asked
            // nothing safe would stay away.
            decision = choose(true);
        }
        return decision;
    }

    private RouteDecision choose(boolean mayProbe) {
        Set<MemberId> gone = asked == 0 ? Set.of() : gone();
        if (!gone.isEmpty()) {
            gone.addAll(excluded);
            RouteDecision decision = choose(mayProbe, gone);
            if (!(decision instanceof RouteDecision.Nobody)) {
                return decision;
            }
        }
        return choose(mayProbe, excluded);
    }

    /** Who served it when it began, and does not now. */
    private Set<MemberId> gone() {
        ClusterRouteTable now = routing.tableNow();
        Set<MemberId> gone = new HashSet<>();
        if (now != table) {
            String pathOnly = HeadConversion.pathWithoutQuery(head);
            table.candidates(host, pathOnly).forEach(candidate -> gone.add(candidate.member()));
            now.candidates(host, pathOnly).forEach(candidate -> gone.remove(candidate.member()));
        }
        return gone;
    }

    private RouteDecision choose(boolean mayProbe, Set<MemberId> without) {
        RouteQuery wanted = new RouteQuery(
                host,
                path,
                without,
                mayProbe,
                serversOnly,
                ThreadLocalRandom.current().nextDouble());
        return MemberChoice.of(table, wanted, routing.outlooks()::of);
    }

    /** This member, where it serves it itself. */
    @Nullable
    Candidate own() {
        for (Candidate candidate : table.candidates(host, HeadConversion.pathWithoutQuery(head))) {
            if (candidate.member().equals(routing.self())) {
                return candidate;
            }
        }
        return null;
    }

    /** It is asked now. */
    void asks(Candidate candidate) {
        asked++;
        excluded.add(candidate.member());
    }

    boolean isNoneAsked() {
        return asked == 0;
    }

    /** Whether one more may be asked. */
    boolean mayAskMore() {
        return asked < MOST_ATTEMPTS;
    }
}
