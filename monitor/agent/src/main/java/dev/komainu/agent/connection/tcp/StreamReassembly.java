package dev.komainu.agent.connection.tcp;

import dev.komainu.agent.packet.TcpSegment;

/**
 * Brings what a connection in disorder says back into the order in which it was said, and hands it
 * on to a {@link StreamReader}.
 *
 * <p>Within a direction that is the order of sequence numbers: bytes above a gap are held until the
 * gap closes, and the instants of exchanges are those of the packets that brought them, whenever
 * they are read. Between the directions it is that of cause: a packet that acknowledges what was
 * not read yet was sent after it, so it waits, too. A gap the receiver has acknowledged is waited
 * for {@link #PATIENCE_MICROS} only (packets captured in another order than they were received);
 * then it counts as lost by the capture and is read as a hole.
 */
public final class StreamReassembly {

    /** Packets of two directions or queues may be captured that much out of order. Packet time. */
    static final long PATIENCE_MICROS = 100_000;

    private final ReorderingState disorder;
    private final SequenceGaps gaps;
    private final ReassemblyBuffer held;
    private final SequenceTracker tracker;
    private final StreamReader reader;
    private final ConnectionListener listener;
    private final AnalyzerCounts counts;
    private final StreamPiece piece = new StreamPiece();

    /**
     * @param mostInDisorder connections in disorder at once
     * @param mostHeldBytes bytes held back, of all connections
     */
    public StreamReassembly(
            int mostInDisorder,
            int mostHeldBytes,
            StreamReader reader,
            ConnectionListener listener,
            AnalyzerCounts counts) {
        this.disorder = new ReorderingState(mostInDisorder);
        this.gaps = new SequenceGaps(mostInDisorder * 4, disorder, counts);
        this.held = new ReassemblyBuffer(mostHeldBytes, disorder, counts);
        this.tracker = new SequenceTracker(gaps, counts);
        this.reader = reader;
        this.listener = listener;
        this.counts = counts;
    }

    /** Sequence numbers seen, in the same gaps. */
    SequenceTracker tracker() {
        return tracker;
    }

    /** Rows of every kind in use. */
    public int used() {
        return disorder.used() + gaps.used() + held.used();
    }

    /** Nothing is held, and nothing is waited for. */
    public boolean isSettled(ConnectionRow row) {
        return ReorderingState.none(row)
                || !disorder.waits(row)
                        && held.first(row, ConnectionRow.UP) == ReassemblyBuffer.NONE
                        && held.first(row, ConnectionRow.DOWN) == ReassemblyBuffer.NONE
                        && !hasOpenGap(row, ConnectionRow.UP)
                        && !hasOpenGap(row, ConnectionRow.DOWN);
    }

    private boolean hasOpenGap(ConnectionRow row, int side) {
        int next = row.intAt(side + ConnectionRow.NEXT);
        return gaps.contiguous(row, side, next) != next;
    }

    /** Whether everything the server sent before its FIN was read. */
    public boolean isDownReadToItsFin(ConnectionRow row) {
        int fin = row.intAt(ConnectionRow.DOWN + ConnectionRow.NEXT) - 1;
        return ReorderingState.none(row)
                || !SequenceNumbers.before(
                        disorder.get(row, ConnectionRow.DOWN, ReorderingState.READ), fin);
    }

    /**
     * The stream of {@code side} begins at {@code sequence}; before that, nothing of it was known.
     */
    void begins(ConnectionRow row, int side, int sequence) {
        if (!ReorderingState.none(row)) {
            disorder.set(row, side, ReorderingState.READ, sequence);
        }
    }

    /** The payload of a segment, all or part of it new; the gaps know of it already. */
    void data(ConnectionRow row, TcpSegment s, boolean up, int payloadFrom, boolean late) {
        int side = up ? ConnectionRow.UP : ConnectionRow.DOWN;
        if (reader.isDeaf(row)) {
            skipAll(row);
            return;
        }
        int to = payloadFrom + s.payloadLength;
        int acknowledges = acknowledges(row, s, up);
        if (late) {
            // A repeat acknowledges more than its original did, which was sent before what follows
            // it.
            acknowledges = held.acknowledgedBy(row, side, to, acknowledges);
        }
        int read = disorder.get(row, side, ReorderingState.READ);
        int from = SequenceNumbers.before(payloadFrom, read) ? read : payloadFrom;
        if (from == read
                && SequenceNumbers.before(read, to)
                && hasRead(row, up ? ConnectionRow.DOWN : ConnectionRow.UP, acknowledges)) {
            int entry = held.first(row, side);
            int end = entry != ReassemblyBuffer.NONE && SequenceNumbers.before(held.from(entry), to)
                    ? held.from(entry)
                    : to;
            if (SequenceNumbers.before(read, end)) {
                disorder.set(row, side, ReorderingState.READ, end);
                fill(s, payloadFrom, read, end);
                piece.late = late;
                reader.read(row, up, piece);
                from = end;
            }
        }
        if (SequenceNumbers.before(from, to) && !reader.isDeaf(row)) {
            int needed =
                    disorder.get(row, side, ReorderingState.READ) + reader.indifferent(row, up);
            held.hold(row, side, s, payloadFrom, from, to, acknowledges, needed);
        }
        readOn(row, s.micros, false);
    }

    /** Reads bytes [from, to) of a segment whose connection is in order. */
    void inOrder(ConnectionRow row, TcpSegment s, boolean up, int payloadFrom, int from, int to) {
        if (up || !reader.counted(row, to - from, s.micros)) {
            fill(s, payloadFrom, from, to);
            reader.read(row, up, piece);
        }
    }

    /** A gap that nothing could be remembered of. */
    void hole(ConnectionRow row, boolean up, int length, long micros) {
        piece.known = 0;
        piece.unknown = length;
        piece.late = false;
        piece.firstMicros = micros;
        piece.lastMicros = micros;
        piece.hole = true;
        reader.read(row, up, piece);
    }

    private void fill(TcpSegment s, int payloadFrom, int from, int to) {
        int into = from - payloadFrom;
        piece.memory = s.memory;
        piece.offset = s.payloadOffset + into;
        piece.known = Math.clamp(s.payloadCaptured - into, 0, to - from);
        piece.unknown = to - from - piece.known;
        piece.end = to;
        piece.acknowledges = s.acknowledgement;
        piece.late = false;
        piece.firstMicros = s.micros;
        piece.lastMicros = s.micros;
        piece.hole = false;
    }

    /** What of the other direction the sender had received; never beyond what is known of it. */
    private int acknowledges(ConnectionRow row, TcpSegment s, boolean up) {
        int other = up ? ConnectionRow.DOWN : ConnectionRow.UP;
        int read = disorder.get(row, other, ReorderingState.READ);
        int next = row.intAt(other + ConnectionRow.NEXT);
        int ack = s.has(TcpSegment.ACK) ? s.acknowledgement : read;
        return SequenceNumbers.before(next, ack) ? next : ack;
    }

    private boolean hasRead(ConnectionRow row, int side, int sequence) {
        int read = disorder.get(row, side, ReorderingState.READ);
        return !SequenceNumbers.before(read, sequence)
                // The FIN has a number, but is not read.
                || row.is(side == ConnectionRow.UP ? ConnectionRow.FIN_UP : ConnectionRow.FIN_DOWN)
                        && read + 1 == sequence
                        && sequence == row.intAt(side + ConnectionRow.NEXT)
                        && tracker.readable(row, side) == read;
    }

    /** The receiver acknowledged what was not seen: that comes soon, or never. */
    void acknowledged(ConnectionRow row, int side, long micros) {
        if (isWaitedFor(row, side)) {
            disorder.await(row, micros + PATIENCE_MICROS);
        }
    }

    /** No packet will acknowledge anything any more: what is missing comes soon, or never. */
    public void over(ConnectionRow row, long micros) {
        if (disorder.begin(row)) {
            disorder.await(row, micros + PATIENCE_MICROS);
        }
    }

    /** Whether an open gap of {@code side} was acknowledged. */
    private boolean isWaitedFor(ConnectionRow row, int side) {
        if (gaps.none(row, side)) {
            return false;
        }
        int next = row.intAt(side + ConnectionRow.NEXT);
        int gap = gaps.contiguous(row, side, next);
        return gap != next
                && (row.is(ConnectionRow.RST_UP | ConnectionRow.RST_DOWN)
                        || SequenceNumbers.before(
                                gap,
                                row.intAt((side == ConnectionRow.UP
                                                ? ConnectionRow.DOWN
                                                : ConnectionRow.UP)
                                        + ConnectionRow.ACKED)));
    }

    /**
     * Puts {@code cursor} on a connection that has waited long enough; {@link #giveUp} then must be
     * called.
     */
    public boolean waitedUntil(long micros, ConnectionRow cursor) {
        return disorder.waitedUntil(micros, cursor);
    }

    /**
     * What was waited for is lost.
     *
     * @param all also what was never acknowledged
     */
    public void giveUp(ConnectionRow row, long micros, boolean all) {
        if (ReorderingState.none(row)) {
            return;
        }
        disorder.stopWaiting(row);
        int lost = 0;
        for (int side = ConnectionRow.UP;
                side <= ConnectionRow.DOWN;
                side += ConnectionRow.DOWN - ConnectionRow.UP) {
            if (!gaps.none(row, side)) {
                lost += gaps.loseBelow(
                        row,
                        side,
                        row.intAt((side == ConnectionRow.UP ? ConnectionRow.DOWN : ConnectionRow.UP)
                                + ConnectionRow.ACKED));
                if (all) {
                    gaps.loseBelow(row, side, row.intAt(side + ConnectionRow.NEXT));
                }
            }
        }
        if (lost > 0) {
            counts.countUnseen(lost);
            listener.unseen(row.service(), micros, lost);
        }
        readOn(row, micros, true);
    }

    /** Gives back everything. */
    public void release(ConnectionRow row) {
        if (!ReorderingState.none(row)) {
            for (int side = ConnectionRow.UP;
                    side <= ConnectionRow.DOWN;
                    side += ConnectionRow.DOWN - ConnectionRow.UP) {
                held.release(row, side);
                gaps.release(row, side);
            }
            disorder.end(row);
        }
    }

    /**
     * Reads whatever can be read now.
     *
     * @param whatever also where each direction waits for the other
     */
    private void readOn(ConnectionRow row, long micros, boolean whatever) {
        int upBefore = disorder.get(row, ConnectionRow.UP, ReorderingState.READ);
        int downBefore = disorder.get(row, ConnectionRow.DOWN, ReorderingState.READ);
        boolean moved = true;
        while (moved) {
            int up = next(row, ConnectionRow.UP);
            int down = next(row, ConnectionRow.DOWN);
            boolean upReady = up != ReassemblyBuffer.NONE
                    && hasRead(row, ConnectionRow.DOWN, held.acknowledges(up));
            boolean downReady = down != ReassemblyBuffer.NONE
                    && hasRead(row, ConnectionRow.UP, held.acknowledges(down));
            if (upReady || downReady) {
                boolean upFirst =
                        upReady && (!downReady || held.firstMicros(up) <= held.firstMicros(down));
                readHeld(row, upFirst ? ConnectionRow.UP : ConnectionRow.DOWN);
            } else {
                moved = readHole(row, ConnectionRow.UP, down, micros)
                        || readHole(row, ConnectionRow.DOWN, up, micros);
                boolean both = up != ReassemblyBuffer.NONE && down != ReassemblyBuffer.NONE;
                if (!moved
                        && (both
                                || whatever
                                        && (up != ReassemblyBuffer.NONE
                                                || down != ReassemblyBuffer.NONE))) {
                    // Each after the other: what came later is a repeat, whose original was sent
                    // before.
                    boolean upFirst = both
                            ? held.firstMicros(up) >= held.firstMicros(down)
                            : up != ReassemblyBuffer.NONE;
                    readHeld(row, upFirst ? ConnectionRow.UP : ConnectionRow.DOWN);
                    moved = true;
                }
            }
        }
        boolean progress = upBefore != disorder.get(row, ConnectionRow.UP, ReorderingState.READ)
                || downBefore != disorder.get(row, ConnectionRow.DOWN, ReorderingState.READ);
        endIfOrdered(row);
        if (progress
                && disorder.waits(row)
                && !row.is(ConnectionRow.RST_UP | ConnectionRow.RST_DOWN)) {
            // The gap now waited for is another one.
            disorder.stopWaiting(row);
            disorder.await(row, micros + PATIENCE_MICROS);
        }
    }

    /** No consumer is left: only the gaps are still followed. */
    private void skipAll(ConnectionRow row) {
        for (int side = ConnectionRow.UP;
                side <= ConnectionRow.DOWN;
                side += ConnectionRow.DOWN - ConnectionRow.UP) {
            held.release(row, side);
            disorder.set(row, side, ReorderingState.READ, row.intAt(side + ConnectionRow.NEXT));
        }
        endIfOrdered(row);
    }

    private void endIfOrdered(ConnectionRow row) {
        if (disorder.waits(row)) {
            if (row.is(ConnectionRow.RST_UP | ConnectionRow.RST_DOWN)
                    || isWaitedFor(row, ConnectionRow.UP)
                    || isWaitedFor(row, ConnectionRow.DOWN)) {
                return;
            }
            disorder.stopWaiting(row);
        }
        if (gaps.none(row, ConnectionRow.UP)
                && gaps.none(row, ConnectionRow.DOWN)
                && held.first(row, ConnectionRow.UP) == ReassemblyBuffer.NONE
                && held.first(row, ConnectionRow.DOWN) == ReassemblyBuffer.NONE) {
            disorder.end(row);
        }
    }

    /** The held entry whose turn it is in its direction, if that is one. */
    private int next(ConnectionRow row, int side) {
        int read = disorder.get(row, side, ReorderingState.READ);
        int entry = held.first(row, side);
        while (entry != ReassemblyBuffer.NONE && !SequenceNumbers.before(read, held.to(entry))) {
            held.dropFirst(row, side);
            entry = held.first(row, side);
        }
        return entry != ReassemblyBuffer.NONE && !SequenceNumbers.before(read, held.from(entry))
                ? entry
                : ReassemblyBuffer.NONE;
    }

    private void readHeld(ConnectionRow row, int side) {
        int read = disorder.get(row, side, ReorderingState.READ);
        held.read(row, side, read, piece);
        held.dropFirst(row, side);
        disorder.set(row, side, ReorderingState.READ, read + piece.length());
        reader.read(row, side == ConnectionRow.UP, piece);
    }

    /**
     * Reads on over bytes that will not come any more.
     *
     * @param waiting the other direction's entry whose turn it is: not farther than where it was
     *     sent
     */
    private boolean readHole(ConnectionRow row, int side, int waiting, long micros) {
        int read = disorder.get(row, side, ReorderingState.READ);
        int end = tracker.readable(row, side);
        int entry = held.first(row, side);
        if (entry != ReassemblyBuffer.NONE && SequenceNumbers.before(held.from(entry), end)) {
            end = held.from(entry);
        }
        if (waiting != ReassemblyBuffer.NONE
                && SequenceNumbers.before(read, held.acknowledges(waiting))
                && SequenceNumbers.before(held.acknowledges(waiting), end)) {
            end = held.acknowledges(waiting);
        }
        if (!SequenceNumbers.before(read, end)) {
            return false;
        }
        disorder.set(row, side, ReorderingState.READ, end);
        hole(row, side == ConnectionRow.UP, end - read, micros);
        return true;
    }
}
