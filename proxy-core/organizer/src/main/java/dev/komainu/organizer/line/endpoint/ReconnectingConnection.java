package dev.komainu.organizer.line.endpoint;

import dev.komainu.organizer.line.ConnectionFigures;
import dev.komainu.organizer.line.LineCarrier;
import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.StreamListener;
import dev.komainu.organizer.line.connection.LineConnection;
import dev.komainu.organizer.line.connection.LineConnector;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One of a line's connections, made again whenever it is lost. On the line's event loop. */
// A closed loop rejects the next attempt: then the line is closed, too.
@SuppressWarnings("FutureReturnValueIgnored")
final class ReconnectingConnection implements LineConnector.Caller {

    private static final int MOST_DOUBLINGS = 3;

    private final Line line;
    private final LineCarrier over;
    private final LineConnector connector;
    private @Nullable LineConnection connection;
    /** Connections that accept no new streams, until their last stream has ended. */
    private final List<LineConnection> retiring = new ArrayList<>(0);

    private boolean started;
    private boolean isDialling;
    /** The current attempt began before a renewal, and may show the old certificate. */
    private boolean renewsWhenReady;

    private boolean isUp;
    private int failures;
    /** The connection whose figures were counted last. */
    private @Nullable LineConnection measured;

    private long sentBytes;
    private long lostBytes;

    ReconnectingConnection(Line line, LineCarrier over, LineConnector connector) {
        this.line = line;
        this.over = over;
        this.connector = connector;
    }

    LineCarrier over() {
        return over;
    }

    /** Connects, and reconnects until the line is closed. */
    void start() {
        if (!started) {
            started = true;
            dial();
        }
    }

    /**
     * Opens no new streams and no new connection until the next start; existing streams continue.
     */
    void pause() {
        started = false;
        isUp = false;
        failures = 0;
        LineConnection known = connection;
        connection = null;
        if (known != null) {
            retiring.add(known);
            known.drain();
        }
    }

    boolean offersQuic() {
        LineConnection known = connection;
        return isUp && known != null && known.offersQuic();
    }

    /** Returns the traffic of its connection since the last call. */
    CarrierChoice.Traffic traffic() {
        LineConnection known = connection;
        if (known == null) {
            return CarrierChoice.Traffic.NOTHING;
        }
        ConnectionFigures figures = known.figures();
        boolean first = known != measured;
        long sent = figures.sentBytesBothWays() - (first ? 0 : sentBytes);
        long lost = figures.lostBytesBothWays() - (first ? 0 : lostBytes);
        measured = known;
        sentBytes = figures.sentBytesBothWays();
        lostBytes = figures.lostBytesBothWays();
        return new CarrierChoice.Traffic(
                Math.max(0, sent), Math.max(0, lost), figures.roundTripMicros());
    }

    private void dial() {
        // It may have been paused and started again while an attempt was due or under way.
        if (started && !line.isClosed() && connection == null && !isDialling) {
            isDialling = true;
            renewsWhenReady = false;
            connector.dial(this);
        }
    }

    @Override
    public void dialled(LineConnection created) {
        isDialling = false;
        if (line.isClosed() || !started) {
            created.close(StreamEnd.CLOSED);
        } else {
            connection = created;
        }
    }

    @Override
    public void failed(String why) {
        isDialling = false;
        if (started) {
            line.connectFailed(this, why);
        }
        retryLater();
    }

    private void retryLater() {
        if (!started || line.isClosed()) {
            return;
        }
        long maxNanos = line.settings().backOff().toNanos() << Math.min(failures++, MOST_DOUBLINGS);
        // At random times: the lines to a peer that comes back must not all connect at once.
        long nanos = ThreadLocalRandom.current().nextLong(maxNanos / 2, maxNanos + 1);
        line.loop().schedule(this::dial, nanos, TimeUnit.NANOSECONDS);
    }

    boolean isUp() {
        return isUp;
    }

    boolean hasRoom(int spare) {
        LineConnection known = connection;
        return isUp && known != null && known.hasRoom(spare);
    }

    /** Returns whether its connection is about to count as lost. */
    boolean isOverdue() {
        LineConnection known = connection;
        return known != null && known.isOverdue();
    }

    int streams() {
        LineConnection known = connection;
        return known == null ? 0 : known.streams();
    }

    /**
     * Opens a stream for a request.
     *
     * @return false: the connection cannot open any more streams
     */
    boolean carry(LineRequest request) {
        LineConnection known = connection;
        if (known == null) {
            return false;
        }
        LineStream created =
                known.open(request.head(), request.endsAtHead(), request.streamListener());
        if (created == null) {
            draining(known);
            known.drain();
            return false;
        }
        request.placed(created);
        return true;
    }

    @Nullable
    ConnectionFigures figures() {
        LineConnection known = connection;
        return known == null ? null : known.figures();
    }

    void close() {
        LineConnection known = connection;
        if (known != null) {
            known.close(StreamEnd.CLOSED);
        }
        List.copyOf(retiring).forEach(retired -> retired.close(StreamEnd.CLOSED));
    }

    // Events of its connection.

    @Override
    public void ready(LineConnection source) {
        if (source == connection) {
            isUp = true;
            failures = 0;
            line.connected(this);
            if (renewsWhenReady) {
                renew();
            }
        }
    }

    @Override
    public void streamClosed(LineConnection source) {
        if (source == connection) {
            line.serveWaiting();
        }
    }

    /** Replaces a draining connection; its streams continue. */
    @Override
    public void draining(LineConnection source) {
        replace(source, "the peer drains the connection");
    }

    /** Replaces the connection by one with the current certificate; its streams continue. */
    void renew() {
        LineConnection known = connection;
        if (known == null || !isUp) {
            renewsWhenReady = true;
        } else {
            renewsWhenReady = false;
            replace(known, "the certificate was renewed");
            known.drain();
        }
    }

    private void replace(LineConnection source, String why) {
        if (source == connection) {
            connection = null;
            retiring.add(source);
            boolean wasUp = isUp;
            isUp = false;
            line.lost(why);
            if (wasUp) {
                line.loop().execute(this::dial);
            } else {
                retryLater();
            }
        }
    }

    @Override
    public void lingerTimedOut(LineConnection source) {
        line.lingerTimedOut();
    }

    @Override
    public void gone(LineConnection source, String why) {
        if (source != connection) {
            retiring.remove(source);
            return;
        }
        connection = null;
        if (isUp) {
            isUp = false;
            line.lost(why);
        } else {
            line.connectFailed(this, why);
        }
        retryLater();
    }

    @Override
    public StreamListener requested(
            LineConnection by, Http2Headers head, boolean ends, LineStream stream) {
        // The peer sends its requests over a line of its own.
        stream.reset(Http2Error.REFUSED_STREAM);
        throw new IllegalStateException("A client accepts no requests");
    }
}
