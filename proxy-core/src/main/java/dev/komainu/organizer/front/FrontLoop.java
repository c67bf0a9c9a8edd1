package dev.komainu.organizer.front;

import dev.komainu.organizer.line.Line;
import dev.komainu.organizer.line.LineAddress;
import dev.komainu.organizer.line.LineFigures;
import dev.komainu.organizer.line.LineSettings;
import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.StreamEvents;
import dev.komainu.organizer.line.StreamTaker;
import dev.komainu.organizer.line.TunnelTaker;
import dev.komainu.organizer.page.AtHand;
import dev.komainu.organizer.route.Announcement;
import dev.komainu.organizer.route.Candidate;
import dev.komainu.organizer.route.LineEndpoint;
import dev.komainu.organizer.route.MemberId;
import dev.komainu.organizer.route.Outlooks;
import dev.komainu.organizer.route.RouteTable;
import dev.komainu.organizer.route.UrlPrefix;
import dev.komainu.organizer.server.LocalServer;
import dev.komainu.proxy.buffer.BufferBudget;
import dev.komainu.proxy.buffer.BufferSettings;
import dev.komainu.proxy.buffer.LoopBuffers;
import dev.komainu.proxy.connection.DeadlineList;
import dev.komainu.proxy.connection.DeadlineLists;
import dev.komainu.proxy.connection.IdleCounts;
import dev.komainu.proxy.connection.OriginPlaces;
import dev.komainu.proxy.http.RequestHead;
import dev.komainu.proxy.tally.LoopTally;
import dev.komainu.proxy.upstream.AddressBook;
import dev.komainu.proxy.upstream.HealthBook;
import dev.komainu.proxy.upstream.Origin;
import dev.komainu.proxy.upstream.OriginPool;
import dev.komainu.proxy.upstream.UpstreamSettings;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
    /** A member that left the table may still answer what it was asked: its line is closed after so many sweeps, 30 s. */
    private static final int SWEEPS_KEPT = 120;

    private final EventLoop loop;
    private final Front front;
    private final LineSettings lineSettings;
    private final OriginPool origins;
    private final TunnelTaker tunnels;
    private final RequestHead head = new RequestHead();
    private final HeadFields fields;
    private final DeadlineLists idle;
    private final DeadlineLists heads;
    private final DeadlineLists bodies;
    private final Future<?> sweeps;
    private final Map<MemberId, Kept> lines = new HashMap<>();
    private final Map<LocalServer, Origin> known = new HashMap<>();
    private final Set<Door> doors = new HashSet<>();
    private boolean draining;

    /** A line, and for how many sweeps its member is not in the table. */
    private static final class Kept {
        private final LineEndpoint to;
        private final Line line;
        private int absent;

        Kept(LineEndpoint to, Line line) {
            this.to = to;
            this.line = line;
        }
    }

    FrontLoop(Front front, EventLoop loop, Class<? extends Channel> channels, LineSettings lineSettings) {
        this.front = front;
        this.loop = loop;
        this.lineSettings = lineSettings;
        this.fields = new HeadFields(front.prefetch().clock());
        this.idle = new DeadlineLists(front.settings().idle().toNanos());
        this.heads = new DeadlineLists(front.settings().headTimeout().toNanos());
        this.bodies = new DeadlineLists(front.settings().idle().toNanos());
        UpstreamSettings upstream = UpstreamSettings.DEFAULT;
        this.origins = new OriginPool(
                loop,
                channels,
                Line.BUFFERS,
                upstream,
                // Servers are named in this member's own settings: whatever they name may be dialled.
                new AddressBook(address -> true, upstream.dns()),
                new HealthBook(upstream.health()),
                new IdleCounts(),
                OriginPlaces.NONE,
                new LoopBuffers(loop, new BufferBudget(BufferSettings.DEFAULT)),
                new LoopTally(),
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
        idle.expire(now);
        heads.expire(now);
        bodies.expire(now);
        AtHand hand = prefetch().hand();
        if (hand != null) {
            hand.expire();
        }
        Set<MemberId> present = new HashSet<>();
        for (Announcement announcement : table().announcements()) {
            present.add(announcement.member());
            if (front.asks()
                    && !announcement.routes().isEmpty()
                    && !announcement.member().equals(self())) {
                // Before the first request needs it: TLS from nothing takes longer than a request should wait.
                line(announcement.member(), announcement.line());
            }
        }
        lines.entrySet().removeIf(entry -> {
            Kept kept = entry.getValue();
            kept.absent = present.contains(entry.getKey()) ? 0 : kept.absent + 1;
            if (kept.absent > SWEEPS_KEPT) {
                kept.line.close();
            }
            return kept.absent > SWEEPS_KEPT;
        });
    }

    /** From now on newcomers are waited for so long; who waits already keeps the time it had. */
    void waits(Duration idleTimeout, Duration headTimeout) {
        idle.set(idleTimeout.toNanos());
        heads.set(headTimeout.toNanos());
        bodies.set(idleTimeout.toNanos());
    }

    EventLoop loop() {
        return loop;
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

    /** The line to a member, made when the table names it, or when it is first needed. Null when its address is none. */
    @Nullable
    Line line(MemberId member, LineEndpoint to) {
        Kept kept = lines.get(member);
        if (kept != null && kept.to.equals(to)) {
            return kept.line;
        }
        InetAddress address;
        try {
            // Members tell addresses, not names: nothing is asked of a name server here.
            address = InetAddress.getByName(to.host());
        } catch (UnknownHostException e) {
            return null;
        }
        if (kept != null) {
            kept.line.close();
        }
        Line made = new Line(loop, new LineAddress(address, to.port(), member.text()), lineSettings, front.tls());
        lines.put(member, new Kept(to, made));
        return made;
    }

    /** Asks as a client would. @param hears hears the answer, at the earliest after this has returned */
    LineStream ask(Http2Headers asked, StreamEvents hears) {
        return InnerStream.open(loop, hears, answer -> Passage.take(this, asked, false, answer, false));
    }

    /** Asks one member and no other; what it is asked must be a tunnel. */
    LineStream askOnly(MemberId member, Http2Headers asked, StreamEvents hears) {
        if (member.equals(self())) {
            return InnerStream.open(loop, hears, answer -> tunnels.take(asked, false, answer, Passage.HERE));
        }
        for (Announcement announcement : table().announcements()) {
            Line line = announcement.member().equals(member) ? line(member, announcement.line()) : null;
            if (line != null) {
                return line.open(asked, false, hears);
            }
        }
        return InnerStream.open(loop, hears, answer -> {
            answer.head(refusal(Refusal.LINE_DOWN, member.text()), true);
            return StreamEvents.NOBODY;
        });
    }

    List<LineFigures> lineFigures() {
        return lines.values().stream().map(kept -> kept.line.figures()).toList();
    }

    void entered(Door door) {
        doors.add(door);
        if (draining) {
            door.drain();
        }
    }

    void left(Door door) {
        doors.remove(door);
    }

    /** Clients with a request under way. */
    int busyDoors() {
        return (int) doors.stream().filter(Door::isBusy).count();
    }

    void drainDoors() {
        draining = true;
        List.copyOf(doors).forEach(Door::drain);
    }

    void close() {
        sweeps.cancel(false);
        lines.values().forEach(kept -> kept.line.close());
        lines.clear();
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

    void waitsIdle(DeadlineList.Waiting who) {
        idle.current().append(who, System.nanoTime());
    }

    void waitsHead(DeadlineList.Waiting who) {
        heads.current().append(who, System.nanoTime());
    }

    void waitsBody(DeadlineList.Waiting who) {
        bodies.current().append(who, System.nanoTime());
    }
}
