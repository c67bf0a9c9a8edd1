package dev.komainu.organizer.front;

import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.organizer.line.LineSettings;
import dev.komainu.organizer.line.kit.Tuned;
import dev.komainu.organizer.line.tunnel.TunnelKinds;
import dev.komainu.organizer.page.PageSettings;
import dev.komainu.organizer.route.Announcement;
import dev.komainu.organizer.route.ClusterRouteTable;
import dev.komainu.organizer.route.LineEndpoint;
import dev.komainu.organizer.route.MemberForecasts;
import dev.komainu.organizer.route.MemberId;
import dev.komainu.organizer.route.ServedRoute;
import dev.komainu.organizer.route.UrlPrefix;
import dev.komainu.organizer.server.LocalServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Fronts on loopback with a table that the test writes: there is no membership and no waiting for
 * it.
 */
final class Cluster implements AutoCloseable {

    private final LineSettings line;
    private volatile ClusterRouteTable table = ClusterRouteTable.EMPTY;
    private final Map<String, Member> members = new LinkedHashMap<>();
    private final PageSettings pages;
    private final ProxyClock clock;
    private final int loops;
    private long version;
    /** The rights of members that are created from now on. */
    PurgeRights rights = PurgeRights.UNRESTRICTED;

    /** The clients with special rights at members that are created from now on. */
    FrontAccess access = FrontAccess.NONE;

    /**
     * Creates an empty cluster.
     *
     * @param patience how long a request waits for a connection to a peer
     */
    Cluster(Duration patience) {
        this(patience, PageSettings.OFF, ProxyClock.SYSTEM, 1);
    }

    /**
     * Creates an empty cluster.
     *
     * @param loops number of loops of each member
     */
    Cluster(Duration patience, PageSettings pages, ProxyClock clock, int loops) {
        this.loops = loops;
        this.pages = pages;
        this.clock = clock;
        line = Tuned.withTimes(
                LineSettings.DEFAULT.withConnections(1),
                Duration.ofSeconds(1),
                Duration.ofSeconds(60),
                Duration.ofMillis(10),
                patience);
    }

    /** One member. */
    static final class Member {
        final MemberId id;
        final Front front;
        final MemberForecasts forecasts = new MemberForecasts(System::nanoTime);
        final Map<UrlPrefix, LocalServer> servers = new ConcurrentHashMap<>();
        private final List<ServedRoute> routes = new ArrayList<>();
        private boolean draining;

        Member(Cluster cluster, String name) throws IOException {
            id = new MemberId(name);
            InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            front = new Front(
                    new FrontSettings(
                            any,
                            any,
                            cluster.loops,
                            Duration.ofSeconds(60),
                            Duration.ofSeconds(60),
                            cluster.line,
                            cluster.pages,
                            cluster.access),
                    new RoutingContext(id, "test", () -> cluster.table, forecasts, servers::get),
                    null,
                    TunnelKinds.NONE,
                    null,
                    cluster.clock,
                    cluster.rights);
        }

        InetSocketAddress address() {
            return front.address();
        }

        long count(FrontCounts.Kind kind) {
            return front.counts().of(kind);
        }

        long count(GatewayError why) {
            return front.counts().of(why);
        }
    }

    Member member(String name) throws IOException {
        Member made = new Member(this, name);
        members.put(name, made);
        announce();
        return made;
    }

    /** Serves a prefix from now on, by the server at a port of loopback. */
    void serves(Member member, String prefix, int port) {
        serves(member, prefix, port, 1);
    }

    void serves(Member member, String prefix, int port, int weight) {
        UrlPrefix read = UrlPrefix.parse(prefix);
        member.routes.removeIf(route -> route.prefix().equals(read));
        member.routes.add(new ServedRoute(read, weight, 64, false, ""));
        member.servers.put(read, new LocalServer("127.0.0.1", port));
        announce();
    }

    void servesNoMore(Member member, String prefix) {
        UrlPrefix read = UrlPrefix.parse(prefix);
        member.routes.removeIf(route -> route.prefix().equals(read));
        announce();
    }

    void drain(Member member, boolean on) {
        member.draining = on;
        announce();
    }

    private void announce() {
        version++;
        table = ClusterRouteTable.of(members.values().stream()
                .map(member -> new Announcement(
                        member.id,
                        1,
                        version,
                        new LineEndpoint(
                                "127.0.0.1", member.front.lineAddress().getPort(), member.id),
                        member.draining,
                        member.routes))
                .toList());
    }

    @Override
    public void close() {
        members.values().forEach(member -> member.front.close());
    }
}
