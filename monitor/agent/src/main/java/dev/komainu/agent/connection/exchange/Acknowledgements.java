package dev.komainu.agent.connection.exchange;

import dev.komainu.agent.connection.tcp.ConnectionListener;
import dev.komainu.agent.connection.tcp.ConnectionRow;
import dev.komainu.agent.connection.tcp.RowSlab;
import dev.komainu.agent.connection.tcp.SequenceNumbers;

/**
 * The kernel's share of T_r: the time until the server's first acknowledgement of a request's last
 * segment, alone or with the response. There is no sample where that segment was sent again before,
 * or where it was read only after its acknowledgement (Karn).
 *
 * <p>{@link ConnectionRow#EXCHANGE_UNACKNOWLEDGED} is the first exchange of the connection's list
 * that still waits; those after it wait too, because requests are acknowledged in the order they
 * were sent. HTTP/2's requests interleave: they are linked here in any order, and each is checked.
 */
public final class Acknowledgements {

    /**
     * Largest number of requests searched for one repeated segment: enough for any that fit into a
     * segment.
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
     * Adds a segment of a request.
     *
     * @param end sequence number after the segment
     * @param late whether later bytes of the stream came before it
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
        if (exchanges.is(exchange, OpenExchanges.FIRST_END_KNOWN)) {
            int grown = slab.ushortAt(number, OpenExchanges.GROWN)
                    + Math.max(0, SequenceNumbers.distance(before, end));
            slab.setShort(number, OpenExchanges.GROWN, Math.min(grown, OpenExchanges.MOST_GROWN));
        } else {
            exchanges.mark(exchange, OpenExchanges.FIRST_END_KNOWN);
        }
        slab.setInt(number, OpenExchanges.REQUEST_END, end);
        slab.setInt(number, OpenExchanges.ACKNOWLEDGED_AFTER, 0);
        int known = row.intAt(ConnectionRow.DOWN + ConnectionRow.ACKED);
        if (known != 0 && !SequenceNumbers.before(known, end)) {
            // Captured before the request itself: the next acknowledgement is a later one.
            ended(row, exchange);
        } else if (exchanges.is(exchange, OpenExchanges.UNORDERED)) {
            if (!exchanges.is(exchange, OpenExchanges.AWAITS_ACKNOWLEDGEMENT)) {
                exchanges.mark(exchange, OpenExchanges.AWAITS_ACKNOWLEDGEMENT);
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

    /** Handles the server's acknowledgement of everything before {@code sequence}. */
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
                exchanges.unmark(exchange, OpenExchanges.AWAITS_ACKNOWLEDGEMENT);
                if (before == OpenExchanges.NONE) {
                    row.setInt(ConnectionRow.EXCHANGE_UNACKNOWLEDGED, next);
                } else {
                    slab.setInt(before - 1, OpenExchanges.NEXT, next);
                }
            } else if (exchanges.is(exchange, OpenExchanges.UNORDERED)) {
                before = exchange;
            } else {
                return;
            }
            exchange = next;
        }
    }

    /**
     * Stores one sample.
     *
     * @param beyond whether the acknowledgement covers more than was captured
     */
    private void sample(ConnectionRow row, int exchange, long micros, boolean beyond) {
        if (beyond && !exchanges.is(exchange, OpenExchanges.COMPLETE)) {
            // The request continued in a segment that was not captured.
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

    /**
     * Handles a repetition of the client's bytes [from, to): an acknowledgement of them is
     * ambiguous.
     */
    public void resent(ConnectionRow row, int from, int to) {
        int exchange = row.intAt(ConnectionRow.EXCHANGE_UNACKNOWLEDGED);
        for (int i = 0; i < MOST_RESENT && exchange != OpenExchanges.NONE; i++) {
            int end = slab.intAt(exchange - 1, OpenExchanges.REQUEST_END);
            if (SequenceNumbers.before(from, end)
                    && !exchanges.is(exchange, OpenExchanges.ANSWERED)) {
                exchanges.mark(exchange, OpenExchanges.REQUEST_IN_DOUBT);
            }
            if (!SequenceNumbers.before(end, to)
                    && !exchanges.is(exchange, OpenExchanges.UNORDERED)) {
                return;
            }
            exchange = slab.intAt(exchange - 1, OpenExchanges.NEXT);
        }
    }

    /** Handles a complete request: its acknowledgement is that of its last segment. */
    void completed(ConnectionRow row, int exchange, long micros) {
        long after = afterMicros(exchange);
        if (after != ConnectionListener.ABSENT) {
            listener.acknowledged(row.service(), micros, after);
        }
    }

    /** Stops waiting for the acknowledgement of this exchange. */
    void ended(ConnectionRow row, int exchange) {
        int next = slab.intAt(exchange - 1, OpenExchanges.NEXT);
        int at = row.intAt(ConnectionRow.EXCHANGE_UNACKNOWLEDGED);
        if (at == exchange) {
            row.setInt(ConnectionRow.EXCHANGE_UNACKNOWLEDGED, next);
        } else if (exchanges.is(exchange, OpenExchanges.AWAITS_ACKNOWLEDGEMENT)) {
            while (slab.intAt(at - 1, OpenExchanges.NEXT) != exchange) {
                at = slab.intAt(at - 1, OpenExchanges.NEXT);
            }
            slab.setInt(at - 1, OpenExchanges.NEXT, next);
        }
        exchanges.unmark(exchange, OpenExchanges.AWAITS_ACKNOWLEDGEMENT);
    }

    /**
     * Returns the time to the acknowledgement in microseconds; {@link ConnectionListener#ABSENT}
     * where there is none.
     */
    long afterMicros(int exchange) {
        int after = slab.intAt(exchange - 1, OpenExchanges.ACKNOWLEDGED_AFTER);
        return after == 0 ? ConnectionListener.ABSENT : after - 1L;
    }
}
