package dev.komainu.agent.connection.tcp;

import dev.komainu.agent.packet.TcpSegment;

/**
 * Reassembly of the streams of an out-of-order connection: it restores the order in which the bytes
 * were sent and passes them to a {@link StreamReader}.
 *
 * <p>Within a direction that is the order of sequence numbers: bytes above a gap are kept until the
 * gap closes, and the instants of exchanges are those of the packets that brought them, independent
 * of the time of reading. Between the directions it is the order of cause: a packet that
 * acknowledges bytes not read yet was sent after them, so it waits, too. A gap that the receiver
 * has acknowledged is waited for at most {@link #PATIENCE_MICROS} (packets captured in another
 * order than they were received); then it counts as lost by the capture and is read as a hole.
 */
public final class StreamReassembly {

    /** Longest reordering of packets of two directions or queues by the capture. Packet time. */
    static final long PATIENCE_MICROS = 100_000;

    private final ReorderingState reordering;
    private final SequenceGaps gaps;
    private final ReassemblyBuffer held;
    private final SequenceTracker tracker;
    private final StreamReader reader;
    private final ConnectionListener listener;
    private final AnalyzerCounts counts;
    private final StreamPiece piece = new StreamPiece();

    /**
     * Creates a reassembly without state.
     *
     * @param maxReordering most connections out of order at once
     * @param maxHeldBytes most bytes kept, over all connections
     */
    public StreamReassembly(
            int maxReordering,
            int maxHeldBytes,
            StreamReader reader,
            ConnectionListener listener,
            AnalyzerCounts counts) {
        this.reordering = new ReorderingState(maxReordering);
        this.gaps = new SequenceGaps(maxReordering * 4, reordering, counts);
        this.held = new ReassemblyBuffer(maxHeldBytes, reordering, counts);
        this.tracker = new SequenceTracker(gaps, counts);
        this.reader = reader;
        this.listener = listener;
        this.counts = counts;
    }

    /** Returns the tracker of the sequence numbers seen, on the same gaps. */
    SequenceTracker tracker() {
        return tracker;
    }

    /** Returns the rows of every kind in use. */
    public int used() {
        return reordering.used() + gaps.used() + held.used();
    }

    /** Reports whether no bytes are kept and none are waited for. */
    public boolean isSettled(ConnectionRow row) {
        return ReorderingState.none(row)
                || (!reordering.waits(row)
                        && held.first(row, ConnectionRow.UP) == ReassemblyBuffer.NONE
                        && held.first(row, ConnectionRow.DOWN) == ReassemblyBuffer.NONE
                        && !hasOpenGap(row, ConnectionRow.UP)
                        && !hasOpenGap(row, ConnectionRow.DOWN));
    }

    private boolean hasOpenGap(ConnectionRow row, int side) {
        int next = row.intAt(side + ConnectionRow.NEXT);
        return gaps.contiguous(row, side, next) != next;
    }

    /** Reports whether everything the server sent before its FIN was read. */
    public boolean isServerStreamRead(ConnectionRow row) {
        int fin = row.intAt(ConnectionRow.DOWN + ConnectionRow.NEXT) - 1;
        return ReorderingState.none(row)
                || !SequenceNumbers.before(
                        reordering.get(row, ConnectionRow.DOWN, ReorderingState.READ), fin);
    }

    /** Begins the stream of {@code side} at {@code sequence}; no earlier byte of it was known. */
    void begins(ConnectionRow row, int side, int sequence) {
        if (!ReorderingState.none(row)) {
            reordering.set(row, side, ReorderingState.READ, sequence);
        }
    }

    /** Handles the payload of a segment, all or part of it new; the gaps already include it. */
    void data(ConnectionRow row, TcpSegment s, boolean up, int payloadFrom, boolean late) {
        int side = up ? ConnectionRow.UP : ConnectionRow.DOWN;
        if (reader.ignoresAll(row)) {
            skipAll(row);
            return;
        }
        int to = payloadFrom + s.payloadLength;
        int acknowledges = acknowledges(row, s, up);
        if (late) {
            // A repeat acknowledges more than its original did, which was
            // sent before its successors.
            acknowledges = held.acknowledgedBy(row, side, to, acknowledges);
        }
        int read = reordering.get(row, side, ReorderingState.READ);
        int from = SequenceNumbers.before(payloadFrom, read) ? read : payloadFrom;
        if (from == read
                && SequenceNumbers.before(read, to)
                && hasRead(row, up ? ConnectionRow.DOWN : ConnectionRow.UP, acknowledges)) {
            int entry = held.first(row, side);
            int end = entry != ReassemblyBuffer.NONE && SequenceNumbers.before(held.from(entry), to)
                    ? held.from(entry)
                    : to;
            if (SequenceNumbers.before(read, end)) {
                reordering.set(row, side, ReorderingState.READ, end);
                fill(s, payloadFrom, read, end);
                piece.late = late;
                reader.read(row, up, piece);
                from = end;
            }
        }
        if (SequenceNumbers.before(from, to) && !reader.ignoresAll(row)) {
            int needed =
                    reordering.get(row, side, ReorderingState.READ) + reader.skippable(row, up);
            held.store(row, side, s, payloadFrom, from, to, acknowledges, needed);
        }
        readReady(row, s.micros, false);
    }

    /** Reads bytes [from, to) of a segment whose connection is in order. */
    void inOrder(ConnectionRow row, TcpSegment s, boolean up, int payloadFrom, int from, int to) {
        if (up || !reader.counted(row, to - from, s.micros)) {
            fill(s, payloadFrom, from, to);
            reader.read(row, up, piece);
        }
    }

    /** Reads a gap for which no state could be kept. */
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
        piece.known = Math.max(0, Math.min(s.payloadCaptured - into, to - from));
        piece.unknown = to - from - piece.known;
        piece.end = to;
        piece.acknowledges = s.acknowledgement;
        piece.late = false;
        piece.firstMicros = s.micros;
        piece.lastMicros = s.micros;
        piece.hole = false;
    }

    /**
     * Returns the bytes of the other direction that the sender had received; never beyond the known
     * end of that direction.
     */
    private int acknowledges(ConnectionRow row, TcpSegment s, boolean up) {
        int other = up ? ConnectionRow.DOWN : ConnectionRow.UP;
        int read = reordering.get(row, other, ReorderingState.READ);
        int next = row.intAt(other + ConnectionRow.NEXT);
        int ack = s.has(TcpSegment.ACK) ? s.acknowledgement : read;
        return SequenceNumbers.before(next, ack) ? next : ack;
    }

    private boolean hasRead(ConnectionRow row, int side, int sequence) {
        int read = reordering.get(row, side, ReorderingState.READ);
        return !SequenceNumbers.before(read, sequence)
                // The FIN has a number, but is not read.
                || (row.is(side == ConnectionRow.UP ? ConnectionRow.FIN_UP : ConnectionRow.FIN_DOWN)
                        && read + 1 == sequence
                        && sequence == row.intAt(side + ConnectionRow.NEXT)
                        && tracker.readable(row, side) == read);
    }

    /**
     * Handles an acknowledgement by the receiver of bytes not captured: they come soon, or never.
     */
    void acknowledged(ConnectionRow row, int side, long micros) {
        if (isWaitedFor(row, side)) {
            reordering.await(row, micros + PATIENCE_MICROS);
        }
    }

    /** Handles the end of acknowledgements: missing bytes come soon, or never. */
    public void over(ConnectionRow row, long micros) {
        if (reordering.begin(row)) {
            reordering.await(row, micros + PATIENCE_MICROS);
        }
    }

    /** Reports whether an open gap of {@code side} was acknowledged. */
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
     * Moves {@code cursor} to a connection that has waited long enough; the caller must then call
     * {@link #giveUp}.
     */
    public boolean expired(long micros, ConnectionRow cursor) {
        return reordering.expired(micros, cursor);
    }

    /**
     * Gives up the missing bytes as lost.
     *
     * @param all whether to give up also the bytes that were never acknowledged
     */
    public void giveUp(ConnectionRow row, long micros, boolean all) {
        if (ReorderingState.none(row)) {
            return;
        }
        reordering.stopWaiting(row);
        int lost = 0;
        for (int side = ConnectionRow.UP;
                side <= ConnectionRow.DOWN;
                side += ConnectionRow.DOWN - ConnectionRow.UP) {
            if (!gaps.none(row, side)) {
                lost += gaps.markLostBelow(
                        row,
                        side,
                        row.intAt((side == ConnectionRow.UP ? ConnectionRow.DOWN : ConnectionRow.UP)
                                + ConnectionRow.ACKED));
                if (all) {
                    gaps.markLostBelow(row, side, row.intAt(side + ConnectionRow.NEXT));
                }
            }
        }
        if (lost > 0) {
            counts.countUnseen(lost);
            listener.unseen(row.service(), micros, lost);
        }
        readReady(row, micros, true);
    }

    /** Frees the state of the connection. */
    public void release(ConnectionRow row) {
        if (!ReorderingState.none(row)) {
            for (int side = ConnectionRow.UP;
                    side <= ConnectionRow.DOWN;
                    side += ConnectionRow.DOWN - ConnectionRow.UP) {
                held.release(row, side);
                gaps.release(row, side);
            }
            reordering.end(row);
        }
    }

    /**
     * Reads every piece that can be read now.
     *
     * @param force whether to read also where each direction waits for the other
     */
    private void readReady(ConnectionRow row, long micros, boolean force) {
        int upBefore = reordering.get(row, ConnectionRow.UP, ReorderingState.READ);
        int downBefore = reordering.get(row, ConnectionRow.DOWN, ReorderingState.READ);
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
                                || (force
                                        && (up != ReassemblyBuffer.NONE
                                                || down != ReassemblyBuffer.NONE)))) {
                    // One after the other: the later one is a repeat, whose
                    // original was sent before.
                    boolean upFirst = both
                            ? held.firstMicros(up) >= held.firstMicros(down)
                            : up != ReassemblyBuffer.NONE;
                    readHeld(row, upFirst ? ConnectionRow.UP : ConnectionRow.DOWN);
                    moved = true;
                }
            }
        }
        boolean progress = upBefore != reordering.get(row, ConnectionRow.UP, ReorderingState.READ)
                || downBefore != reordering.get(row, ConnectionRow.DOWN, ReorderingState.READ);
        endIfOrdered(row);
        if (progress
                && reordering.waits(row)
                && !row.is(ConnectionRow.RST_UP | ConnectionRow.RST_DOWN)) {
            // The connection now waits for another gap.
            reordering.stopWaiting(row);
            reordering.await(row, micros + PATIENCE_MICROS);
        }
    }

    /** Skips all bytes: no consumer is left, and only the gaps are still tracked. */
    private void skipAll(ConnectionRow row) {
        for (int side = ConnectionRow.UP;
                side <= ConnectionRow.DOWN;
                side += ConnectionRow.DOWN - ConnectionRow.UP) {
            held.release(row, side);
            reordering.set(row, side, ReorderingState.READ, row.intAt(side + ConnectionRow.NEXT));
        }
        endIfOrdered(row);
    }

    private void endIfOrdered(ConnectionRow row) {
        if (reordering.waits(row)) {
            if (row.is(ConnectionRow.RST_UP | ConnectionRow.RST_DOWN)
                    || isWaitedFor(row, ConnectionRow.UP)
                    || isWaitedFor(row, ConnectionRow.DOWN)) {
                return;
            }
            reordering.stopWaiting(row);
        }
        if (gaps.none(row, ConnectionRow.UP)
                && gaps.none(row, ConnectionRow.DOWN)
                && held.first(row, ConnectionRow.UP) == ReassemblyBuffer.NONE
                && held.first(row, ConnectionRow.DOWN) == ReassemblyBuffer.NONE) {
            reordering.end(row);
        }
    }

    /** Returns the kept entry whose turn it is in its direction, if there is one. */
    private int next(ConnectionRow row, int side) {
        int read = reordering.get(row, side, ReorderingState.READ);
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
        int read = reordering.get(row, side, ReorderingState.READ);
        held.read(row, side, read, piece);
        held.dropFirst(row, side);
        reordering.set(row, side, ReorderingState.READ, read + piece.length());
        reader.read(row, side == ConnectionRow.UP, piece);
    }

    /**
     * Reads over bytes that will not come any more.
     *
     * @param waiting the other direction's entry whose turn it is: reads not farther than the point
     *     at which it was sent
     */
    private boolean readHole(ConnectionRow row, int side, int waiting, long micros) {
        int read = reordering.get(row, side, ReorderingState.READ);
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
        reordering.set(row, side, ReorderingState.READ, end);
        hole(row, side == ConnectionRow.UP, end - read, micros);
        return true;
    }
}
