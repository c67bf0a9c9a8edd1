package dev.komainu.organizer.service;

import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.organizer.front.Front;
import dev.komainu.organizer.front.FrontAccess;
import dev.komainu.organizer.front.FrontSettings;
import dev.komainu.organizer.front.RoutingContext;
import dev.komainu.organizer.line.LineSettings;
import dev.komainu.organizer.line.kit.Tuned;
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
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A near organizer with entries and a far one beside the servers, on loopback, with a table that
 * the test writes.
 */
final class TwoOrganizers implements AutoCloseable {

    static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private static final LineSettings LINE = Tuned.withTimes(
            LineSettings.DEFAULT.withConnections(1),
            Duration.ofSeconds(1),
            Duration.ofSeconds(60),
            Duration.ofMillis(10),
            Duration.ofSeconds(60));

    final Front near;
    final Front far;
    final MemberId farId = new MemberId("far");
    private final Map<UrlPrefix, LocalServer> servers = new ConcurrentHashMap<>();
    private final Map<UrlPrefix, ServedRoute> routes = new ConcurrentHashMap<>();
    private final List<ServedAddresses.Served> served = new ArrayList<>();
    private volatile ClusterRouteTable table = ClusterRouteTable.EMPTY;
    private final boolean nearServes;
    private @Nullable ServiceEntries services;

    /**
     * Creates both organizers.
     *
     * @param nearServes whether the near one has the servers itself
     */
    TwoOrganizers(boolean nearServes, ServedAddresses.Served... all) throws IOException {
        this.nearServes = nearServes;
        served.addAll(List.of(all));
        for (ServedAddresses.Served one : all) {
            UrlPrefix prefix = UrlPrefix.parse(one.name() + ":" + one.port() + "/");
            servers.put(prefix, new LocalServer(one.host(), one.serverPort()));
            routes.put(prefix, new ServedRoute(prefix, 1, 64, false, ""));
        }
        MemberId nearId = new MemberId("near");
        near = front(nearId);
        far = front(farId);
        List<ServedRoute> here = List.copyOf(routes.values());
        table = ClusterRouteTable.of(List.of(
                new Announcement(
                        nearId, 1, 1, endpoint(near, nearId), false, nearServes ? here : List.of()),
                new Announcement(
                        farId, 1, 1, endpoint(far, farId), false, nearServes ? List.of() : here)));
    }

    private static LineEndpoint endpoint(Front front, MemberId member) {
        return new LineEndpoint("127.0.0.1", front.lineAddress().getPort(), member);
    }

    private Front front(MemberId self) throws IOException {
        return new Front(
                new FrontSettings(
                        null,
                        ANY,
                        2,
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(60),
                        LINE,
                        PageSettings.OFF,
                        FrontAccess.NONE),
                new RoutingContext(
                        self,
                        "test",
                        () -> table,
                        new MemberForecasts(System::nanoTime),
                        prefix -> self.equals(farId) != nearServes ? servers.get(prefix) : null),
                null,
                ServiceTunnels.of(self, () -> new ServedAddresses(served)),
                null,
                ProxyClock.SYSTEM);
    }

    ServiceEntries.OpenEntry open(ServiceProtocol protocol, String service) throws IOException {
        return open(new ServiceEntry(protocol, ANY, service, PortRange.ANY));
    }

    ServiceEntries.OpenEntry open(ServiceEntry entry) throws IOException {
        ServiceEntries made = new ServiceEntries(near, List.of(entry));
        services = made;
        return made.all().getFirst();
    }

    void closeEntries() {
        ServiceEntries open = services;
        if (open != null) {
            open.close();
        }
    }

    static Socket connect(ServiceEntries.OpenEntry entry) throws IOException {
        Socket socket = new Socket(entry.listens().getAddress(), entry.listens().getPort());
        socket.setSoTimeout(60_000);
        return socket;
    }

    @Override
    public void close() {
        closeEntries();
        near.close();
        far.close();
    }
}
