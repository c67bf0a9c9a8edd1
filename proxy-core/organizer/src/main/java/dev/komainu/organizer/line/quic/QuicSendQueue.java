package dev.komainu.organizer.line.quic;

import dev.komainu.organizer.line.LineBuffers;
import dev.komainu.organizer.line.SendWindow;
import dev.komainu.organizer.line.connection.SendPriority;
import dev.komainu.organizer.line.connection.SendScheduler;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.quic.DefaultQuicStreamFrame;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What a stream of a QUIC connection has to say: it waits here until it is this stream's turn
 * ({@link SendScheduler}) and the peer's window has room. The last frame is FIN's, also when the
 * rest is given up. On the connection's event loop.
 */
final class QuicSendQueue {

    /**
     * A frame and its DATA header for each part; what is behind so many waits for the next turn.
     */
    private static final int MOST_COMPONENTS = 15;

    /** What is to be sent: a whole frame of fields, or bytes of the body. */
    private record Part(ByteBuf bytes, boolean isBody, boolean ends) {}

    private final QuicConnection connection;
    private final QuicStream stream;
    private final Deque<Part> pending = new ArrayDeque<>(2);
    private final SendWindow room = new SendWindow();
    private int rank = SendPriority.USUAL;
    private long length = -1;
    private long sentBody;
    private long granted;
    private boolean inTurns;
    private int place;
    private boolean finGiven;

    QuicSendQueue(QuicConnection connection, QuicStream stream) {
        this.connection = connection;
        this.stream = stream;
    }

    int rank() {
        return rank;
    }

    void ranks(int of) {
        rank = of;
    }

    /**
     * As urgent as that from now on, for what waits here. QUIC is not told: it would send this
     * beside what it has taken of the other, instead of behind.
     */
    void ranksAs(int of) {
        rank = of;
        if (inTurns) {
            connection.turns().remove(this, place);
            inTurns = false;
            await();
        }
    }

    /** Of the body, in bytes; -1: nobody knows. */
    void length(long bytes) {
        length = bytes;
    }

    /** Only the peer speaks on this stream: FIN goes as soon as it is here. */
    void saysNothing() {
        finGiven = true;
    }

    /** Whether the last frame is on its way, or with QUIC. */
    boolean hasEnded() {
        return finGiven;
    }

    boolean hasRoom() {
        return room.isThere();
    }

    /** A whole frame, which no window holds up. */
    void frame(ByteBuf whole, boolean ends) {
        pending.add(new Part(whole, false, ends));
        await();
    }

    void body(ByteBuf bytes, boolean ends) {
        room.took(bytes.readableBytes());
        pending.add(new Part(bytes, true, ends));
        await();
    }

    private long window() {
        return connection.peerWindow() + granted - sentBody;
    }

    private boolean canSend() {
        Part first = pending.peek();
        return first != null && (!first.isBody || !first.bytes.isReadable() || window() > 0);
    }

    /** Waits for its turn, when there is something that may be sent. */
    void await() {
        if (!inTurns && canSend()) {
            inTurns = true;
            place = connection.turns().add(this, rank, length, sentBody);
            connection.sendLater();
        }
    }

    /** The peer takes so many more. */
    void grant(long bytes) {
        granted += bytes;
        await();
    }

    /**
     * It is its turn.
     *
     * @param most bytes of the body that may go
     */
    void turn(int most) {
        inTurns = false;
        if (!canSend()) {
            return;
        }
        CompositeByteBuf out = LineBuffers.ALLOCATOR.compositeDirectBuffer(MOST_COMPONENTS + 1);
        int body = 0;
        boolean ends = false;
        while (canSend() && out.numComponents() < MOST_COMPONENTS) {
            Part first = pending.element();
            int count = first.bytes.readableBytes();
            if (first.isBody) {
                count = (int) Math.min(Math.min(count, most - body), window());
                if (count == 0 && first.bytes.isReadable()) {
                    break;
                }
                if (count > 0) {
                    ByteBuf begin = LineBuffers.ALLOCATOR.directBuffer(5);
                    QuicFrames.begin(begin, QuicFrames.DATA, count);
                    out.addComponent(true, begin);
                }
                body += count;
                sentBody += count;
            }
            if (count == first.bytes.readableBytes()) {
                pending.remove();
                ends = first.ends;
                out.addComponent(true, first.bytes);
            } else {
                out.addComponent(true, first.bytes.readRetainedSlice(count));
            }
        }
        write(out, body, ends);
        await();
    }

    /** Nothing but the end. */
    void end() {
        write(Unpooled.EMPTY_BUFFER, 0, true);
    }

    /** Ends with a RESET frame: heads that wait go before, bytes do not. */
    void breakOff(long code) {
        CompositeByteBuf out = LineBuffers.ALLOCATOR.compositeDirectBuffer(MOST_COMPONENTS + 1);
        for (Part part = pending.peek(); part != null && !part.isBody; part = pending.peek()) {
            out.addComponent(true, pending.remove().bytes);
        }
        drop();
        ByteBuf frame = LineBuffers.ALLOCATOR.directBuffer(6);
        QuicFrames.begin(frame, QuicFrames.RESET, 4);
        write(out.addComponent(true, frame.writeInt((int) code)), 0, true);
    }

    /** What waits is not sent any more. */
    void drop() {
        for (Part part = pending.poll(); part != null; part = pending.poll()) {
            part.bytes.release();
        }
    }

    private void write(ByteBuf out, int body, boolean ends) {
        finGiven |= ends;
        if (ends) {
            stream.saysFin();
        }
        connection
                .write(stream.channel(), new DefaultQuicStreamFrame(out, ends))
                .addListener(done -> {
                    boolean hasRoomAgain = room.passedOn(body);
                    if (done.isSuccess()) {
                        connection.sent(body);
                    }
                    stream.wrote(done.isSuccess(), ends, hasRoomAgain);
                });
    }
}
