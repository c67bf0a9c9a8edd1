package dev.komainu.agent.connection.tcp;

import dev.komainu.agent.packet.TcpSegment;

/**
 * Fast path of the packets that change only numbers: an acknowledgement or the next bytes in order
 * of an established connection without gaps. Four of five packets are of this kind. All others, and
 * all doubtful ones, go through {@link SegmentAccounting}, which defines the result; the fast path
 * must produce the same result.
 *
 * <p>One method on plain array words, so that the compiler need not inline one stage into the next.
 */
public final class FastPath {

    private static final int FLAGS_CHECKED =
            TcpSegment.FIN | TcpSegment.SYN | TcpSegment.RST | TcpSegment.ACK;

    private static final int ROW_REQUIRED = ConnectionRow.KNOWN_UP | ConnectionRow.KNOWN_DOWN;
    private static final int ROW_CHECKED = ROW_REQUIRED
            | ConnectionRow.FIN_UP
            | ConnectionRow.FIN_DOWN
            | ConnectionRow.RST_UP
            | ConnectionRow.RST_DOWN
            | ConnectionRow.CLOSED
            | ConnectionRow.STREAM_ENDED_UP
            | ConnectionRow.STREAM_ENDED_DOWN
            | ConnectionRow.WINDOW_CLOSED_UP
            | ConnectionRow.WINDOW_CLOSED_DOWN;

    private final StreamReassembly reassembly;
    private final StreamReader reader;
    private final ConnectionListener listener;
    private final ClientPath path;

    public FastPath(
            StreamReassembly reassembly,
            StreamReader reader,
            ConnectionListener listener,
            ClientPath path) {
        this.reassembly = reassembly;
        this.reader = reader;
        this.listener = listener;
        this.path = path;
    }

    /**
     * Handles the whole packet, except for queueing the row, and returns true; or changes nothing
     * and returns false.
     */
    public boolean handle(ConnectionRow row, TcpSegment s, boolean up) {
        int[] w = row.words();
        int at = row.base();
        int flags = w[at + (ConnectionRow.FLAGS >> 2)];
        int side = at + (up ? ConnectionRow.UP >> 2 : ConnectionRow.DOWN >> 2);
        int other = at + (up ? ConnectionRow.DOWN >> 2 : ConnectionRow.UP >> 2);
        int next = w[side + (ConnectionRow.NEXT >> 2)];
        int ack = s.acknowledgement;
        if ((s.flags & FLAGS_CHECKED) != TcpSegment.ACK
                || s.window == 0
                || (flags & ROW_CHECKED) != ROW_REQUIRED
                || (up
                        && (flags & (ConnectionRow.SAW_SYN_ACK | ConnectionRow.HANDSHAKE_DONE))
                                == ConnectionRow.SAW_SYN_ACK)
                || s.sequence != next
                || w[other + (ConnectionRow.NEXT >> 2)] - ack < 0
                || w[at + (ConnectionRow.REORDERING >> 2)] != 0
                || row.byteAt(ConnectionRow.TIME_CLASS)
                        != ConnectionTable.TimeClass.OPEN.ordinal()) {
            return false;
        }
        int acked = w[side + (ConnectionRow.ACKED >> 2)];
        if (acked == 0 || acked - ack < 0) {
            w[side + (ConnectionRow.ACKED >> 2)] = ack;
        }
        if (!up
                && w[at + (ConnectionRow.EXCHANGE_UNACKNOWLEDGED >> 2)]
                        != ConnectionRow.NO_EXCHANGE) {
            reader.acknowledged(row, ack, s.micros);
        }
        if (up) {
            path.acknowledged(row, ack, s.micros);
        }
        int payload = s.payloadLength;
        w[side + (ConnectionRow.PACKETS >> 2)]++;
        add(w, side + (ConnectionRow.WIRE_BYTES >> 2), s.ipLength);
        if (payload == 0) {
            listener.packet(
                    w[at + (ConnectionRow.SERVICE >> 2)],
                    s.micros,
                    up,
                    s.ipLength,
                    0,
                    0,
                    false,
                    false,
                    false);
            return true;
        }
        w[side + (ConnectionRow.NEXT >> 2)] = next + payload;
        w[at + (ConnectionRow.FLAGS >> 2)] = flags | ConnectionRow.CARRIED_DATA;
        add(w, side + (ConnectionRow.PAYLOAD_BYTES >> 2), payload);
        add(w, side + (ConnectionRow.UNIQUE_BYTES >> 2), payload);
        if (!up) {
            if (RowSlab.longAt(w, at + (ConnectionRow.RESPONSE_START >> 2)) == 0) {
                RowSlab.setLong(w, at + (ConnectionRow.RESPONSE_START >> 2), s.micros);
            }
            RowSlab.setLong(w, at + (ConnectionRow.TRANSFER_END >> 2), s.micros);
            path.sent(row, next + payload, s.micros);
        }
        listener.packet(
                w[at + (ConnectionRow.SERVICE >> 2)],
                s.micros,
                up,
                s.ipLength,
                payload,
                payload,
                false,
                false,
                false);
        reassembly.inOrder(row, s, up, next, next, next + payload);
        return true;
    }

    private static void add(int[] words, int at, int value) {
        int low = words[at] + value;
        words[at] = low;
        if (Integer.compareUnsigned(low, value) < 0) {
            words[at + 1]++;
        }
    }
}
