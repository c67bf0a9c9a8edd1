package dev.komainu.organizer.line.endpoint;

import dev.komainu.organizer.line.ConnectionFigures;
import dev.komainu.organizer.line.LineAddress;
import dev.komainu.organizer.line.LineCarrier;
import dev.komainu.organizer.line.LineSettings;
import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.LineTls;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.StreamListener;
import dev.komainu.organizer.line.connection.LineConnector;
import dev.komainu.organizer.line.connection.SendPriority;
import dev.komainu.organizer.line.http2.TcpConnector;
import dev.komainu.organizer.line.quic.QuicTransport;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.concurrent.Future;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The client end of the line to one peer. {@link #open} sends a request over the connection with
 * the fewest streams.
 *
 * <p>Connections are made at once and kept. A lost one is made again, first after
 * {@link LineSettings#backOff}, then in doubled steps. A request whose repetition has no side
 * effect is repeated ({@link LineRequest}). While there is no connection, requests wait for
 * {@link LineSettings#patience}. Control requests wait at the front, and {@value #FOR_CONTROL}
 * streams of each connection are reserved for control.
 *
 * <p>All calls on {@link #loop()}, except the constructor and {@link #close}.
 */
public final class Line implements AutoCloseable {

    static final int FOR_CONTROL = 16;

    private static final long CHOOSE_MILLIS = 1_000;

    /** Maximum of requests that wait for a connection; the next is refused. */
    static final int MOST_WAITING = 10_000;

    private final EventLoop loop;
    private final LineAddress to;
    private final LineSettings settings;
    private final List<ReconnectingConnection> overTcp = new ArrayList<>();
    private final List<ReconnectingConnection> overQuic = new ArrayList<>();
    /** The connections over TCP and over QUIC. */
    private final List<ReconnectingConnection> connections = new ArrayList<>();

    private final Deque<LineRequest> waiting = new ArrayDeque<>();
    private final long[] ends = new long[StreamEnd.Reason.values().length];
    /** Absent: the carrier is configured. */
    private final @Nullable CarrierChoice choice;

    private LineCarrier preferred;
    private @Nullable Future<?> checks;
    private long opened;
    private long repeated;
    private long connectionsMade;
    private long connectionsLost;
    private long lingerTimeouts;
    private long dialsFailed;
    private String lastFailure = "";
    /** 0: up. */
    private long downSinceMillis = System.currentTimeMillis();

    private boolean closed;

    /**
     * Starts to connect.
     *
     * @param loop thread of the line; of epoll or of Java's selector
     * @param tls null: plain HTTP/2 with prior knowledge (RFC 9113 section 3.3), for private
     *     networks
     */
    public Line(EventLoop loop, LineAddress to, LineSettings settings, @Nullable LineTls tls) {
        this.loop = loop;
        this.to = to;
        this.settings = settings;
        LineCarrier over = tls == null || QuicTransport.missing() != null
                ? LineCarrier.TCP
                : settings.carrier();
        LineConnector tcp = new TcpConnector(loop, to, settings, tls);
        for (int i = 0; i < settings.connections(); i++) {
            overTcp.add(new ReconnectingConnection(this, LineCarrier.TCP, tcp));
        }
        if (tls != null && over != LineCarrier.TCP) {
            LineConnector quic = QuicTransport.dialling(loop, to, settings, tls);
            // One QUIC connection is as good as several: a lost packet delays its own stream only.
            int count = over == LineCarrier.AUTO ? 1 : settings.connections();
            for (int i = 0; i < count; i++) {
                overQuic.add(new ReconnectingConnection(this, LineCarrier.QUIC, quic));
            }
        }
        connections.addAll(overQuic);
        connections.addAll(overTcp);
        choice = over == LineCarrier.AUTO ? new CarrierChoice(System.nanoTime()) : null;
        preferred = over == LineCarrier.QUIC ? LineCarrier.QUIC : LineCarrier.TCP;
        loop.execute(() -> {
            (preferred == LineCarrier.QUIC ? overQuic : overTcp)
                    .forEach(ReconnectingConnection::start);
            if (choice != null) {
                checks = loop.scheduleWithFixedDelay(
                        this::choose, CHOOSE_MILLIS, CHOOSE_MILLIS, TimeUnit.MILLISECONDS);
            }
        });
    }

    private void choose() {
        CarrierChoice.Traffic traffic = CarrierChoice.Traffic.NOTHING;
        for (ReconnectingConnection connection : connections) {
            CarrierChoice.Traffic part = connection.traffic();
            traffic = connection.over() == preferred ? traffic.plus(part) : traffic;
        }
        choose(System.nanoTime(), traffic);
    }

    /**
     * Evaluates the carrier of the line.
     *
     * @param traffic recent traffic over the current carrier
     */
    void choose(long nowNanos, CarrierChoice.Traffic traffic) {
        CarrierChoice known = Objects.requireNonNull(choice);
        if (known.step(
                nowNanos, overTcp.stream().anyMatch(ReconnectingConnection::offersQuic), traffic)) {
            moveTo(known.preferred());
        }
    }

    /**
     * Moves new streams to this carrier as soon as it is up; existing streams end where they
     * started.
     */
    private void moveTo(LineCarrier other) {
        preferred = other;
        overQuic.forEach(
                other == LineCarrier.QUIC
                        ? ReconnectingConnection::start
                        : ReconnectingConnection::pause);
    }

    /** Makes all connections again, with the current certificate. Streams continue. */
    public void renew() {
        connections.forEach(ReconnectingConnection::renew);
    }

    /** Returns the thread of all calls. */
    public EventLoop loop() {
        return loop;
    }

    /** Returns the address of the peer. */
    public LineAddress to() {
        return to;
    }

    /** Returns whether a connection is up now: then a request is sent at once. */
    public boolean isUp() {
        for (ReconnectingConnection connection : connections) {
            if (connection.isUp()) {
                return true;
            }
        }
        return false;
    }

    LineSettings settings() {
        return settings;
    }

    /**
     * Sends a request.
     *
     * @param head in HTTP/2's form (RFC 9113 section 8.3.1), names in lower case, without fields of
     *     a connection; {@code content-length} and {@code priority} (RFC 9218) decide the order of
     *     sending. Ownership passes to the line
     * @param ends true: there is no body
     * @param events receives the response, at the earliest after this has returned
     */
    public LineStream open(Http2Headers head, boolean ends, StreamListener events) {
        return open(head, ends, events, false);
    }

    /**
     * Sends a request that must not wait behind requests of {@link #open}: short messages between
     * organizers.
     */
    public LineStream openControl(Http2Headers head, boolean ends, StreamListener events) {
        return open(head, ends, events, true);
    }

    private LineStream open(
            Http2Headers head, boolean ends, StreamListener events, boolean control) {
        if (!loop.inEventLoop()) {
            throw new IllegalStateException("Not on the line's event loop");
        }
        SendPriority.mark(head, control);
        opened++;
        LineRequest request = new LineRequest(this, head, ends, events, control);
        if (closed) {
            loop.execute(() -> request.ended(StreamEnd.CLOSED));
        } else if (!place(request) && !place(request, true)) {
            enqueue(request);
        }
        return request;
    }

    /** Places a request on a connection whose peer is not overdue. */
    private boolean place(LineRequest request) {
        return place(request, false);
    }

    private boolean place(LineRequest request, boolean alsoOverdue) {
        // A paused connection is not up.
        return place(request, overQuic, alsoOverdue) || place(request, overTcp, alsoOverdue);
    }

    private static boolean place(
            LineRequest request, List<ReconnectingConnection> candidates, boolean alsoOverdue) {
        ReconnectingConnection least = null;
        for (ReconnectingConnection connection : candidates) {
            if (connection.hasRoom(request.isControl() ? 0 : FOR_CONTROL)
                    && (alsoOverdue || !connection.isOverdue())
                    && (least == null || connection.streams() < least.streams())) {
                least = connection;
            }
        }
        return least != null && least.carry(request);
    }

    private void enqueue(LineRequest request) {
        if (waiting.size() >= MOST_WAITING) {
            loop.execute(() -> request.ended(
                    noConnection("because " + MOST_WAITING + " requests wait already")));
            return;
        }
        if (request.isControl()) {
            waiting.addFirst(request);
        } else {
            waiting.add(request);
        }
        long patience = settings.patience().toNanos();
        request.waitUntil(loop.schedule(
                () -> {
                    if (waiting.remove(request)) {
                        request.ended(
                                noConnection("after " + settings.patience().toMillis() + " ms"));
                    }
                },
                patience,
                TimeUnit.NANOSECONDS));
    }

    private StreamEnd noConnection(String how) {
        int up = 0;
        int streams = 0;
        for (ReconnectingConnection connection : connections) {
            up += connection.isUp() ? 1 : 0;
            streams += connection.streams();
        }
        return new StreamEnd(
                StreamEnd.Reason.NO_CONNECTION,
                0,
                "No connection to " + to + " " + how + " (up=" + up + " of "
                        + settings.connections() + ", streams="
                        + streams
                        + ", waiting=" + waiting.size()
                        + (lastFailure.isEmpty() ? "" : ", last failure: " + lastFailure)
                        + ")");
    }

    /**
     * Repeats a request whose stream ended before its owner received any event, on a connection
     * whose peer is not overdue. When the peer's host is gone, the line's other connections are
     * silent too, and each would cost the time until one counts as lost. A request that waits in
     * vain ends, and its owner can use another member.
     */
    void repeat(LineRequest request) {
        repeated++;
        // Not from within the connection that is being closed.
        loop.execute(() -> {
            if (request.isOver()) {
                return;
            }
            if (closed) {
                request.ended(StreamEnd.CLOSED);
            } else if (!place(request)) {
                enqueue(request);
            }
        });
    }

    void giveUp(LineRequest request) {
        waiting.remove(request);
    }

    void count(StreamEnd how) {
        ends[how.reason().ordinal()]++;
    }

    /** Places waiting requests: there may be room. */
    void serveWaiting() {
        while (!waiting.isEmpty() && place(waiting.peek())) {
            waiting.remove();
        }
    }

    // Events of the connections.

    boolean isClosed() {
        return closed;
    }

    void connected(ReconnectingConnection connection) {
        connectionsMade++;
        downSinceMillis = 0;
        if (choice != null && connection.over() == LineCarrier.QUIC) {
            choice.reached();
        }
        serveWaiting();
    }

    void lost(String why) {
        connectionsLost++;
        lastFailure = why;
        if (connections.stream().noneMatch(ReconnectingConnection::isUp)) {
            downSinceMillis = System.currentTimeMillis();
        }
    }

    void lingerTimedOut() {
        lingerTimeouts++;
    }

    void connectFailed(ReconnectingConnection connection, String why) {
        dialsFailed++;
        lastFailure = why;
        if (choice != null && connection.over() == LineCarrier.QUIC) {
            choice.failed(System.nanoTime(), why);
            moveTo(choice.preferred());
        } else if (connection.over() == LineCarrier.QUIC) {
            // Waiting requests must not depend on a network that blocks UDP.
            overTcp.forEach(ReconnectingConnection::start);
        }
    }

    /** Returns the figures as of now. */
    public LineFigures figures() {
        List<ConnectionFigures> figuresOfAll = new ArrayList<>();
        for (ReconnectingConnection connection : connections) {
            ConnectionFigures figures = connection.figures();
            if (figures != null) {
                figuresOfAll.add(figures);
            }
        }
        return new LineFigures(
                to,
                preferred,
                choice == null ? "configured" : choice.why(),
                List.copyOf(figuresOfAll),
                waiting.size(),
                opened,
                repeated,
                LineFigures.byReason(ends),
                connectionsMade,
                connectionsLost,
                lingerTimeouts,
                dialsFailed,
                lastFailure,
                downSinceMillis);
    }

    /**
     * Ends all streams ({@link StreamEnd.Reason#CLOSED}) and connections. From any thread; returns
     * before they are closed.
     */
    @Override
    public void close() {
        loop.execute(() -> {
            if (closed) {
                return;
            }
            closed = true;
            Future<?> running = checks;
            if (running != null) {
                running.cancel(false);
            }
            while (!waiting.isEmpty()) {
                waiting.remove().ended(StreamEnd.CLOSED);
            }
            for (ReconnectingConnection connection : connections) {
                connection.close();
            }
        });
    }
}
