package dev.komainu.organizer.front;

import dev.komainu.intermediary.buffer.BufferBudget;
import dev.komainu.intermediary.buffer.BufferSettings;
import dev.komainu.intermediary.buffer.LoopBuffers;
import dev.komainu.intermediary.connection.IdleCounts;
import dev.komainu.intermediary.connection.OriginPlaces;
import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.intermediary.upstream.AddressBook;
import dev.komainu.intermediary.upstream.HealthBook;
import dev.komainu.intermediary.upstream.Origin;
import dev.komainu.intermediary.upstream.OriginCounts;
import dev.komainu.intermediary.upstream.OriginPool;
import dev.komainu.intermediary.upstream.UpstreamSettings;
import dev.komainu.organizer.line.LineBuffers;
import dev.komainu.organizer.line.LineSettings;
import dev.komainu.organizer.line.StreamTaker;
import dev.komainu.organizer.line.tunnel.TunnelTaker;
import dev.komainu.organizer.page.AtHand;
import dev.komainu.organizer.route.Candidate;
import dev.komainu.organizer.route.MemberId;
import dev.komainu.organizer.route.Outlooks;
import dev.komainu.organizer.route.RouteTable;
import dev.komainu.organizer.route.UrlPrefix;
import dev.komainu.organizer.server.LocalServer;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What one event loop has of its own: lines to peers, kept connections to servers, lists of who waits. Everything on the loop, but for
 * {@link #counts} and {@link #table}.
 *
 * <p>A line to each peer for each loop costs a few connections more than one for all loops, and spares each exchange two changes of thread.
 */
final class FrontLoop {

    private static final long SWEEP_MILLIS = 250;
    private final EventLoop loop;
    private final FrontContext front;
    private final MemberLines lines;
    private final ClientConnections clients;
    private final OriginPool origins;
    private final TunnelTaker tunnels;
    private final RequestHead head = new RequestHead();
    private final HeadFields fields;
    private final Future<?> sweeps;
    private final Map<LocalServer, Origin> known = new HashMap<>();

    FrontLoop(FrontContext front, EventLoop loop, Class<? extends Channel> channels, LineSettings lineSettings) {
        this.front = front;
        this.loop = loop;
        this.lines = new MemberLines(loop, lineSettings, front.tls());
        this.fields = new HeadFields(front.prefetch().clock());
        this.clients =
                new ClientConnections(front.settings().idle(), front.settings().headTimeout());
        UpstreamSettings upstream = UpstreamSettings.DEFAULT;
        this.origins = new OriginPool(
                loop,
                channels,
                LineBuffers.ALLOCATOR,
                upstream,
                // Servers are named in this member's own settings: whatever they name may be dialled.
                new AddressBook(address -> true, upstream.dns()),
                new HealthBook(upstream.health()),
                new IdleCounts(),
                OriginPlaces.NONE,
                new LoopBuffers(loop, new BufferBudget(BufferSettings.DEFAULT)),
                new OriginCounts(),
                () -> {});
        Map<String, StreamTaker> others = front.kinds().others();
        this.tunnels = new TunnelTaker(
                this::service, upstream.connectTimeout(), front.kinds().dialled(), (asked, ends, stream, peer) -> {
                    StreamTaker other = others.get(String.valueOf(asked.get(Heads.PROTOCOL)));
                    if (other == null) {
                        throw new IllegalArgumentException(
                                asked.get(Heads.PROTOCOL) + " (expected: a protocol that is known here)");
                    }
                    return other.take(asked, ends, stream, peer);
                });
        this.sweeps = loop.scheduleWithFixedDelay(this::sweep, SWEEP_MILLIS, SWEEP_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void sweep() {
        long now = System.nanoTime();
        origins.sweep(now);
        clients.expire(now);
        AtHand hand = prefetch().hand();
        if (hand != null) {
            hand.expire();
        }
        lines.sweep(table(), self(), front.asks().getAsBoolean());
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

    TunnelTaker tunnels() {
        return tunnels;
    }

    /** Where a server of this member takes a tunnel. A name is looked up here, on the loop: members name their servers by address. */
    private @Nullable InetSocketAddress service(Http2Headers asked) {
        for (Candidate candidate : table().candidates(Heads.host(asked), Heads.pathWithoutQuery(asked))) {
            LocalServer server =
                    candidate.member().equals(self()) ? server(candidate.route().prefix()) : null;
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
        return front.here() != null && server(prefix) == null;
    }

    StreamTaker here() {
        StreamTaker own = front.here();
        if (own == null) {
            throw new IllegalStateException("Nothing is answered here");
        }
        return own;
    }

    OriginPool origins() {
        return origins;
    }

    RequestHead head() {
        return head;
    }

    HeadFields fields() {
        return fields;
    }

    Prefetch prefetch() {
        return front.prefetch();
    }

    FrontCounts counts() {
        return front.counts();
    }

    RouteTable table() {
        return front.routing().table().get();
    }

    Outlooks outlooks() {
        return front.routing().outlooks();
    }

    MemberId self() {
        return front.routing().self();
    }

    String cluster() {
        return front.routing().cluster();
    }

    @Nullable
    LocalServer server(UrlPrefix prefix) {
        return front.routing().servers().apply(prefix);
    }

    Origin origin(LocalServer server) {
        return known.computeIfAbsent(server, one -> Origin.ofAuthority(one.address(), 80));
    }

    void close() {
        sweeps.cancel(false);
        lines.close();
    }

    /** The head of an answer that is no server's (RFC 9209). @param member whose server, or which organizer, could not */
    Http2Headers refusal(Refusal why, String member) {
        return new DefaultHttp2Headers(false, 8)
                .status(Integer.toString(why.status()))
                .add(
                        "proxy-status",
                        self() + "." + cluster() + ".organizer; error=" + why.error() + "; next-hop=\"" + member
                                + "\"; details=\"" + why.text() + "\"")
                .add("cache-control", "no-store")
                .add(Heads.LENGTH, "0")
                .add(Heads.REFUSAL, why.text());
    }
}
