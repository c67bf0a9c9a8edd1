package dev.komainu.organizer.line.http2;

import dev.komainu.organizer.line.connection.SendPriority;
import dev.komainu.organizer.line.connection.SendScheduler;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.handler.codec.http2.StreamByteDistributor;
import org.jspecify.annotations.Nullable;

/**
 * Which stream's bytes go next onto a connection, a frame of at most 16 KB at a time: control
 * before all, then by urgency (RFC 9218), then whose object has least left to send; equals take
 * turns.
 *
 * <p>Least left first makes the mean time of objects shortest (shortest remaining processing time;
 * Harchol-Balter et al., "Size-based scheduling to improve web performance", TOCS 2003). Where
 * nobody said how long an object is, what was sent of it stands for what is left: it began small
 * and grows old ({@link SendScheduler}).
 *
 * <p>Of the connection's window {@value SendScheduler#RESERVED} bytes are for control alone. On the
 * connection's event loop.
 */
final class SrptByteDistributor implements StreamByteDistributor {

    private final Http2Connection connection;
    private final Http2Connection.PropertyKey key;
    private final SendScheduler<State> turns = new SendScheduler<>();

    SrptByteDistributor(Http2Connection connection) {
        this.connection = connection;
        this.key = connection.newKey();
        connection.addListener(new Http2ConnectionAdapter() {
            @Override
            public void onStreamAdded(Http2Stream stream) {
                stream.setProperty(key, new State(stream));
            }
        });
    }

    /**
     * Says what a stream sends, before its first bytes.
     *
     * @param rank as {@link SendPriority} knows it
     * @param length of the body in bytes, or -1 when nobody knows
     */
    void sends(Http2Stream stream, int rank, long length) {
        State state = of(stream);
        if (state != null) {
            state.rank = rank;
            state.length = length;
        }
    }

    /** From now on a stream is as urgent as this. */
    void ranks(Http2Stream stream, int rank) {
        State state = of(stream);
        if (state != null && state.rank != rank) {
            state.rank = rank;
            if (state.isQueued) {
                turns.remove(state, state.at);
                add(state);
            }
        }
    }

    private void add(State state) {
        state.at = turns.add(state, state.rank, state.length, state.sent);
        state.isQueued = true;
    }

    private @Nullable State of(Http2Stream stream) {
        return stream.getProperty(key);
    }

    @Override
    public void updateStreamableBytes(StreamState told) {
        State state = of(told.stream());
        if (state != null) {
            state.update(Http2CodecUtil.streamableBytes(told), told.hasFrame(), told.windowSize());
        }
    }

    @Override
    public void updateDependencyTree(int child, int parent, short weight, boolean exclusive) {
        // RFC 7540's trees are deprecated (RFC 9113 section 5.3.2).
    }

    @Override
    public boolean distribute(int most, Writer writer) throws Http2Exception {
        int left = most;
        int forData = Math.min(left, windowBytes() - SendScheduler.RESERVED);
        while (!turns.isEmpty()) {
            int at = turns.next();
            State state = turns.poll(at);
            state.isQueued = false;
            if (!state.hasFrame || state.windowIsNegative) {
                continue;
            }
            boolean control = SendScheduler.isControl(at);
            int room = Math.max(0, control ? left : Math.min(left, forData));
            if (room == 0 && state.streamable > 0) {
                turns.putBack(state, at);
                state.isQueued = true;
                break;
            }
            int chunk = Math.min(Math.min(SendScheduler.FRAME, room), state.streamable);
            left -= chunk;
            forData -= control ? 0 : chunk;
            turns.used();
            state.write(chunk, writer);
        }
        // Asked again only when what was allowed is used up: what the window keeps back for control
        // must not make a circle.
        return left == 0 && most > 0 && !turns.isEmpty();
    }

    private int windowBytes() {
        return connection.remote().flowController().windowSize(connection.connectionStream());
    }

    /** A stream as far as it is sent. */
    private final class State {

        private final Http2Stream stream;
        private int rank = SendPriority.USUAL;
        private long length = -1;
        private long sent;
        private int streamable;
        private boolean hasFrame;
        private boolean windowIsNegative;
        /** Where it is queued, if it is. */
        private int at;

        private boolean isQueued;
        private boolean isWriting;

        State(Http2Stream stream) {
            this.stream = stream;
        }

        void update(int bytes, boolean frame, int window) {
            streamable = bytes;
            hasFrame = frame;
            windowIsNegative = window < 0;
            // With no window left it may write frames of no bytes, once: it is asked again when
            // there is one.
            if (frame && !isQueued && (window > 0 || window == 0 && !isWriting)) {
                add(this);
            }
        }

        void write(int bytes, Writer writer) throws Http2Exception {
            isWriting = true;
            sent += bytes;
            try {
                writer.write(stream, bytes);
            } catch (RuntimeException e) {
                throw Http2Exception.connectionError(
                        Http2Error.INTERNAL_ERROR,
                        e,
                        "Writing %d bytes of stream %d failed",
                        bytes,
                        stream.id());
            } finally {
                isWriting = false;
            }
        }
    }
}
