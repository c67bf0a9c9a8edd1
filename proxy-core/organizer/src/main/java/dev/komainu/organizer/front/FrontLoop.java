package dev.komainu.organizer.front;

import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.intermediary.upstream.UpstreamSettings;
import dev.komainu.organizer.line.LineSettings;
import dev.komainu.organizer.line.StreamAcceptor;
import dev.komainu.organizer.line.tunnel.TunnelAcceptor;
import dev.komainu.organizer.page.PushStore;
import dev.komainu.organizer.route.Candidate;
import dev.komainu.organizer.route.UrlPrefix;
import dev.komainu.organizer.server.LocalServer;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The state of one event loop: lines to peers, pooled connections to servers, client connections.
 * Used on the loop only, except {@link #counts} and {@link #routing}.
 *
 * <p>One line for each peer and loop costs a few more connections than one line for all loops, and
 * saves each exchange two thread changes.
 */
final class FrontLoop {

    private static final long SWEEP_MILLIS = 250;
    private final EventLoop loop;
    private final FrontContext front;
    private final MemberLines lines;
    private final ClientConnections clients;
    private final ServerConnections servers;
    private final TunnelAcceptor tunnels;
    private final RequestHead head = new RequestHead();
    private final PageServices pages;
    private final Future<?> sweeps;

    FrontLoop(
            FrontContext front,
            EventLoop loop,
            Class<? extends Channel> channels,
            LineSettings lineSettings) {
        this.front = front;
        this.loop = loop;
        this.lines = new MemberLines(loop, lineSettings, front.tls());
        this.pages = new PageServices(
                front.prefetch(), new HeadFields(front.prefetch().clock()), front.routing());
        this.clients =
                new ClientConnections(front.settings().idle(), front.settings().headTimeout());
        UpstreamSettings upstream = UpstreamSettings.DEFAULT;
        this.servers = new ServerConnections(loop, channels, upstream);
        Map<String, StreamAcceptor> others = front.kinds().others();
        this.tunnels = new TunnelAcceptor(
                this::tunnelTarget,
                upstream.connectTimeout(),
                front.kinds().dialled(),
                (request, ends, stream, peer) -> {
                    StreamAcceptor other =
                            others.get(String.valueOf(request.get(HeadConversion.PROTOCOL)));
                    if (other == null) {
                        throw new IllegalArgumentException(request.get(HeadConversion.PROTOCOL)
                                + " (expected: a supported protocol)");
                    }
                    return other.take(request, ends, stream, peer);
                });
        this.sweeps = loop.scheduleWithFixedDelay(
                this::sweep, SWEEP_MILLIS, SWEEP_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void sweep() {
        long now = System.nanoTime();
        servers.sweep(now);
        clients.expire(now);
        PushStore store = front.prefetch().pushStore();
        if (store != null) {
            store.expire();
        }
        lines.sweep(
                front.routing().currentTable(),
                front.routing().self(),
                front.acceptsRequests().getAsBoolean());
    }

    EventLoop loop() {
        return loop;
    }

    /** Returns the lines to the other members. */
    MemberLines lines() {
        return lines;
    }

    ClientConnections clients() {
        return clients;
    }

    TunnelAcceptor tunnels() {
        return tunnels;
    }

    /**
     * Returns the address of the own server that accepts a tunnel; null: there is none. A host name
     * is resolved here, on the loop: members name their servers by address.
     */
    private @Nullable InetSocketAddress tunnelTarget(Http2Headers request) {
        RoutingContext routing = front.routing();
        for (Candidate candidate : routing.currentTable()
                .candidates(
                        HeadConversion.host(request), HeadConversion.pathWithoutQuery(request))) {
            LocalServer server = candidate.member().equals(routing.self())
                    ? routing.server(candidate.route().prefix())
                    : null;
            if (server != null) {
                int colon = server.address().lastIndexOf(':');
                InetSocketAddress found = new InetSocketAddress(
                        server.address().substring(0, colon),
                        Integer.parseInt(server.address().substring(colon + 1)));
                return found.isUnresolved() ? null : found;
            }
        }
        return null;
    }

    /** Reports whether the embedding proxy answers for this prefix of this member. */
    boolean isServedByProxy(UrlPrefix prefix) {
        return front.proxyAcceptor() != null && front.routing().server(prefix) == null;
    }

    StreamAcceptor proxyAcceptor() {
        StreamAcceptor own = front.proxyAcceptor();
        if (own == null) {
            throw new IllegalStateException("No proxy is embedded");
        }
        return own;
    }

    /** Returns the connections to this member's own servers. */
    ServerConnections servers() {
        return servers;
    }

    /** Returns a reused head. It is valid until the next head is read. */
    RequestHead head() {
        return head;
    }

    PageServices pages() {
        return pages;
    }

    FrontCounts counts() {
        return front.counts();
    }

    RoutingContext routing() {
        return front.routing();
    }

    void close() {
        sweeps.cancel(false);
        lines.close();
    }
}
