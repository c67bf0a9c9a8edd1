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
 * The order in which the streams of a connection send, in frames of at most 16 KB: control first,
 * then by urgency (RFC 9218), then the object with the fewest bytes left; equal streams take turns.
 *
 * <p>This order makes the mean time of objects shortest (shortest remaining processing time;
 * Harchol-Balter et al., "Size-based scheduling to improve web performance", TOCS 2003). Where the
 * length of an object is not known, the bytes sent so far count as the bytes left: it starts as a
 * small object and becomes a large one ({@link SendScheduler}).
 *
 * <p>{@value SendScheduler#RESERVED} bytes of the connection's window are reserved for control. On
 * the connection's event loop.
 */
final class SrptByteDistributor implements StreamByteDistributor {

    private final Http2Connection connection;
    private final Http2Connection.PropertyKey key;
    private final SendScheduler<State> scheduler = new SendScheduler<>();

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
     * Sets the rank and length of a stream's body, before its first bytes.
     *
     * @param rank as {@link SendPriority} defines it
     * @param length of the body in bytes; -1: not known
     */
    void setLength(Http2Stream stream, int rank, long length) {
        State state = of(stream);
        if (state != null) {
            state.rank = rank;
            state.length = length;
        }
    }

    /** Changes the rank of a stream. */
    void setRank(Http2Stream stream, int rank) {
        State state = of(stream);
        if (state != null && state.rank != rank) {
            state.rank = rank;
            if (state.isQueued) {
                scheduler.remove(state, state.place);
                add(state);
            }
        }
    }

    private void add(State state) {
        state.place = scheduler.add(state, state.rank, state.length, state.sent);
        state.isQueued = true;
    }

    private @Nullable State of(Http2Stream stream) {
        return stream.getProperty(key);
    }

    @Override
    public void updateStreamableBytes(StreamState streamState) {
        State state = of(streamState.stream());
        if (state != null) {
            state.update(
                    Http2CodecUtil.streamableBytes(streamState),
                    streamState.hasFrame(),
                    streamState.windowSize());
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
        while (!scheduler.isEmpty()) {
            int place = scheduler.next();
            State state = scheduler.poll(place);
            state.isQueued = false;
            if (!state.hasFrame || state.windowIsNegative) {
                continue;
            }
            boolean control = SendScheduler.isControl(place);
            int room = Math.max(0, control ? left : Math.min(left, forData));
            if (room == 0 && state.streamable > 0) {
                scheduler.putBack(state, place);
                state.isQueued = true;
                break;
            }
            int chunk = Math.min(Math.min(SendScheduler.FRAME, room), state.streamable);
            left -= chunk;
            forData -= control ? 0 : chunk;
            scheduler.countTurn();
            state.write(chunk, writer);
        }
        // Returns true only when the allowed bytes are used up: the reserve for control in the
        // window must not cause an endless loop.
        return left == 0 && most > 0 && !scheduler.isEmpty();
    }

    private int windowBytes() {
        return connection.remote().flowController().windowSize(connection.connectionStream());
    }

    /** Sending state of one stream. */
    private final class State {

        private final Http2Stream stream;
        private int rank = SendPriority.USUAL;
        private long length = -1;
        private long sent;
        private int streamable;
        private boolean hasFrame;
        private boolean windowIsNegative;
        /** Queue of the scheduler; valid while {@code isQueued}. */
        private int place;

        private boolean isQueued;
        private boolean isWriting;

        State(Http2Stream stream) {
            this.stream = stream;
        }

        void update(int bytes, boolean frame, int window) {
            streamable = bytes;
            hasFrame = frame;
            windowIsNegative = window < 0;
            // Without a window the stream may write frames of no bytes, once. It is queued again
            // when there is a window.
            if (frame && !isQueued && (window > 0 || (window == 0 && !isWriting))) {
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
