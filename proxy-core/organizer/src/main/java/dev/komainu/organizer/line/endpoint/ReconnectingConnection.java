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

/** One of a line's connections, made again whenever it is gone. On the line's event loop. */
final class ReconnectingConnection implements LineConnector.Caller {

    private static final int MOST_DOUBLINGS = 3;

    private final Line line;
    private final LineCarrier over;
    private final LineConnector dialling;
    private @Nullable LineConnection connection;
    /** Those that take no new streams any more, until their last one is over. */
    private final List<LineConnection> leaving = new ArrayList<>(0);

    private boolean begun;
    private boolean isDialling;
    private boolean isUp;
    private int failures;
    /** What was counted of the connection already. */
    private @Nullable LineConnection measured;

    private long sentBytes;
    private long lostBytes;

    ReconnectingConnection(Line line, LineCarrier over, LineConnector dialling) {
        this.line = line;
        this.over = over;
        this.dialling = dialling;
    }

    LineCarrier over() {
        return over;
    }

    /** Connects, now and again, until the line is closed. */
    void begin() {
        if (!begun) {
            begun = true;
            dial();
        }
    }

    /** No new streams, and no new connection until it begins again; what is under way goes on. */
    void rest() {
        begun = false;
        isUp = false;
        failures = 0;
        LineConnection known = connection;
        connection = null;
        if (known != null) {
            leaving.add(known);
            known.drain();
        }
    }

    boolean offersQuic() {
        LineConnection known = connection;
        return isUp && known != null && known.offersQuic();
    }

    /** What its connection carried since this was asked last. */
    CarrierChoice.Passed passed() {
        LineConnection known = connection;
        if (known == null) {
            return CarrierChoice.Passed.NOTHING;
        }
        ConnectionFigures figures = known.figures();
        boolean first = known != measured;
        long sent = figures.sentBytesOfBoth() - (first ? 0 : sentBytes);
        long lost = figures.lostBytesOfBoth() - (first ? 0 : lostBytes);
        measured = known;
        sentBytes = figures.sentBytesOfBoth();
        lostBytes = figures.lostBytesOfBoth();
        return new CarrierChoice.Passed(Math.max(0, sent), Math.max(0, lost), figures.wayMicros());
    }

    private void dial() {
        // It may have rested and begun again while an attempt was due, or under way.
        if (begun && !line.isClosed() && connection == null && !isDialling) {
            isDialling = true;
            dialling.dial(this);
        }
    }

    @Override
    public void dialled(LineConnection made) {
        isDialling = false;
        if (line.isClosed() || !begun) {
            made.close(StreamEnd.CLOSED);
        } else {
            connection = made;
        }
    }

    @Override
    public void failed(String why) {
        isDialling = false;
        if (begun) {
            line.notMade(this, why);
        }
        later();
    }

    private void later() {
        if (!begun || line.isClosed()) {
            return;
        }
        long most = line.settings().backOff().toNanos() << Math.min(failures++, MOST_DOUBLINGS);
        // Some earlier than others: all lines to a peer that comes back must not knock at once.
        long nanos = ThreadLocalRandom.current().nextLong(most / 2, most + 1);
        line.loop().schedule(this::dial, nanos, TimeUnit.NANOSECONDS);
    }

    boolean isUp() {
        return isUp;
    }

    boolean hasRoom(int spare) {
        LineConnection known = connection;
        return isUp && known != null && known.hasRoom(spare);
    }

    /** Whether its connection seems to be about to be lost. */
    boolean isOverdue() {
        LineConnection known = connection;
        return known != null && known.isOverdue();
    }

    int streams() {
        LineConnection known = connection;
        return known == null ? 0 : known.streams();
    }

    /** @return false: it could not, and will not */
    boolean carry(LineRequest request) {
        LineConnection known = connection;
        if (known == null) {
            return false;
        }
        LineStream made = known.open(request.head(), request.endsAtHead(), request.answer());
        if (made == null) {
            draining(known);
            known.drain();
            return false;
        }
        request.placed(made);
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
        List.copyOf(leaving).forEach(each -> each.close(StreamEnd.CLOSED));
    }

    // What its connection tells.

    @Override
    public void ready(LineConnection told) {
        if (told == connection) {
            isUp = true;
            failures = 0;
            line.made(this);
        }
    }

    @Override
    public void streamClosed(LineConnection told) {
        if (told == connection) {
            line.serveWaiting();
        }
    }

    /** Its streams go on; new ones get a new connection. */
    @Override
    public void draining(LineConnection told) {
        if (told == connection) {
            connection = null;
            leaving.add(told);
            boolean was = isUp;
            isUp = false;
            line.lost("the peer drains the connection");
            if (was) {
                line.loop().execute(this::dial);
            } else {
                later();
            }
        }
    }

    @Override
    public void lingeredOut(LineConnection told) {
        line.lingeredOut();
    }

    @Override
    public void gone(LineConnection told, String why) {
        if (told != connection) {
            leaving.remove(told);
            return;
        }
        connection = null;
        if (isUp) {
            isUp = false;
            line.lost(why);
        } else {
            line.notMade(this, why);
        }
        later();
    }

    @Override
    public StreamListener asked(
            LineConnection by, Http2Headers head, boolean ends, LineStream stream) {
        // The end that was dialled asks over a line of its own.
        stream.reset(Http2Error.REFUSED_STREAM);
        throw new IllegalStateException("A client is not asked");
    }
}
