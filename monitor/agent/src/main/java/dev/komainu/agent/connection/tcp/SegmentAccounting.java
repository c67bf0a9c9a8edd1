package dev.komainu.agent.connection.tcp;

import dev.komainu.agent.packet.TcpSegment;

/**
 * Effects of a packet on the two directions of its connection: counters and sequence numbers.
 * Payload goes to the {@link StreamReassembly}.
 */
public final class SegmentAccounting {

    private final SequenceTracker tracker;
    private final StreamReassembly reassembly;
    private final StreamReader reader;
    private final ConnectionListener listener;
    private final ClientPath path;

    public SegmentAccounting(
            StreamReassembly reassembly,
            StreamReader reader,
            ConnectionListener listener,
            ClientPath path) {
        this.tracker = reassembly.tracker();
        this.reassembly = reassembly;
        this.reader = reader;
        this.listener = listener;
        this.path = path;
    }

    /**
     * Counts the packet, tracks both directions' sequence numbers, and reads the new bytes.
     *
     * @param repeatedSyn whether the same SYN or SYN/ACK was seen before
     */
    public void packet(ConnectionRow row, TcpSegment s, boolean up, boolean repeatedSyn) {
        int side = up ? ConnectionRow.UP : ConnectionRow.DOWN;
        boolean syn = s.has(TcpSegment.SYN);
        boolean rst = s.has(TcpSegment.RST);
        boolean fin = s.has(TcpSegment.FIN) && !rst;
        if (!rst) {
            known(row, side, up ? ConnectionRow.KNOWN_UP : ConnectionRow.KNOWN_DOWN, s.sequence);
            if (s.has(TcpSegment.ACK)) {
                acknowledgement(row, s, up);
            }
        } else if (s.has(TcpSegment.ACK)) {
            // A refusal captured before its SYN contains the number of that SYN.
            known(
                    row,
                    up ? ConnectionRow.DOWN : ConnectionRow.UP,
                    up ? ConnectionRow.KNOWN_DOWN : ConnectionRow.KNOWN_UP,
                    s.acknowledgement);
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
                reassembly.begins(row, side, payloadFrom);
            }
        }
        int next = row.intAt(side + ConnectionRow.NEXT);
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
        boolean again = added == 0
                && !probe
                && !wild
                && (syn ? repeatedSyn || payload > 0 || fin : payload > 0 || fin);
        if (!up && payload > 0 && !wild) {
            if (again) {
                path.repeated(row, s.micros);
            } else if (fresh > 0 && !late) {
                path.sent(row, payloadFrom + payload, s.micros);
            }
        }
        count(row, s, up, side, fresh, again, late);
        if (fresh > 0) {
            carried(row, s, up);
        }
        if (fin && !wild && !row.is(ConnectionRow.CLOSED)) {
            row.mark(up ? ConnectionRow.FIN_UP : ConnectionRow.FIN_DOWN);
        }
        if (payload > 0 && !wild) {
            if (up && fresh < payload && !probe) {
                reader.resent(row, payloadFrom, payloadFrom + payload);
            }
            said(row, s, up, payloadFrom, next, late);
        }
    }

    /**
     * Handles the payload of a segment.
     *
     * @param next end of the stream before this segment
     */
    private void said(
            ConnectionRow row, TcpSegment s, boolean up, int payloadFrom, int next, boolean late) {
        if (!ReorderingState.none(row)) {
            reassembly.data(row, s, up, payloadFrom, late);
            return;
        }
        int from = SequenceNumbers.before(payloadFrom, next) ? next : payloadFrom;
        int to = payloadFrom + s.payloadLength;
        if (SequenceNumbers.before(from, to)) {
            if (from != next) {
                reassembly.hole(row, up, from - next, s.micros);
            }
            reassembly.inOrder(row, s, up, payloadFrom, from, to);
        }
    }

    private void known(ConnectionRow row, int side, int flag, int sequence) {
        if (!row.is(flag)) {
            row.mark(flag);
            row.setInt(side + ConnectionRow.ISN, sequence - 1);
            row.setInt(side + ConnectionRow.NEXT, sequence);
            reassembly.begins(row, side, sequence);
        }
    }

    private void carried(ConnectionRow row, TcpSegment s, boolean up) {
        row.mark(ConnectionRow.CARRIED_DATA);
        if (!up) {
            if (row.longAt(ConnectionRow.RESPONSE_START) == 0) {
                row.setLong(ConnectionRow.RESPONSE_START, s.micros);
            }
            if (!row.is(ConnectionRow.FIN_DOWN_ACKED)) {
                row.setLong(ConnectionRow.TRANSFER_END, s.micros);
            }
        }
    }

    /**
     * Reports whether the segment is a probe; probes are no retransmissions. Of an idle connection
     * (RFC 9293 3.8.4): nothing or one byte of garbage just before the next number, when everything
     * was acknowledged. Of a closed window (3.8.6.1): one byte that may be repeated.
     */
    private static boolean isProbe(ConnectionRow row, TcpSegment s, boolean up) {
        int next = row.intAt((up ? ConnectionRow.UP : ConnectionRow.DOWN) + ConnectionRow.NEXT);
        return s.sequence == next - 1
                && (row.intAt((up ? ConnectionRow.DOWN : ConnectionRow.UP) + ConnectionRow.ACKED)
                                == next
                        || row.is(
                                up
                                        ? ConnectionRow.WINDOW_CLOSED_UP
                                        : ConnectionRow.WINDOW_CLOSED_DOWN));
    }

    private void acknowledgement(ConnectionRow row, TcpSegment s, boolean up) {
        int side = up ? ConnectionRow.UP : ConnectionRow.DOWN;
        int other = up ? ConnectionRow.DOWN : ConnectionRow.UP;
        known(
                row,
                other,
                up ? ConnectionRow.KNOWN_DOWN : ConnectionRow.KNOWN_UP,
                s.acknowledgement);
        int before = row.intAt(side + ConnectionRow.ACKED);
        if (before == 0 || SequenceNumbers.before(before, s.acknowledgement)) {
            row.setInt(side + ConnectionRow.ACKED, s.acknowledgement);
        }
        if (!up && row.intAt(ConnectionRow.EXCHANGE_UNACKNOWLEDGED) != ConnectionRow.NO_EXCHANGE) {
            reader.acknowledged(row, s.acknowledgement, s.micros);
        }
        if (up) {
            path.acknowledged(row, s.acknowledgement, s.micros);
        }
        int next = row.intAt(other + ConnectionRow.NEXT);
        if (SequenceNumbers.before(next, s.acknowledgement)) {
            tracker.acknowledged(row, other, s.acknowledgement);
            int jumped = row.intAt(other + ConnectionRow.NEXT) - next;
            if (jumped > 0 && ReorderingState.none(row)) {
                reassembly.hole(row, !up, jumped, s.micros);
            }
        }
        if (!ReorderingState.none(row)) {
            reassembly.acknowledged(row, other, s.micros);
        }
        if (up
                && row.is(ConnectionRow.SAW_SYN_ACK)
                && !row.is(ConnectionRow.HANDSHAKE_DONE)
                && !s.has(TcpSegment.SYN)
                && !SequenceNumbers.before(
                        s.acknowledgement, row.intAt(ConnectionRow.DOWN + ConnectionRow.ISN) + 1)) {
            row.mark(ConnectionRow.HANDSHAKE_DONE);
            row.setInt(ConnectionRow.HANDSHAKE, (int) (s.micros - row.longAt(ConnectionRow.START)));
            listener.handshakeCompleted(
                    row.service(), s.micros, row.serverRttMicros(), row.clientRttMicros());
        }
    }

    private void count(
            ConnectionRow row,
            TcpSegment s,
            boolean up,
            int side,
            int fresh,
            boolean again,
            boolean late) {
        boolean zero = s.window == 0 && !s.has(TcpSegment.SYN | TcpSegment.FIN | TcpSegment.RST);
        int closed = up ? ConnectionRow.WINDOW_CLOSED_DOWN : ConnectionRow.WINDOW_CLOSED_UP;
        row.add(side + ConnectionRow.PACKETS, 1);
        row.addLong(side + ConnectionRow.WIRE_BYTES, s.ipLength);
        if (s.payloadLength > 0) {
            row.addLong(side + ConnectionRow.PAYLOAD_BYTES, s.payloadLength);
            row.addLong(side + ConnectionRow.UNIQUE_BYTES, fresh);
        }
        if (again) {
            row.add(side + ConnectionRow.RETRANSMISSIONS, 1);
        }
        if (late) {
            row.add(side + ConnectionRow.OUT_OF_ORDER, 1);
        }
        if (zero) {
            row.add(side + ConnectionRow.ZERO_WINDOWS, 1);
        }
        if (zero != row.is(closed)) {
            if (zero) {
                row.mark(closed);
            } else {
                row.unmark(closed);
            }
        }
        listener.packet(
                row.service(), s.micros, up, s.ipLength, s.payloadLength, fresh, again, late, zero);
    }
}
