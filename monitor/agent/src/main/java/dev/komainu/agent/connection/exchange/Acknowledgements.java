package dev.komainu.agent.connection.exchange;

import dev.komainu.agent.connection.tcp.ConnectionListener;
import dev.komainu.agent.connection.tcp.ConnectionRow;
import dev.komainu.agent.connection.tcp.RowSlab;
import dev.komainu.agent.connection.tcp.SequenceNumbers;

/**
 * The kernel's share of T_r: when the server's first acknowledgement of a request's last segment
 * came, alone or with the answer. No sample where that segment was sent again before, or where it
 * was read only after its acknowledgement (Karn).
 *
 * <p>{@link ConnectionRow#EXCHANGE_UNACKNOWLEDGED} is the first exchange of the connection's list
 * that still waits; those after it wait too, because requests are acknowledged in the order they
 * were sent. HTTP/2's requests interleave: those are linked here in any order, and each is looked
 * at.
 */
public final class Acknowledgements {

    /**
     * Requests one repeated segment is looked up in: enough for any that fits into a segment, and
     * no more.
     */
    private static final int MOST_RESENT = 256;

    private final OpenExchanges exchanges;
    private final RowSlab slab;
    private final ConnectionListener listener;

    Acknowledgements(OpenExchanges exchanges, RowSlab slab, ConnectionListener listener) {
        this.exchanges = exchanges;
        this.slab = slab;
        this.listener = listener;
    }

    /**
     * A segment of a request was read.
     *
     * @param end sequence number after it
     * @param late later bytes of the stream had come before
     */
    void sent(ConnectionRow row, int exchange, int end, boolean late) {
        int number = exchange - 1;
        if (late) {
            exchanges.mark(exchange, OpenExchanges.REQUEST_IN_DOUBT);
        }
        if (exchanges.is(exchange, OpenExchanges.COMPLETE)) {
            return;
        }
        int before = slab.intAt(number, OpenExchanges.REQUEST_END);
        if (exchanges.is(exchange, OpenExchanges.BEGUN)) {
            int grown = slab.ushortAt(number, OpenExchanges.GROWN)
                    + Math.max(0, SequenceNumbers.distance(before, end));
            slab.setShort(number, OpenExchanges.GROWN, Math.min(grown, OpenExchanges.MOST_GROWN));
        } else {
            exchanges.mark(exchange, OpenExchanges.BEGUN);
        }
        slab.setInt(number, OpenExchanges.REQUEST_END, end);
        slab.setInt(number, OpenExchanges.ACKNOWLEDGED_AFTER, 0);
        int known = row.intAt(ConnectionRow.DOWN + ConnectionRow.ACKED);
        if (known != 0 && !SequenceNumbers.before(known, end)) {
            // Captured before the request itself: what comes now is a later acknowledgement.
            ended(row, exchange);
        } else if (exchanges.is(exchange, OpenExchanges.APART)) {
            if (!exchanges.is(exchange, OpenExchanges.WAITS)) {
                exchanges.mark(exchange, OpenExchanges.WAITS);
                slab.setInt(
                        number,
                        OpenExchanges.NEXT,
                        row.intAt(ConnectionRow.EXCHANGE_UNACKNOWLEDGED));
                row.setInt(ConnectionRow.EXCHANGE_UNACKNOWLEDGED, exchange);
            }
        } else if (row.intAt(ConnectionRow.EXCHANGE_UNACKNOWLEDGED) == OpenExchanges.NONE) {
            row.setInt(ConnectionRow.EXCHANGE_UNACKNOWLEDGED, exchange);
        }
    }

    /** The server acknowledged everything before {@code sequence}. */
    public void acknowledged(ConnectionRow row, int sequence, long micros) {
        int exchange = row.intAt(ConnectionRow.EXCHANGE_UNACKNOWLEDGED);
        boolean beyond =
                SequenceNumbers.before(row.intAt(ConnectionRow.UP + ConnectionRow.NEXT), sequence);
        int before = OpenExchanges.NONE;
        while (exchange != OpenExchanges.NONE) {
            int next = slab.intAt(exchange - 1, OpenExchanges.NEXT);
            if (!SequenceNumbers.before(
                    sequence, slab.intAt(exchange - 1, OpenExchanges.REQUEST_END))) {
                sample(row, exchange, micros, beyond);
                exchanges.unmark(exchange, OpenExchanges.WAITS);
                if (before == OpenExchanges.NONE) {
                    row.setInt(ConnectionRow.EXCHANGE_UNACKNOWLEDGED, next);
                } else {
                    slab.setInt(before - 1, OpenExchanges.NEXT, next);
                }
            } else if (exchanges.is(exchange, OpenExchanges.APART)) {
                before = exchange;
            } else {
                return;
            }
            exchange = next;
        }
    }

    /** @param beyond the acknowledgement is of more than was seen */
    private void sample(ConnectionRow row, int exchange, long micros, boolean beyond) {
        if (beyond && !exchanges.is(exchange, OpenExchanges.COMPLETE)) {
            // It went on in a segment nobody saw.
            exchanges.mark(exchange, OpenExchanges.REQUEST_IN_DOUBT);
        }
        long after = micros - slab.longAt(exchange - 1, OpenExchanges.REQUEST);
        if (!exchanges.is(exchange, OpenExchanges.REQUEST_IN_DOUBT)
                && after >= 0
                && after < Integer.MAX_VALUE) {
            slab.setInt(exchange - 1, OpenExchanges.ACKNOWLEDGED_AFTER, (int) after + 1);
            if (exchanges.is(exchange, OpenExchanges.COMPLETE)) {
                listener.acknowledged(row.service(), micros, after);
            }
        }
    }

    /** The client sent [from, to) again: whose it is cannot be told from its acknowledgement. */
    public void resent(ConnectionRow row, int from, int to) {
        int exchange = row.intAt(ConnectionRow.EXCHANGE_UNACKNOWLEDGED);
        for (int i = 0; i < MOST_RESENT && exchange != OpenExchanges.NONE; i++) {
            int end = slab.intAt(exchange - 1, OpenExchanges.REQUEST_END);
            if (SequenceNumbers.before(from, end)
                    && !exchanges.is(exchange, OpenExchanges.ANSWERED)) {
                exchanges.mark(exchange, OpenExchanges.REQUEST_IN_DOUBT);
            }
            if (!SequenceNumbers.before(end, to) && !exchanges.is(exchange, OpenExchanges.APART)) {
                return;
            }
            exchange = slab.intAt(exchange - 1, OpenExchanges.NEXT);
        }
    }

    /** The request is complete: its acknowledgement is that of its last segment. */
    void completed(ConnectionRow row, int exchange, long micros) {
        long after = afterMicros(exchange);
        if (after != ConnectionListener.ABSENT) {
            listener.acknowledged(row.service(), micros, after);
        }
    }

    /** Nobody waits for this one's acknowledgement any more. */
    void ended(ConnectionRow row, int exchange) {
        int next = slab.intAt(exchange - 1, OpenExchanges.NEXT);
        int at = row.intAt(ConnectionRow.EXCHANGE_UNACKNOWLEDGED);
        if (at == exchange) {
            row.setInt(ConnectionRow.EXCHANGE_UNACKNOWLEDGED, next);
        } else if (exchanges.is(exchange, OpenExchanges.WAITS)) {
            while (slab.intAt(at - 1, OpenExchanges.NEXT) != exchange) {
                at = slab.intAt(at - 1, OpenExchanges.NEXT);
            }
            slab.setInt(at - 1, OpenExchanges.NEXT, next);
        }
        exchanges.unmark(exchange, OpenExchanges.WAITS);
    }

    /** {@link ConnectionListener#ABSENT} where there is none. */
    long afterMicros(int exchange) {
        int after = slab.intAt(exchange - 1, OpenExchanges.ACKNOWLEDGED_AFTER);
        return after == 0 ? ConnectionListener.ABSENT : after - 1L;
    }
}
