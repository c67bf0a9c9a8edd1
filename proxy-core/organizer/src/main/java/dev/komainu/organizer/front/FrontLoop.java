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
 * What one event loop has of its own: lines to peers, kept connections to servers, lists of who
 * waits. Everything on the loop, but for {@link #counts} and {@link #routing}.
 *
 * <p>A line to each peer for each loop costs a few connections more than one for all loops, and
 * spares each exchange two changes of thread.
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
                this::service,
                upstream.connectTimeout(),
                front.kinds().dialled(),
                (asked, ends, stream, peer) -> {
                    StreamAcceptor other =
                            others.get(String.valueOf(asked.get(HeadConversion.PROTOCOL)));
                    if (other == null) {
                        throw new IllegalArgumentException(asked.get(HeadConversion.PROTOCOL)
                                + " (expected: a protocol that is known here)");
                    }
                    return other.take(asked, ends, stream, peer);
                });
        this.sweeps = loop.scheduleWithFixedDelay(
                this::sweep, SWEEP_MILLIS, SWEEP_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void sweep() {
        long now = System.nanoTime();
        servers.sweep(now);
        clients.expire(now);
        PushStore hand = front.prefetch().hand();
        if (hand != null) {
            hand.expire();
        }
        lines.sweep(
                front.routing().tableNow(), front.routing().self(), front.asks().getAsBoolean());
    }

    EventLoop loop() {
        return loop;
    }

    /** To the other members. */
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
     * Where a server of this member takes a tunnel. A name is looked up here, on the loop: members
     * name their servers by address.
     */
    private @Nullable InetSocketAddress service(Http2Headers asked) {
        RoutingContext routing = front.routing();
        for (Candidate candidate : routing.tableNow()
                .candidates(HeadConversion.host(asked), HeadConversion.pathWithoutQuery(asked))) {
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

    /** Whether this process itself answers for one of this member's prefixes. */
    boolean isHere(UrlPrefix prefix) {
        return front.here() != null && front.routing().server(prefix) == null;
    }

    StreamAcceptor here() {
        StreamAcceptor own = front.here();
        if (own == null) {
            throw new IllegalStateException("Nothing is answered here");
        }
        return own;
    }

    /** To this member's own servers. */
    ServerConnections servers() {
        return servers;
    }

    /** Scratch, good until the next head is read. */
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
