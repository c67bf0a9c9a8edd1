package dev.komainu.agent.connection.tcp;

import dev.komainu.agent.packet.TcpSegment;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Pieces of streams that came before their predecessors, kept until their turn: for each direction
 * a list in order of sequence, without overlaps (the bytes seen first stay). Entries and text
 * blocks lie in two stores shared by all connections, both with a hard cap, of which one direction
 * may take a quarter; beyond, pieces are not kept but counted.
 *
 * <pre>
 *  entry   0 from 4 | 4 to 4 | 8 next 4 | 12 acknowledges 4 | 16 first packet 8 | 24 last packet 8 | 32 text 4 | 36 kept 4
 *  block   0 next 4 | 4 bytes 252
 * </pre>
 *
 * References are kept as row number + 1, so that zero means none.
 */
final class ReassemblyBuffer {

    static final int NONE = 0;
    /** Longest entry; longer segments (offload) become several. */
    static final int LONGEST = 16_384;

    private static final int ENTRY_BYTES = 40;
    private static final int FROM = 0;
    private static final int TO = 4;
    private static final int NEXT = 8;
    private static final int ACKNOWLEDGES = 12;
    private static final int FIRST = 16;
    private static final int LAST = 24;
    private static final int TEXT = 32;
    private static final int KEPT = 36;
    private static final int BLOCK_BYTES = 256;
    private static final int BLOCK_TEXT = BLOCK_BYTES - 4;
    private static final int FAIR_SHARE = 4;

    private final RowSlab entries;
    private final BlockPool blocks;
    private final int most;
    private final ReorderingState reordering;
    private final AnalyzerCounts counts;
    private final MemorySegment scratch = Arena.ofAuto().allocate(LONGEST);

    /**
     * Creates an empty buffer.
     *
     * @param cap most bytes kept, over all connections
     */
    ReassemblyBuffer(int cap, ReorderingState reordering, AnalyzerCounts counts) {
        this.most = cap / BLOCK_BYTES;
        this.entries = new RowSlab(ENTRY_BYTES, most);
        this.blocks = new BlockPool(BLOCK_BYTES, most);
        this.reordering = reordering;
        this.counts = counts;
    }

    int used() {
        return entries.used() + blocks.used();
    }

    int first(ConnectionRow row, int side) {
        return reordering.get(row, side, ReorderingState.HELD);
    }

    int from(int entry) {
        return entries.intAt(entry - 1, FROM);
    }

    int to(int entry) {
        return entries.intAt(entry - 1, TO);
    }

    /**
     * Returns the acknowledgement number of the entry: the bytes of the other direction that its
     * sender had received.
     */
    int acknowledges(int entry) {
        return entries.intAt(entry - 1, ACKNOWLEDGES);
    }

    /**
     * Returns the lower of {@code acknowledges} and the acknowledgement number of the first entry
     * at or above {@code from}.
     */
    int acknowledgedBy(ConnectionRow row, int side, int from, int acknowledges) {
        int entry = first(row, side);
        while (entry != NONE && SequenceNumbers.before(from(entry), from)) {
            entry = entries.intAt(entry - 1, NEXT);
        }
        return entry != NONE && SequenceNumbers.before(acknowledges(entry), acknowledges)
                ? acknowledges(entry)
                : acknowledges;
    }

    long firstMicros(int entry) {
        return entries.longAt(entry - 1, FIRST);
    }

    /**
     * Keeps the bytes [from, to) of the segment that are not kept yet.
     *
     * @param payloadFrom sequence number of the segment's first payload byte
     * @param needed bytes below this number are not read when their turn comes, so their content is
     *     not kept
     */
    void store(
            ConnectionRow row,
            int side,
            TcpSegment s,
            int payloadFrom,
            int from,
            int to,
            int acknowledges,
            int needed) {
        int before = NONE;
        int entry = first(row, side);
        int last = reordering.get(row, side, ReorderingState.LAST_HELD);
        if (last != NONE && !SequenceNumbers.before(from, to(last))) {
            before = last;
            entry = NONE;
        }
        int at = from;
        while (SequenceNumbers.before(at, to)) {
            while (entry != NONE && !SequenceNumbers.before(at, to(entry))) {
                before = entry;
                entry = entries.intAt(entry - 1, NEXT);
            }
            int end = to;
            if (entry != NONE && SequenceNumbers.before(from(entry), end)) {
                end = from(entry);
            }
            if (SequenceNumbers.before(at, end)) {
                int boundary =
                        SequenceNumbers.before(at, needed) && SequenceNumbers.before(needed, end)
                                ? needed
                                : end;
                int here = Math.min(boundary - at, LONGEST);
                before = insert(
                        row, side, before, s, payloadFrom, at, at + here, acknowledges, needed);
                at += here;
            } else {
                at = to(entry);
            }
        }
    }

    private int insert(
            ConnectionRow row,
            int side,
            int before,
            TcpSegment s,
            int payloadFrom,
            int from,
            int to,
            int acknowledges,
            int needed) {
        int into = from - payloadFrom;
        int length = SequenceNumbers.before(from, needed)
                ? 0
                : Math.clamp(s.payloadCaptured - into, 0, to - from);
        if (length == 0 && joins(before, from, acknowledges)) {
            entries.setInt(before - 1, TO, to);
            entries.setLong(
                    before - 1, FIRST, Math.min(entries.longAt(before - 1, FIRST), s.micros));
            entries.setLong(before - 1, LAST, Math.max(entries.longAt(before - 1, LAST), s.micros));
            return before;
        }
        int rows = 1 + blocks(length);
        int own = reordering.get(row, side, ReorderingState.HELD_ROWS) + rows;
        if (own > most / FAIR_SHARE || entries.used() == most || blocks.used() + rows - 1 > most) {
            counts.countNotHeld();
            return before;
        }
        reordering.set(row, side, ReorderingState.HELD_ROWS, own);
        int number = entries.allocate();
        entries.setInt(number, FROM, from);
        entries.setInt(number, TO, to);
        entries.setInt(number, ACKNOWLEDGES, acknowledges);
        entries.setLong(number, FIRST, s.micros);
        entries.setLong(number, LAST, s.micros);
        keep(number, s, into, length);
        link(row, side, before, number + 1);
        return number + 1;
    }

    private void link(ConnectionRow row, int side, int before, int entry) {
        int next = before == NONE ? first(row, side) : entries.intAt(before - 1, NEXT);
        entries.setInt(entry - 1, NEXT, next);
        if (before == NONE) {
            reordering.set(row, side, ReorderingState.HELD, entry);
        } else {
            entries.setInt(before - 1, NEXT, entry);
        }
        if (next == NONE) {
            reordering.set(row, side, ReorderingState.LAST_HELD, entry);
        }
    }

    private static int blocks(int length) {
        return (length + BLOCK_TEXT - 1) / BLOCK_TEXT;
    }

    /** Reports whether two pieces whose content is not needed can become one. */
    private boolean joins(int before, int from, int acknowledges) {
        return before != NONE
                && to(before) == from
                && entries.intAt(before - 1, KEPT) == 0
                && acknowledges(before) == acknowledges;
    }

    private void keep(int number, TcpSegment s, int into, int length) {
        int previous = RowSlab.NONE;
        for (int at = 0; at < length; at += BLOCK_TEXT) {
            int block = blocks.allocate();
            int here = Math.min(BLOCK_TEXT, length - at);
            MemorySegment.copy(
                    s.memory,
                    ValueLayout.JAVA_BYTE,
                    s.payloadOffset + into + at,
                    blocks.chunk(block),
                    blocks.base(block) + 4,
                    here);
            if (previous == RowSlab.NONE) {
                entries.setInt(number, TEXT, block + 1);
            } else {
                blocks.setHead(previous, block + 1);
            }
            previous = block;
        }
        entries.setInt(number, KEPT, length);
    }

    /**
     * Fills the piece with the first entry of a direction from {@code from} on, which lies in that
     * entry.
     */
    void read(ConnectionRow row, int side, int from, StreamPiece piece) {
        int number = first(row, side) - 1;
        int kept = entries.intAt(number, KEPT);
        int skipped = from - entries.intAt(number, FROM);
        int at = 0;
        for (int block = entries.intAt(number, TEXT);
                block != NONE;
                block = blocks.headOf(block - 1)) {
            int here = Math.min(BLOCK_TEXT, kept - at);
            MemorySegment.copy(
                    blocks.chunk(block - 1),
                    blocks.base(block - 1) + 4,
                    scratch,
                    ValueLayout.JAVA_BYTE,
                    at,
                    here);
            at += here;
        }
        int left = entries.intAt(number, TO) - from;
        piece.memory = scratch;
        piece.offset = Math.min(skipped, kept);
        piece.known = Math.max(0, kept - skipped);
        piece.unknown = left - piece.known;
        piece.end = entries.intAt(number, TO);
        piece.acknowledges = entries.intAt(number, ACKNOWLEDGES);
        piece.late = false;
        piece.firstMicros = entries.longAt(number, FIRST);
        piece.lastMicros = entries.longAt(number, LAST);
        piece.hole = false;
    }

    void dropFirst(ConnectionRow row, int side) {
        int number = first(row, side) - 1;
        int next = entries.intAt(number, NEXT);
        for (int block = entries.intAt(number, TEXT); block != NONE; ) {
            int following = blocks.headOf(block - 1);
            blocks.free(block - 1);
            block = following;
        }
        int rows = 1 + blocks(entries.intAt(number, KEPT));
        reordering.set(
                row,
                side,
                ReorderingState.HELD_ROWS,
                reordering.get(row, side, ReorderingState.HELD_ROWS) - rows);
        entries.free(number);
        reordering.set(row, side, ReorderingState.HELD, next);
        if (next == NONE) {
            reordering.set(row, side, ReorderingState.LAST_HELD, NONE);
        }
    }

    void release(ConnectionRow row, int side) {
        while (first(row, side) != NONE) {
            dropFirst(row, side);
        }
    }
}
