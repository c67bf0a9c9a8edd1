package dev.komainu.agent.connection.tcp;

import dev.komainu.agent.packet.TcpSegment;

/**
 * The short way of the packets that change nothing but numbers: an acknowledgement or the next bytes in order of an
 * established connection of which nothing is missing. That is four of five packets. Everything else, and whatever is in
 * doubt, goes the long way through {@link Flow}, which alone decides; here is only what would come out there.
 *
 * <p>One method on plain array words on purpose: the compiler then needs no stage inlined into the next.
 */
public final class PlainPackets {

    private static final int FLAGS_LOOKED_AT = TcpSegment.FIN | TcpSegment.SYN | TcpSegment.RST | TcpSegment.ACK;

    private static final int ROW_NEEDS = Row.KNOWN_UP | Row.KNOWN_DOWN;
    private static final int ROW_LOOKED_AT = ROW_NEEDS
            | Row.FIN_UP
            | Row.FIN_DOWN
            | Row.RST_UP
            | Row.RST_DOWN
            | Row.CLOSED
            | Row.STREAM_ENDED_UP
            | Row.STREAM_ENDED_DOWN
            | Row.WINDOW_CLOSED_UP
            | Row.WINDOW_CLOSED_DOWN;

    private final StreamOrder order;
    private final StreamReader reader;
    private final ConnectionListener listener;

    public PlainPackets(StreamOrder order, StreamReader reader, ConnectionListener listener) {
        this.order = order;
        this.reader = reader;
        this.listener = listener;
    }

    /**
     * Does all that the packet asks for, but for lining the row up, and returns true; or changes nothing and returns
     * false.
     */
    public boolean took(Row row, TcpSegment s, boolean up) {
        int[] w = row.words();
        int at = row.base();
        int flags = w[at + (Row.FLAGS >> 2)];
        int side = at + (up ? Row.UP >> 2 : Row.DOWN >> 2);
        int other = at + (up ? Row.DOWN >> 2 : Row.UP >> 2);
        int next = w[side + (Row.NEXT >> 2)];
        int ack = s.acknowledgement;
        if ((s.flags & FLAGS_LOOKED_AT) != TcpSegment.ACK
                || s.window == 0
                || (flags & ROW_LOOKED_AT) != ROW_NEEDS
                || up && (flags & (Row.SAW_SYN_ACK | Row.SHOOK_HANDS)) == Row.SAW_SYN_ACK
                || s.sequence != next
                || w[other + (Row.NEXT >> 2)] - ack < 0
                || w[at + (Row.DISORDER >> 2)] != 0
                || row.byteAt(Row.TIME_CLASS) != ConnectionTable.TimeClass.OPEN.ordinal()) {
            return false;
        }
        int acked = w[side + (Row.ACKED >> 2)];
        if (acked == 0 || acked - ack < 0) {
            w[side + (Row.ACKED >> 2)] = ack;
        }
        if (!up && w[at + (Row.EXCHANGE_UNACKNOWLEDGED >> 2)] != Row.NO_EXCHANGE) {
            reader.acknowledged(row, ack, s.micros);
        }
        int payload = s.payloadLength;
        w[side + (Row.PACKETS >> 2)]++;
        add(w, side + (Row.WIRE_BYTES >> 2), s.ipLength);
        if (payload == 0) {
            listener.packet(w[at + (Row.SERVICE >> 2)], s.micros, up, s.ipLength, 0, 0, false, false, false);
            return true;
        }
        w[side + (Row.NEXT >> 2)] = next + payload;
        w[at + (Row.FLAGS >> 2)] = flags | Row.CARRIED_DATA;
        add(w, side + (Row.PAYLOAD_BYTES >> 2), payload);
        add(w, side + (Row.UNIQUE_BYTES >> 2), payload);
        if (!up) {
            if (Slab.longAt(w, at + (Row.RESPONSE_START >> 2)) == 0) {
                Slab.setLong(w, at + (Row.RESPONSE_START >> 2), s.micros);
            }
            Slab.setLong(w, at + (Row.TRANSFER_END >> 2), s.micros);
        }
        listener.packet(w[at + (Row.SERVICE >> 2)], s.micros, up, s.ipLength, payload, payload, false, false, false);
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
