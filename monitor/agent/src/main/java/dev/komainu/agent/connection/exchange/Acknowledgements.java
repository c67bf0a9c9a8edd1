package dev.komainu.agent.connection.exchange;

import dev.komainu.agent.connection.tcp.ConnectionListener;
import dev.komainu.agent.connection.tcp.Row;
import dev.komainu.agent.connection.tcp.Sequence;
import dev.komainu.agent.connection.tcp.Slab;

/**
 * The kernel's share of T_r: when the server's first acknowledgement of a request's last segment came, alone or with the
 * answer. No sample where that segment was sent again before, or where it was read only after its acknowledgement (Karn).
 *
 * <p>{@link Row#EXCHANGE_UNACKNOWLEDGED} is the first exchange of the connection's list that still waits; those after it
 * wait too, because requests are acknowledged in the order they were sent.
 * HTTP/2's requests interleave: those are linked here in any order, and each is looked at.
 */
public final class Acknowledgements {

    /** Requests one repeated segment is looked up in: enough for any that fits into a segment, and no more. */
    private static final int MOST_RESENT = 256;

    private final Exchanges exchanges;
    private final Slab slab;
    private final ConnectionListener listener;

    Acknowledgements(Exchanges exchanges, Slab slab, ConnectionListener listener) {
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
    void sent(Row row, int exchange, int end, boolean late) {
        int number = exchange - 1;
        if (late) {
            exchanges.mark(exchange, Exchanges.REQUEST_IN_DOUBT);
        }
        if (exchanges.is(exchange, Exchanges.COMPLETE)) {
            return;
        }
        int before = slab.intAt(number, Exchanges.REQUEST_END);
        if (exchanges.is(exchange, Exchanges.BEGUN)) {
            int grown = slab.ushortAt(number, Exchanges.GROWN) + Math.max(0, Sequence.distance(before, end));
            slab.setShort(number, Exchanges.GROWN, Math.min(grown, Exchanges.MOST_GROWN));
        } else {
            exchanges.mark(exchange, Exchanges.BEGUN);
        }
        slab.setInt(number, Exchanges.REQUEST_END, end);
        slab.setInt(number, Exchanges.ACKNOWLEDGED_AFTER, 0);
        int known = row.intAt(Row.DOWN + Row.ACKED);
        if (known != 0 && !Sequence.before(known, end)) {
            // Captured before the request itself: what comes now is a later acknowledgement.
            ended(row, exchange);
        } else if (exchanges.is(exchange, Exchanges.APART)) {
            if (!exchanges.is(exchange, Exchanges.WAITS)) {
                exchanges.mark(exchange, Exchanges.WAITS);
                slab.setInt(number, Exchanges.NEXT, row.intAt(Row.EXCHANGE_UNACKNOWLEDGED));
                row.setInt(Row.EXCHANGE_UNACKNOWLEDGED, exchange);
            }
        } else if (row.intAt(Row.EXCHANGE_UNACKNOWLEDGED) == Exchanges.NONE) {
            row.setInt(Row.EXCHANGE_UNACKNOWLEDGED, exchange);
        }
    }

    /** The server acknowledged everything before {@code sequence}. */
    public void acknowledged(Row row, int sequence, long micros) {
        int exchange = row.intAt(Row.EXCHANGE_UNACKNOWLEDGED);
        boolean beyond = Sequence.before(row.intAt(Row.UP + Row.NEXT), sequence);
        int before = Exchanges.NONE;
        while (exchange != Exchanges.NONE) {
            int next = slab.intAt(exchange - 1, Exchanges.NEXT);
            if (!Sequence.before(sequence, slab.intAt(exchange - 1, Exchanges.REQUEST_END))) {
                sample(row, exchange, micros, beyond);
                exchanges.unmark(exchange, Exchanges.WAITS);
                if (before == Exchanges.NONE) {
                    row.setInt(Row.EXCHANGE_UNACKNOWLEDGED, next);
                } else {
                    slab.setInt(before - 1, Exchanges.NEXT, next);
                }
            } else if (exchanges.is(exchange, Exchanges.APART)) {
                before = exchange;
            } else {
                return;
            }
            exchange = next;
        }
    }

    /** @param beyond the acknowledgement is of more than was seen */
    private void sample(Row row, int exchange, long micros, boolean beyond) {
        if (beyond && !exchanges.is(exchange, Exchanges.COMPLETE)) {
            // It went on in a segment nobody saw.
            exchanges.mark(exchange, Exchanges.REQUEST_IN_DOUBT);
        }
        long after = micros - slab.longAt(exchange - 1, Exchanges.REQUEST);
        if (!exchanges.is(exchange, Exchanges.REQUEST_IN_DOUBT) && after >= 0 && after < Integer.MAX_VALUE) {
            slab.setInt(exchange - 1, Exchanges.ACKNOWLEDGED_AFTER, (int) after + 1);
            if (exchanges.is(exchange, Exchanges.COMPLETE)) {
                listener.acknowledged(row.service(), micros, after);
            }
        }
    }

    /** The client sent [from, to) again: whose it is cannot be told from its acknowledgement. */
    public void resent(Row row, int from, int to) {
        int exchange = row.intAt(Row.EXCHANGE_UNACKNOWLEDGED);
        for (int i = 0; i < MOST_RESENT && exchange != Exchanges.NONE; i++) {
            int end = slab.intAt(exchange - 1, Exchanges.REQUEST_END);
            if (Sequence.before(from, end) && !exchanges.is(exchange, Exchanges.ANSWERED)) {
                exchanges.mark(exchange, Exchanges.REQUEST_IN_DOUBT);
            }
            if (!Sequence.before(end, to) && !exchanges.is(exchange, Exchanges.APART)) {
                return;
            }
            exchange = slab.intAt(exchange - 1, Exchanges.NEXT);
        }
    }

    /** The request is complete: its acknowledgement is that of its last segment. */
    void completed(Row row, int exchange, long micros) {
        long after = afterMicros(exchange);
        if (after != ConnectionListener.ABSENT) {
            listener.acknowledged(row.service(), micros, after);
        }
    }

    /** Nobody waits for this one's acknowledgement any more. */
    void ended(Row row, int exchange) {
        int next = slab.intAt(exchange - 1, Exchanges.NEXT);
        int at = row.intAt(Row.EXCHANGE_UNACKNOWLEDGED);
        if (at == exchange) {
            row.setInt(Row.EXCHANGE_UNACKNOWLEDGED, next);
        } else if (exchanges.is(exchange, Exchanges.WAITS)) {
            while (slab.intAt(at - 1, Exchanges.NEXT) != exchange) {
                at = slab.intAt(at - 1, Exchanges.NEXT);
            }
            slab.setInt(at - 1, Exchanges.NEXT, next);
        }
        exchanges.unmark(exchange, Exchanges.WAITS);
    }

    /** {@link ConnectionListener#ABSENT} where there is none. */
    long afterMicros(int exchange) {
        int after = slab.intAt(exchange - 1, Exchanges.ACKNOWLEDGED_AFTER);
        return after == 0 ? ConnectionListener.ABSENT : after - 1L;
    }
}
