package dev.komainu.agent.connection;

import dev.komainu.agent.packet.TcpSegment;

/**
 * What a packet changes in its connection's two directions: counters, sequence numbers, and how far each stream can be
 * read; what became readable goes to the {@link Dialogue}.
 */
final class Flow {

    private final SequenceTracker tracker;
    private final Dialogue dialogue;
    private final ConnectionListener listener;
    private final AnalyzerCounts counts;

    Flow(SequenceTracker tracker, Dialogue dialogue, ConnectionListener listener, AnalyzerCounts counts) {
        this.tracker = tracker;
        this.dialogue = dialogue;
        this.listener = listener;
        this.counts = counts;
    }

    /** Whether everything the server sent before its FIN was read. */
    boolean isDownReadToItsFin(Row row) {
        return tracker.readable(row, Row.DOWN, Row.FIN_DOWN) == row.intAt(Row.DOWN + Row.NEXT) - 1;
    }

    /** Counts the packet, follows both directions' sequence numbers, and reads what is new. */
    void packet(Row row, TcpSegment s, boolean up) {
        int side = up ? Row.UP : Row.DOWN;
        boolean syn = s.has(TcpSegment.SYN);
        boolean rst = s.has(TcpSegment.RST);
        boolean fin = s.has(TcpSegment.FIN) && !rst;
        int known = up ? Row.KNOWN_UP : Row.KNOWN_DOWN;
        if (!row.is(known) && !rst) {
            row.mark(known);
            row.setInt(side + Row.ISN, s.sequence - 1);
            row.setInt(side + Row.NEXT, s.sequence);
        }
        if (s.has(TcpSegment.ACK) && !rst) {
            acknowledgement(row, s, up);
        }
        int payload = rst ? 0 : s.payloadLength;
        int payloadFrom = s.sequence + (syn ? 1 : 0);
        int fresh = 0;
        boolean late = false;
        boolean wild = false;
        int added = 0;
        int finFlag = up ? Row.FIN_UP : Row.FIN_DOWN;
        int readFrom = payload > 0 || fin ? tracker.readable(row, side, finFlag) : 0;
        boolean keepAlive = payload == 1 && !syn && !fin && isKeepAlive(row, s, up);
        if (syn) {
            added += tracker.advance(row, side, s.sequence, payloadFrom);
            if (readFrom == s.sequence) {
                readFrom = payloadFrom;
            }
        }
        if (payload > 0) {
            fresh = tracker.advance(row, side, payloadFrom, payloadFrom + payload);
            added += fresh;
            late = tracker.filledGap;
            wild = tracker.wild;
        }
        if (fin) {
            int finAt = payloadFrom + payload;
            added += tracker.advance(row, side, finAt, finAt + 1);
            late |= tracker.filledGap;
            wild |= tracker.wild;
        }
        boolean again = (syn || payload > 0 || fin) && added == 0 && !keepAlive && !wild;
        count(row, s, up, side, fresh, again, late);
        if (payload > 0 || fin) {
            if (fresh > 0) {
                carried(row, s, up);
            }
            if (fin && !wild && !row.is(Row.CLOSED)) {
                row.mark(finFlag);
            }
            int readTo = tracker.readable(row, side, finFlag);
            if (fresh > 0 || readTo != readFrom) {
                dialogue.data(row, up, s, payloadFrom, readFrom, readTo, fresh > 0);
            }
        }
    }

    private void carried(Row row, TcpSegment s, boolean up) {
        row.mark(Row.CARRIED_DATA);
        if (!up) {
            if (row.longAt(Row.RESPONSE_START) == 0) {
                row.setLong(Row.RESPONSE_START, s.micros);
            }
            if (!row.is(Row.FIN_DOWN_ACKED)) {
                row.setLong(Row.TRANSFER_END, s.micros);
            }
        }
    }

    /** RFC 9293 3.8.4: one byte of garbage just before the next number, when nothing is on its way. */
    private boolean isKeepAlive(Row row, TcpSegment s, boolean up) {
        int next = row.intAt((up ? Row.UP : Row.DOWN) + Row.NEXT);
        return s.sequence == next - 1 && row.intAt((up ? Row.DOWN : Row.UP) + Row.ACKED) == next;
    }

    private void acknowledgement(Row row, TcpSegment s, boolean up) {
        int side = up ? Row.UP : Row.DOWN;
        int other = up ? Row.DOWN : Row.UP;
        int otherKnown = up ? Row.KNOWN_DOWN : Row.KNOWN_UP;
        int otherFin = up ? Row.FIN_DOWN : Row.FIN_UP;
        if (!row.is(otherKnown)) {
            row.mark(otherKnown);
            row.setInt(other + Row.ISN, s.acknowledgement - 1);
            row.setInt(other + Row.NEXT, s.acknowledgement);
        }
        int before = row.intAt(side + Row.ACKED);
        if (before == 0 || Sequence.before(before, s.acknowledgement)) {
            row.setInt(side + Row.ACKED, s.acknowledgement);
        }
        int next = row.intAt(other + Row.NEXT);
        if (Sequence.before(next, s.acknowledgement) || !Gaps.none(row, other)) {
            int readFrom = tracker.readable(row, other, otherFin);
            unseen(row, s, tracker.acknowledged(row, other, s.acknowledgement));
            int readTo = tracker.readable(row, other, otherFin);
            if (readTo != readFrom) {
                // No byte of this hole was seen: the payload of this segment lies elsewhere.
                dialogue.data(row, !up, s, readFrom + 1, readFrom, readTo, false);
            }
        }
        if (up
                && row.is(Row.SAW_SYN_ACK)
                && !row.is(Row.SHOOK_HANDS)
                && !s.has(TcpSegment.SYN)
                && !Sequence.before(s.acknowledgement, row.intAt(Row.DOWN + Row.ISN) + 1)) {
            row.mark(Row.SHOOK_HANDS);
            row.setInt(Row.HANDSHAKE, (int) (s.micros - row.longAt(Row.START)));
        }
    }

    private void unseen(Row row, TcpSegment s, int gapsLost) {
        if (gapsLost > 0) {
            counts.unseen += gapsLost;
            listener.unseen(row.service(), s.micros, gapsLost);
        }
    }

    private void count(Row row, TcpSegment s, boolean up, int side, int fresh, boolean again, boolean late) {
        boolean zero = s.window == 0 && !s.has(TcpSegment.SYN | TcpSegment.FIN | TcpSegment.RST);
        row.add(side + Row.PACKETS, 1);
        row.addLong(side + Row.WIRE_BYTES, s.ipLength);
        if (s.payloadLength > 0) {
            row.addLong(side + Row.PAYLOAD_BYTES, s.payloadLength);
            row.addLong(side + Row.UNIQUE_BYTES, fresh);
        }
        if (again) {
            row.add(side + Row.RETRANSMISSIONS, 1);
        }
        if (late) {
            row.add(side + Row.OUT_OF_ORDER, 1);
        }
        if (zero) {
            row.add(side + Row.ZERO_WINDOWS, 1);
        }
        listener.packet(row.service(), s.micros, up, s.ipLength, s.payloadLength, fresh, again, late, zero);
    }
}
