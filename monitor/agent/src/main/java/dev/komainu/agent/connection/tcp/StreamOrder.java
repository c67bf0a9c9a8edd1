package dev.komainu.agent.connection.tcp;

import dev.komainu.agent.packet.TcpSegment;

/**
 * Brings what a connection in disorder says back into the order in which it was said, and hands it on to a {@link
 * StreamReader}.
 *
 * <p>Within a direction that is the order of sequence numbers: bytes above a gap are held until the gap closes, and the
 * instants of exchanges are those of the packets that brought them, whenever they are read. Between the directions it is
 * that of cause: a packet that acknowledges what was not read yet was sent after it, so it waits, too. A gap the receiver
 * has acknowledged is waited for {@link #PATIENCE_MICROS} only (packets captured in another order than they were
 * received); then it counts as lost by the capture and is read as a hole.
 */
public final class StreamOrder {

    /** Packets of two directions or queues may be captured that much out of order. Packet time. */
    static final long PATIENCE_MICROS = 100_000;

    private final Disorder disorder;
    private final Gaps gaps;
    private final HeldBytes held;
    private final SequenceTracker tracker;
    private final StreamReader reader;
    private final ConnectionListener listener;
    private final AnalyzerCounts counts;
    private final Piece piece = new Piece();

    /**
     * @param mostInDisorder connections in disorder at once
     * @param mostHeldBytes bytes held back, of all connections
     */
    public StreamOrder(
            int mostInDisorder,
            int mostHeldBytes,
            StreamReader reader,
            ConnectionListener listener,
            AnalyzerCounts counts) {
        this.disorder = new Disorder(mostInDisorder);
        this.gaps = new Gaps(mostInDisorder * 4, disorder, counts);
        this.held = new HeldBytes(mostHeldBytes, disorder, counts);
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
    public boolean isSettled(Row row) {
        return Disorder.none(row)
                || !disorder.waits(row)
                        && held.first(row, Row.UP) == HeldBytes.NONE
                        && held.first(row, Row.DOWN) == HeldBytes.NONE
                        && !hasOpenGap(row, Row.UP)
                        && !hasOpenGap(row, Row.DOWN);
    }

    private boolean hasOpenGap(Row row, int side) {
        int next = row.intAt(side + Row.NEXT);
        return gaps.contiguous(row, side, next) != next;
    }

    /** Whether everything the server sent before its FIN was read. */
    public boolean isDownReadToItsFin(Row row) {
        int fin = row.intAt(Row.DOWN + Row.NEXT) - 1;
        return Disorder.none(row) || !Sequence.before(disorder.get(row, Row.DOWN, Disorder.READ), fin);
    }

    /** The stream of {@code side} begins at {@code sequence}; before that, nothing of it was known. */
    void begins(Row row, int side, int sequence) {
        if (!Disorder.none(row)) {
            disorder.set(row, side, Disorder.READ, sequence);
        }
    }

    /** The payload of a segment, all or part of it new; the gaps know of it already. */
    void data(Row row, TcpSegment s, boolean up, int payloadFrom, boolean late) {
        int side = up ? Row.UP : Row.DOWN;
        if (reader.isDeaf(row)) {
            skipAll(row);
            return;
        }
        int to = payloadFrom + s.payloadLength;
        int acknowledges = acknowledges(row, s, up);
        if (late) {
            // A repeat acknowledges more than its original did, which was sent before what follows it.
            acknowledges = held.acknowledgedBy(row, side, to, acknowledges);
        }
        int read = disorder.get(row, side, Disorder.READ);
        int from = Sequence.before(payloadFrom, read) ? read : payloadFrom;
        if (from == read && Sequence.before(read, to) && hasRead(row, up ? Row.DOWN : Row.UP, acknowledges)) {
            int entry = held.first(row, side);
            int end = entry != HeldBytes.NONE && Sequence.before(held.from(entry), to) ? held.from(entry) : to;
            if (Sequence.before(read, end)) {
                disorder.set(row, side, Disorder.READ, end);
                fill(s, payloadFrom, read, end);
                piece.late = late;
                reader.read(row, up, piece);
                from = end;
            }
        }
        if (Sequence.before(from, to) && !reader.isDeaf(row)) {
            int needed = disorder.get(row, side, Disorder.READ) + reader.indifferent(row, up);
            held.hold(row, side, s, payloadFrom, from, to, acknowledges, needed);
        }
        readOn(row, s.micros, false);
    }

    /** Reads bytes [from, to) of a segment whose connection is in order. */
    void inOrder(Row row, TcpSegment s, boolean up, int payloadFrom, int from, int to) {
        if (up || !reader.counted(row, to - from, s.micros)) {
            fill(s, payloadFrom, from, to);
            reader.read(row, up, piece);
        }
    }

    /** A gap that nothing could be remembered of. */
    void hole(Row row, boolean up, int length, long micros) {
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
    private int acknowledges(Row row, TcpSegment s, boolean up) {
        int other = up ? Row.DOWN : Row.UP;
        int read = disorder.get(row, other, Disorder.READ);
        int next = row.intAt(other + Row.NEXT);
        int ack = s.has(TcpSegment.ACK) ? s.acknowledgement : read;
        return Sequence.before(next, ack) ? next : ack;
    }

    private boolean hasRead(Row row, int side, int sequence) {
        int read = disorder.get(row, side, Disorder.READ);
        return !Sequence.before(read, sequence)
                // The FIN has a number, but is not read.
                || row.is(side == Row.UP ? Row.FIN_UP : Row.FIN_DOWN)
                        && read + 1 == sequence
                        && sequence == row.intAt(side + Row.NEXT)
                        && tracker.readable(row, side) == read;
    }

    /** The receiver acknowledged what was not seen: that comes soon, or never. */
    void acknowledged(Row row, int side, long micros) {
        if (isWaitedFor(row, side)) {
            disorder.await(row, micros + PATIENCE_MICROS);
        }
    }

    /** No packet will acknowledge anything any more: what is missing comes soon, or never. */
    public void over(Row row, long micros) {
        if (disorder.begin(row)) {
            disorder.await(row, micros + PATIENCE_MICROS);
        }
    }

    /** Whether an open gap of {@code side} was acknowledged. */
    private boolean isWaitedFor(Row row, int side) {
        if (gaps.none(row, side)) {
            return false;
        }
        int next = row.intAt(side + Row.NEXT);
        int gap = gaps.contiguous(row, side, next);
        return gap != next
                && (row.is(Row.RST_UP | Row.RST_DOWN)
                        || Sequence.before(gap, row.intAt((side == Row.UP ? Row.DOWN : Row.UP) + Row.ACKED)));
    }

    /** Puts {@code cursor} on a connection that has waited long enough; {@link #giveUp} then must be called. */
    public boolean waitedUntil(long micros, Row cursor) {
        return disorder.waitedUntil(micros, cursor);
    }

    /**
     * What was waited for is lost.
     *
     * @param all also what was never acknowledged
     */
    public void giveUp(Row row, long micros, boolean all) {
        if (Disorder.none(row)) {
            return;
        }
        disorder.stopWaiting(row);
        int lost = 0;
        for (int side = Row.UP; side <= Row.DOWN; side += Row.DOWN - Row.UP) {
            if (!gaps.none(row, side)) {
                lost += gaps.loseBelow(row, side, row.intAt((side == Row.UP ? Row.DOWN : Row.UP) + Row.ACKED));
                if (all) {
                    gaps.loseBelow(row, side, row.intAt(side + Row.NEXT));
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
    public void release(Row row) {
        if (!Disorder.none(row)) {
            for (int side = Row.UP; side <= Row.DOWN; side += Row.DOWN - Row.UP) {
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
    private void readOn(Row row, long micros, boolean whatever) {
        int upBefore = disorder.get(row, Row.UP, Disorder.READ);
        int downBefore = disorder.get(row, Row.DOWN, Disorder.READ);
        boolean moved = true;
        while (moved) {
            int up = next(row, Row.UP);
            int down = next(row, Row.DOWN);
            boolean upReady = up != HeldBytes.NONE && hasRead(row, Row.DOWN, held.acknowledges(up));
            boolean downReady = down != HeldBytes.NONE && hasRead(row, Row.UP, held.acknowledges(down));
            if (upReady || downReady) {
                boolean upFirst = upReady && (!downReady || held.firstMicros(up) <= held.firstMicros(down));
                readHeld(row, upFirst ? Row.UP : Row.DOWN);
            } else {
                moved = readHole(row, Row.UP, down, micros) || readHole(row, Row.DOWN, up, micros);
                boolean both = up != HeldBytes.NONE && down != HeldBytes.NONE;
                if (!moved && (both || whatever && (up != HeldBytes.NONE || down != HeldBytes.NONE))) {
                    // Each after the other: what came later is a repeat, whose original was sent before.
                    boolean upFirst = both ? held.firstMicros(up) >= held.firstMicros(down) : up != HeldBytes.NONE;
                    readHeld(row, upFirst ? Row.UP : Row.DOWN);
                    moved = true;
                }
            }
        }
        boolean progress = upBefore != disorder.get(row, Row.UP, Disorder.READ)
                || downBefore != disorder.get(row, Row.DOWN, Disorder.READ);
        endIfOrdered(row);
        if (progress && disorder.waits(row) && !row.is(Row.RST_UP | Row.RST_DOWN)) {
            // The gap now waited for is another one.
            disorder.stopWaiting(row);
            disorder.await(row, micros + PATIENCE_MICROS);
        }
    }

    /** No consumer is left: only the gaps are still followed. */
    private void skipAll(Row row) {
        for (int side = Row.UP; side <= Row.DOWN; side += Row.DOWN - Row.UP) {
            held.release(row, side);
            disorder.set(row, side, Disorder.READ, row.intAt(side + Row.NEXT));
        }
        endIfOrdered(row);
    }

    private void endIfOrdered(Row row) {
        if (disorder.waits(row)) {
            if (row.is(Row.RST_UP | Row.RST_DOWN) || isWaitedFor(row, Row.UP) || isWaitedFor(row, Row.DOWN)) {
                return;
            }
            disorder.stopWaiting(row);
        }
        if (gaps.none(row, Row.UP)
                && gaps.none(row, Row.DOWN)
                && held.first(row, Row.UP) == HeldBytes.NONE
                && held.first(row, Row.DOWN) == HeldBytes.NONE) {
            disorder.end(row);
        }
    }

    /** The held entry whose turn it is in its direction, if that is one. */
    private int next(Row row, int side) {
        int read = disorder.get(row, side, Disorder.READ);
        int entry = held.first(row, side);
        while (entry != HeldBytes.NONE && !Sequence.before(read, held.to(entry))) {
            held.dropFirst(row, side);
            entry = held.first(row, side);
        }
        return entry != HeldBytes.NONE && !Sequence.before(read, held.from(entry)) ? entry : HeldBytes.NONE;
    }

    private void readHeld(Row row, int side) {
        int read = disorder.get(row, side, Disorder.READ);
        held.read(row, side, read, piece);
        held.dropFirst(row, side);
        disorder.set(row, side, Disorder.READ, read + piece.length());
        reader.read(row, side == Row.UP, piece);
    }

    /**
     * Reads on over bytes that will not come any more.
     *
     * @param waiting the other direction's entry whose turn it is: not farther than where it was sent
     */
    private boolean readHole(Row row, int side, int waiting, long micros) {
        int read = disorder.get(row, side, Disorder.READ);
        int end = tracker.readable(row, side);
        int entry = held.first(row, side);
        if (entry != HeldBytes.NONE && Sequence.before(held.from(entry), end)) {
            end = held.from(entry);
        }
        if (waiting != HeldBytes.NONE
                && Sequence.before(read, held.acknowledges(waiting))
                && Sequence.before(held.acknowledges(waiting), end)) {
            end = held.acknowledges(waiting);
        }
        if (!Sequence.before(read, end)) {
            return false;
        }
        disorder.set(row, side, Disorder.READ, end);
        hole(row, side == Row.UP, end - read, micros);
        return true;
    }
}
