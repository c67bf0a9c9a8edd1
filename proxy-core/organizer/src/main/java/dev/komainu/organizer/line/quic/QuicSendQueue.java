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
 * The send queue of one QUIC stream. Its frames wait for the stream's turn ({@link SendScheduler})
 * and for the peer's window. The last frame carries FIN, also when the rest is discarded. On the
 * connection's event loop.
 */
final class QuicSendQueue {

    /**
     * Maximum of buffers in one write: a frame and its DATA header for each part. Further parts
     * wait for the next turn.
     */
    private static final int MOST_COMPONENTS = 15;

    /** An entry of the queue: a whole frame of fields, or bytes of the body. */
    private record Part(ByteBuf bytes, boolean isBody, boolean ends) {}

    private final QuicConnection connection;
    private final QuicStream stream;
    private final Deque<Part> pending = new ArrayDeque<>(2);
    private final SendWindow sendWindow = new SendWindow();
    private int rank = SendPriority.USUAL;
    private long length = -1;
    private long sentBody;
    private long credit;
    private boolean isScheduled;
    private int queueIndex;
    private boolean finPassedOn;

    QuicSendQueue(QuicConnection connection, QuicStream stream) {
        this.connection = connection;
        this.stream = stream;
    }

    int rank() {
        return rank;
    }

    void setRank(int newRank) {
        rank = newRank;
    }

    /**
     * Changes the urgency of the queued entries. QUIC keeps the old urgency: it would send these
     * entries beside the bytes that it has accepted from the other stream, instead of after them.
     */
    void changeRank(int newRank) {
        rank = newRank;
        if (isScheduled) {
            connection.scheduler().remove(this, queueIndex);
            isScheduled = false;
            schedule();
        }
    }

    /** Sets the length of the body in bytes; -1: not known. */
    void length(long bytes) {
        length = bytes;
    }

    /** Marks a stream on which only the peer sends: FIN is sent as soon as the stream exists. */
    void sendNothing() {
        finPassedOn = true;
    }

    /** Returns whether the last frame was passed on. */
    boolean hasEnded() {
        return finPassedOn;
    }

    boolean hasRoom() {
        return sendWindow.isThere();
    }

    /** Queues a whole frame, which needs no window. */
    void frame(ByteBuf whole, boolean ends) {
        pending.add(new Part(whole, false, ends));
        schedule();
    }

    void body(ByteBuf bytes, boolean ends) {
        sendWindow.took(bytes.readableBytes());
        pending.add(new Part(bytes, true, ends));
        schedule();
    }

    private long window() {
        return connection.peerWindow() + credit - sentBody;
    }

    private boolean canSend() {
        Part first = pending.peek();
        return first != null && (!first.isBody || !first.bytes.isReadable() || window() > 0);
    }

    /** Waits for a turn, when there is an entry that may be sent. */
    void schedule() {
        if (!isScheduled && canSend()) {
            isScheduled = true;
            queueIndex = connection.scheduler().add(this, rank, length, sentBody);
            connection.sendLater();
        }
    }

    /** Adds bytes that the peer allows. */
    void addCredit(long bytes) {
        credit += bytes;
        schedule();
    }

    /**
     * Sends entries, when it is this stream's turn.
     *
     * @param most maximum bytes of the body
     */
    void turn(int most) {
        isScheduled = false;
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
                    ByteBuf header = LineBuffers.ALLOCATOR.directBuffer(5);
                    QuicFrames.writeHeader(header, QuicFrames.DATA, count);
                    out.addComponent(true, header);
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
        schedule();
    }

    /** Sends FIN alone. */
    void end() {
        write(Unpooled.EMPTY_BUFFER, 0, true);
    }

    /**
     * Ends the stream with a RESET frame. Waiting heads are sent before it, waiting bytes are
     * discarded.
     */
    void abort(long code) {
        CompositeByteBuf out = LineBuffers.ALLOCATOR.compositeDirectBuffer(MOST_COMPONENTS + 1);
        for (Part part = pending.peek(); part != null && !part.isBody; part = pending.peek()) {
            out.addComponent(true, pending.remove().bytes);
        }
        drop();
        ByteBuf frame = LineBuffers.ALLOCATOR.directBuffer(6);
        QuicFrames.writeHeader(frame, QuicFrames.RESET, 4);
        write(out.addComponent(true, frame.writeInt((int) code)), 0, true);
    }

    /** Discards the entries that wait. */
    void drop() {
        for (Part part = pending.poll(); part != null; part = pending.poll()) {
            part.bytes.release();
        }
    }

    private void write(ByteBuf out, int body, boolean ends) {
        finPassedOn |= ends;
        if (ends) {
            stream.finPassedOn();
        }
        connection
                .write(stream.channel(), new DefaultQuicStreamFrame(out, ends))
                .addListener(result -> {
                    boolean hasRoomAgain = sendWindow.passedOn(body);
                    if (result.isSuccess()) {
                        connection.sent(body);
                    }
                    stream.written(result.isSuccess(), ends, hasRoomAgain);
                });
    }
}
