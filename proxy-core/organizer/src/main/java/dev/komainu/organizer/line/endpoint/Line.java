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
 * The line to one peer, at the end that asks: {@link #open} and the exchange is on its way, on the
 * connection that carries least.
 *
 * <p>Connections are made at once and for good; a lost one is made again, at first after
 * {@link LineSettings#backOff}, then in doubled steps. What can be repeated without anybody
 * noticing is repeated ({@link LineRequest}); while no connection is there requests wait, for
 * {@link LineSettings#patience}. Control goes first among them, and {@value #FOR_CONTROL} streams
 * of each connection are control's alone.
 *
 * <p>Everything on {@link #loop()}, but for the constructor and {@link #close}.
 */
public final class Line implements AutoCloseable {

    static final int FOR_CONTROL = 16;

    private static final long CHOOSE_MILLIS = 1_000;

    /** Requests that wait for a connection; the next is refused. */
    static final int MOST_WAITING = 10_000;

    private final EventLoop loop;
    private final LineAddress to;
    private final LineSettings settings;
    private final List<ReconnectingConnection> overTcp = new ArrayList<>();
    private final List<ReconnectingConnection> overQuic = new ArrayList<>();
    /** Both. */
    private final List<ReconnectingConnection> strands = new ArrayList<>();

    private final Deque<LineRequest> waiting = new ArrayDeque<>();
    private final long[] ends = new long[StreamEnd.Reason.values().length];
    /** Absent: it was said what to run over. */
    private final @Nullable CarrierChoice choice;

    private LineCarrier wish;
    private @Nullable Future<?> looks;
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
     * Begins to connect.
     *
     * @param loop on which it lives; of epoll or of Java's selector
     * @param tls null: plain HTTP/2 with prior knowledge (RFC 9113 section 3.3), for networks
     *     nobody else is on
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
            // One is as good as several where a lost packet holds up its own stream alone.
            int count = over == LineCarrier.AUTO ? 1 : settings.connections();
            for (int i = 0; i < count; i++) {
                overQuic.add(new ReconnectingConnection(this, LineCarrier.QUIC, quic));
            }
        }
        strands.addAll(overQuic);
        strands.addAll(overTcp);
        choice = over == LineCarrier.AUTO ? new CarrierChoice(System.nanoTime()) : null;
        wish = over == LineCarrier.QUIC ? LineCarrier.QUIC : LineCarrier.TCP;
        loop.execute(() -> {
            (wish == LineCarrier.QUIC ? overQuic : overTcp).forEach(ReconnectingConnection::begin);
            if (choice != null) {
                looks = loop.scheduleWithFixedDelay(
                        this::choose, CHOOSE_MILLIS, CHOOSE_MILLIS, TimeUnit.MILLISECONDS);
            }
        });
    }

    private void choose() {
        CarrierChoice.Passed passed = CarrierChoice.Passed.NOTHING;
        for (ReconnectingConnection strand : strands) {
            CarrierChoice.Passed each = strand.passed();
            passed = strand.over() == wish ? passed.plus(each) : passed;
        }
        choose(System.nanoTime(), passed);
    }

    /**
     * Looks whether the line should run over something else. @param passed of late, over what it
     * runs over now
     */
    void choose(long nowNanos, CarrierChoice.Passed passed) {
        CarrierChoice known = Objects.requireNonNull(choice);
        if (known.step(
                nowNanos, overTcp.stream().anyMatch(ReconnectingConnection::offersQuic), passed)) {
            runOver(known.wish());
        }
    }

    /** New streams go there as soon as it is up; old ones end where they began. */
    private void runOver(LineCarrier other) {
        wish = other;
        overQuic.forEach(
                other == LineCarrier.QUIC
                        ? ReconnectingConnection::begin
                        : ReconnectingConnection::rest);
    }

    /** The thread of everything here. */
    public EventLoop loop() {
        return loop;
    }

    /** Its other end. */
    public LineAddress to() {
        return to;
    }

    /** Whether one of its connections is up now: then a request is on its way at once. */
    public boolean isUp() {
        for (ReconnectingConnection strand : strands) {
            if (strand.isUp()) {
                return true;
            }
        }
        return false;
    }

    LineSettings settings() {
        return settings;
    }

    /**
     * Asks.
     *
     * @param head in HTTP/2's form (RFC 9113 section 8.3.1), names in lower case, without fields of
     *     a connection; {@code content-length} and {@code priority} (RFC 9218) tell the order of
     *     sending. Given away
     * @param ends there is no body
     * @param events hear the answer, at the earliest after this has returned
     */
    public LineStream open(Http2Headers head, boolean ends, StreamListener events) {
        return open(head, ends, events, false);
    }

    /**
     * Asks what must not wait behind anything that {@link #open} asks: short messages between
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
            await(request);
        }
        return request;
    }

    /** On a connection whose peer is heard. */
    private boolean place(LineRequest request) {
        return place(request, false);
    }

    private boolean place(LineRequest request, boolean alsoOverdue) {
        // What rests is not up.
        return place(request, overQuic, alsoOverdue) || place(request, overTcp, alsoOverdue);
    }

    private static boolean place(
            LineRequest request, List<ReconnectingConnection> among, boolean alsoOverdue) {
        ReconnectingConnection least = null;
        for (ReconnectingConnection strand : among) {
            if (strand.hasRoom(request.isControl() ? 0 : FOR_CONTROL)
                    && (alsoOverdue || !strand.isOverdue())
                    && (least == null || strand.streams() < least.streams())) {
                least = strand;
            }
        }
        return least != null && least.carry(request);
    }

    private void await(LineRequest request) {
        if (waiting.size() >= MOST_WAITING) {
            loop.execute(() -> request.ended(none("already " + MOST_WAITING + " requests wait")));
            return;
        }
        if (request.isControl()) {
            waiting.addFirst(request);
        } else {
            waiting.add(request);
        }
        long patience = settings.patience().toNanos();
        request.waits(loop.schedule(
                () -> {
                    if (waiting.remove(request)) {
                        request.ended(none("after " + settings.patience().toMillis() + " ms"));
                    }
                },
                patience,
                TimeUnit.NANOSECONDS));
    }

    private StreamEnd none(String how) {
        int up = 0;
        int streams = 0;
        for (ReconnectingConnection strand : strands) {
            up += strand.isUp() ? 1 : 0;
            streams += strand.streams();
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
     * Its stream ended before anything was told of it, and it can be sent again: where the peer is
     * heard. The line's other connections are silent, too, when the peer's host is gone, and would
     * each cost the time that one takes to be lost; whoever waits in vain is told, and asks
     * somebody else.
     */
    void again(LineRequest request) {
        repeated++;
        // Not from within the connection that is being taken apart.
        loop.execute(() -> {
            if (request.isOver()) {
                return;
            }
            if (closed) {
                request.ended(StreamEnd.CLOSED);
            } else if (!place(request)) {
                await(request);
            }
        });
    }

    void giveUp(LineRequest request) {
        waiting.remove(request);
    }

    void count(StreamEnd how) {
        ends[how.reason().ordinal()]++;
    }

    /** There may be room. */
    void serveWaiting() {
        while (!waiting.isEmpty() && place(waiting.peek())) {
            waiting.remove();
        }
    }

    // What strands tell.

    boolean isClosed() {
        return closed;
    }

    void made(ReconnectingConnection strand) {
        connectionsMade++;
        downSinceMillis = 0;
        if (choice != null && strand.over() == LineCarrier.QUIC) {
            choice.reached();
        }
        serveWaiting();
    }

    void lost(String why) {
        connectionsLost++;
        lastFailure = why;
        if (strands.stream().noneMatch(ReconnectingConnection::isUp)) {
            downSinceMillis = System.currentTimeMillis();
        }
    }

    void lingeredOut() {
        lingerTimeouts++;
    }

    void notMade(ReconnectingConnection strand, String why) {
        dialsFailed++;
        lastFailure = why;
        if (choice != null && strand.over() == LineCarrier.QUIC) {
            choice.failed(System.nanoTime(), why);
            runOver(choice.wish());
        } else if (strand.over() == LineCarrier.QUIC) {
            // Whoever waits is not to wait for a network that lets no UDP through.
            overTcp.forEach(ReconnectingConnection::begin);
        }
    }

    /** What it did so far, as of now. */
    public LineFigures figures() {
        List<ConnectionFigures> connections = new ArrayList<>();
        for (ReconnectingConnection strand : strands) {
            ConnectionFigures figures = strand.figures();
            if (figures != null) {
                connections.add(figures);
            }
        }
        return new LineFigures(
                to,
                wish,
                choice == null ? "set so" : choice.why(),
                List.copyOf(connections),
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
            Future<?> looking = looks;
            if (looking != null) {
                looking.cancel(false);
            }
            while (!waiting.isEmpty()) {
                waiting.remove().ended(StreamEnd.CLOSED);
            }
            for (ReconnectingConnection strand : strands) {
                strand.close();
            }
        });
    }
}
