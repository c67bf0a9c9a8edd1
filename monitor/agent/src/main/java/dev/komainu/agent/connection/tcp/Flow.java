package dev.komainu.agent.connection.tcp;

import dev.komainu.agent.packet.TcpSegment;

/**
 * What a packet changes in its connection's two directions: counters and sequence numbers; what it says goes to the
 * {@link StreamOrder}.
 */
public final class Flow {

    private final SequenceTracker tracker;
    private final StreamOrder order;
    private final StreamReader reader;
    private final ConnectionListener listener;

    public Flow(StreamOrder order, StreamReader reader, ConnectionListener listener) {
        this.tracker = order.tracker();
        this.order = order;
        this.reader = reader;
        this.listener = listener;
    }

    /**
     * Counts the packet, follows both directions' sequence numbers, and reads what is new.
     *
     * @param repeatedSyn the same SYN or SYN/ACK was seen before
     */
    public void packet(Row row, TcpSegment s, boolean up, boolean repeatedSyn) {
        int side = up ? Row.UP : Row.DOWN;
        boolean syn = s.has(TcpSegment.SYN);
        boolean rst = s.has(TcpSegment.RST);
        boolean fin = s.has(TcpSegment.FIN) && !rst;
        if (!rst) {
            known(row, side, up ? Row.KNOWN_UP : Row.KNOWN_DOWN, s.sequence);
            if (s.has(TcpSegment.ACK)) {
                acknowledgement(row, s, up);
            }
        } else if (s.has(TcpSegment.ACK)) {
            // A refusal captured before its SYN names the number of that SYN.
            known(row, up ? Row.DOWN : Row.UP, up ? Row.KNOWN_DOWN : Row.KNOWN_UP, s.acknowledgement);
        }
        int payload = rst ? 0 : s.payloadLength;
        int payloadFrom = s.sequence + (syn ? 1 : 0);
        int fresh = 0;
        boolean late = false;
        boolean wild = false;
        int added = 0;
        boolean probe = payload <= 1 && !syn && !fin && isProbe(row, s, up);
        if (syn) {
            added += tracker.advance(row, side, s.sequence, payloadFrom);
            if (added > 0) {
                order.begins(row, side, payloadFrom);
            }
        }
        int next = row.intAt(side + Row.NEXT);
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
        boolean again = added == 0 && !probe && !wild && (syn ? repeatedSyn || payload > 0 || fin : payload > 0 || fin);
        count(row, s, up, side, fresh, again, late);
        if (fresh > 0) {
            carried(row, s, up);
        }
        if (fin && !wild && !row.is(Row.CLOSED)) {
            row.mark(up ? Row.FIN_UP : Row.FIN_DOWN);
        }
        if (payload > 0 && !wild) {
            if (up && fresh < payload && !probe) {
                reader.resent(row, payloadFrom, payloadFrom + payload);
            }
            said(row, s, up, payloadFrom, next, late);
        }
    }

    /** @param next where the stream ended before this segment */
    private void said(Row row, TcpSegment s, boolean up, int payloadFrom, int next, boolean late) {
        if (!Disorder.none(row)) {
            order.data(row, s, up, payloadFrom, late);
            return;
        }
        int from = Sequence.before(payloadFrom, next) ? next : payloadFrom;
        int to = payloadFrom + s.payloadLength;
        if (Sequence.before(from, to)) {
            if (from != next) {
                order.hole(row, up, from - next, s.micros);
            }
            order.inOrder(row, s, up, payloadFrom, from, to);
        }
    }

    private void known(Row row, int side, int flag, int sequence) {
        if (!row.is(flag)) {
            row.mark(flag);
            row.setInt(side + Row.ISN, sequence - 1);
            row.setInt(side + Row.NEXT, sequence);
            order.begins(row, side, sequence);
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

    /**
     * Probes are no retransmissions. Of an idle connection (RFC 9293 3.8.4): nothing or one byte of garbage just before
     * the next number, when everything was acknowledged. Of a closed window (3.8.6.1): one byte that may come again and
     * again.
     */
    private static boolean isProbe(Row row, TcpSegment s, boolean up) {
        int next = row.intAt((up ? Row.UP : Row.DOWN) + Row.NEXT);
        return s.sequence == next - 1
                && (row.intAt((up ? Row.DOWN : Row.UP) + Row.ACKED) == next
                        || row.is(up ? Row.WINDOW_CLOSED_UP : Row.WINDOW_CLOSED_DOWN));
    }

    private void acknowledgement(Row row, TcpSegment s, boolean up) {
        int side = up ? Row.UP : Row.DOWN;
        int other = up ? Row.DOWN : Row.UP;
        known(row, other, up ? Row.KNOWN_DOWN : Row.KNOWN_UP, s.acknowledgement);
        int before = row.intAt(side + Row.ACKED);
        if (before == 0 || Sequence.before(before, s.acknowledgement)) {
            row.setInt(side + Row.ACKED, s.acknowledgement);
        }
        if (!up && row.intAt(Row.EXCHANGE_UNACKNOWLEDGED) != Row.NO_EXCHANGE) {
            reader.acknowledged(row, s.acknowledgement, s.micros);
        }
        int next = row.intAt(other + Row.NEXT);
        if (Sequence.before(next, s.acknowledgement)) {
            tracker.acknowledged(row, other, s.acknowledgement);
            int jumped = row.intAt(other + Row.NEXT) - next;
            if (jumped > 0 && Disorder.none(row)) {
                order.hole(row, !up, jumped, s.micros);
            }
        }
        if (!Disorder.none(row)) {
            order.acknowledged(row, other, s.micros);
        }
        if (up
                && row.is(Row.SAW_SYN_ACK)
                && !row.is(Row.SHOOK_HANDS)
                && !s.has(TcpSegment.SYN)
                && !Sequence.before(s.acknowledgement, row.intAt(Row.DOWN + Row.ISN) + 1)) {
            row.mark(Row.SHOOK_HANDS);
            row.setInt(Row.HANDSHAKE, (int) (s.micros - row.longAt(Row.START)));
            listener.shookHands(row.service(), s.micros, row.serverRttMicros(), row.clientRttMicros());
        }
    }

    private void count(Row row, TcpSegment s, boolean up, int side, int fresh, boolean again, boolean late) {
        boolean zero = s.window == 0 && !s.has(TcpSegment.SYN | TcpSegment.FIN | TcpSegment.RST);
        int closed = up ? Row.WINDOW_CLOSED_DOWN : Row.WINDOW_CLOSED_UP;
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
        if (zero != row.is(closed)) {
            if (zero) {
                row.mark(closed);
            } else {
                row.unmark(closed);
            }
        }
        listener.packet(row.service(), s.micros, up, s.ipLength, s.payloadLength, fresh, again, late, zero);
    }
}
