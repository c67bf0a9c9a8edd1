package dev.komainu.agent.connection.tcp;

import dev.komainu.agent.packet.TcpSegment;

/**
 * The short way of the packets that change nothing but numbers: an acknowledgement or the next
 * bytes in order of an established connection of which nothing is missing. That is four of five
 * packets. Everything else, and whatever is in doubt, goes the long way through
 * {@link SegmentAccounting}, which alone decides; here is only what would come out there.
 *
 * <p>One method on plain array words on purpose: the compiler then needs no stage inlined into the
 * next.
 */
public final class FastPath {

    private static final int FLAGS_LOOKED_AT =
            TcpSegment.FIN | TcpSegment.SYN | TcpSegment.RST | TcpSegment.ACK;

    private static final int ROW_NEEDS = ConnectionRow.KNOWN_UP | ConnectionRow.KNOWN_DOWN;
    private static final int ROW_LOOKED_AT = ROW_NEEDS
            | ConnectionRow.FIN_UP
            | ConnectionRow.FIN_DOWN
            | ConnectionRow.RST_UP
            | ConnectionRow.RST_DOWN
            | ConnectionRow.CLOSED
            | ConnectionRow.STREAM_ENDED_UP
            | ConnectionRow.STREAM_ENDED_DOWN
            | ConnectionRow.WINDOW_CLOSED_UP
            | ConnectionRow.WINDOW_CLOSED_DOWN;

    private final StreamReassembly order;
    private final StreamReader reader;
    private final ConnectionListener listener;

    public FastPath(StreamReassembly order, StreamReader reader, ConnectionListener listener) {
        this.order = order;
        this.reader = reader;
        this.listener = listener;
    }

    /**
     * Does all that the packet asks for, but for lining the row up, and returns true; or changes
     * nothing and returns false.
     */
    public boolean took(ConnectionRow row, TcpSegment s, boolean up) {
        int[] w = row.words();
        int at = row.base();
        int flags = w[at + (ConnectionRow.FLAGS >> 2)];
        int side = at + (up ? ConnectionRow.UP >> 2 : ConnectionRow.DOWN >> 2);
        int other = at + (up ? ConnectionRow.DOWN >> 2 : ConnectionRow.UP >> 2);
        int next = w[side + (ConnectionRow.NEXT >> 2)];
        int ack = s.acknowledgement;
        if ((s.flags & FLAGS_LOOKED_AT) != TcpSegment.ACK
                || s.window == 0
                || (flags & ROW_LOOKED_AT) != ROW_NEEDS
                || up
                        && (flags & (ConnectionRow.SAW_SYN_ACK | ConnectionRow.SHOOK_HANDS))
                                == ConnectionRow.SAW_SYN_ACK
                || s.sequence != next
                || w[other + (ConnectionRow.NEXT >> 2)] - ack < 0
                || w[at + (ConnectionRow.DISORDER >> 2)] != 0
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
        order.inOrder(row, s, up, next, next, next + payload);
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
