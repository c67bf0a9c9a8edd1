package dev.komainu.agent.connection.tls;

import dev.komainu.agent.connection.exchange.DirectionChangeExchanges;
import dev.komainu.agent.connection.exchange.OpenExchanges;
import dev.komainu.agent.connection.tcp.ConnectionRow;
import dev.komainu.agent.connection.tcp.SequenceNumbers;
import dev.komainu.agent.connection.tcp.StreamPiece;

/**
 * Detector of a server's NewSessionTickets (RFC 8446 4.6.1). Tickets and responses are both records
 * of application data. Tickets come without a request for them, mostly after the first request, so
 * the first one would be taken for the first byte of the response.
 *
 * <pre>
 *  a record of the server that comes while ...            is a ticket
 *  no request is in progress                              yes
 *  the request's last segment is not acknowledged by it   yes: its sender had not got the request
 *  its length is that of a ticket seen before on this     yes
 *    connection, or learned from this server; a resumed
 *    handshake has a single ticket, of another length
 *  it is the first, and short                             in doubt until the next record: if that is equally long, both
 *                                                         are; if it comes later after the first than the first after the
 *                                                         request, the first was; else the first began the response
 * </pre>
 *
 * The last rule errs by less than half of T_r, and only where no rule above it applied. After the
 * first response began no ticket is expected.
 */
final class TlsTickets {

    /** Longest ticket; those with a client's certificate have this length. */
    static final int LONGEST = 4_096;

    /** A single record of the same length is a ticket after so many times in a row. */
    private static final int TIMES = 3;

    private static final int SERVERS = 1 << 10;
    private static final int SERVERS_MASK = SERVERS - 1;

    private final OpenExchanges exchanges;
    private final DirectionChangeExchanges directionChanges;
    /**
     * Length of the last certain ticket, by server; two servers may share an entry and replace each
     * other's length.
     */
    private final short[] learnedLengths = new short[SERVERS];

    /**
     * Length of the last single record that the last rule took for a ticket, by server, and how
     * many times in a row it was the same.
     */
    private final short[] singleLengths = new short[SERVERS];

    private final byte[] timesSingle = new byte[SERVERS];

    TlsTickets(OpenExchanges exchanges, DirectionChangeExchanges directionChanges) {
        this.exchanges = exchanges;
        this.directionChanges = directionChanges;
    }

    /**
     * Handles a record of the server, which has sent no response yet; reports whether its bytes
     * count as part of the response, for sure or provisionally.
     *
     * @param exchange the request in progress, or {@link OpenExchanges#NONE}
     */
    boolean record(ConnectionRow row, int exchange, int length, StreamPiece piece) {
        if (exchange == OpenExchanges.NONE) {
            ticket(row, length);
            return false;
        }
        if (TlsState.is(row, TlsState.IN_DOUBT)) {
            return second(row, exchange, length, piece);
        }
        if (length <= LONGEST
                && (isKnown(row, length)
                        || SequenceNumbers.before(
                                piece.acknowledges, exchanges.requestEnd(exchange)))) {
            ticket(row, length);
            return false;
        }
        if (length <= LONGEST && !TlsState.has(row, TlsState.TICKET_SEEN)) {
            TlsState.mark(row, TlsState.IN_DOUBT);
            TlsState.setTicketLength(row, length);
            exchanges.addResponse(exchange, piece.lastMicros, piece.lastMicros);
            return true;
        }
        answer(row, piece);
        return true;
    }

    private boolean isKnown(ConnectionRow row, int length) {
        if (TlsState.has(row, TlsState.TICKET_SEEN)) {
            return length == TlsState.ticketLength(row);
        }
        int place = place(row);
        int learned = Short.toUnsignedInt(learnedLengths[place]);
        // A server that was never seen to send a ticket may begin its responses with a short
        // record.
        return length == learned
                || (learned != 0
                        && timesSingle[place] >= TIMES
                        && length == Short.toUnsignedInt(singleLengths[place]));
    }

    private boolean second(ConnectionRow row, int exchange, int length, StreamPiece piece) {
        int first = TlsState.ticketLength(row);
        long begun = exchanges.firstByteMicros(exchange);
        if (TlsState.has(row, TlsState.EARLY_DATA)
                && length == Short.toUnsignedInt(learnedLengths[place(row)])) {
            // The response to early data comes before the client's Finished,
            // tickets come after it (RFC 8446 4.6.1).
            settle(row, begun);
            return false;
        }
        TlsState.unmark(row, TlsState.IN_DOUBT);
        boolean equal = length == first;
        if (equal
                || (piece.lastMicros - begun >= begun - exchanges.requestMicros(exchange)
                        && piece.lastMicros > begun)) {
            exchanges.interim(exchange);
            TlsState.note(row, TlsState.TICKET_SEEN);
            if (equal) {
                ticket(row, length);
                return false;
            }
            single(row, first);
        }
        answer(row, piece);
        return true;
    }

    /**
     * Handles more of the client's request: the doubtful record came in the middle of the request,
     * so it was a ticket.
     */
    void requestContinues(ConnectionRow row, int exchange) {
        if (TlsState.is(row, TlsState.IN_DOUBT)) {
            TlsState.unmark(row, TlsState.IN_DOUBT);
            exchanges.interim(exchange);
            ticket(row, TlsState.ticketLength(row));
        }
    }

    private void answer(ConnectionRow row, StreamPiece piece) {
        TlsState.mark(row, TlsState.TICKETS_OVER);
        directionChanges.down(row, piece.lastMicros, piece.lastMicros, 0);
    }

    /** Stores a certain ticket. */
    private void ticket(ConnectionRow row, int length) {
        TlsState.note(row, TlsState.TICKET_SEEN);
        TlsState.setTicketLength(row, length);
        if (length <= LONGEST) {
            learnedLengths[place(row)] = (short) length;
        }
    }

    /** Stores a single record that came long before the response. */
    private void single(ConnectionRow row, int length) {
        int place = place(row);
        boolean same = length == Short.toUnsignedInt(singleLengths[place]);
        timesSingle[place] = (byte) (same ? Math.min(TIMES, timesSingle[place] + 1) : 1);
        singleLengths[place] = (short) length;
    }

    private static int place(ConnectionRow row) {
        long address = row.longAt(ConnectionRow.SERVER) * 31 ^ row.longAt(ConnectionRow.SERVER + 8);
        long mixed = (address ^ (long) row.ushortAt(ConnectionRow.SERVER_PORT) << 40)
                * 0x9e3779b97f4a7c15L;
        return (int) (mixed >>> 40) & SERVERS_MASK;
    }

    /** Decides a doubtful record as the response: no later record can decide it. */
    void settle(ConnectionRow row, long micros) {
        if (!TlsState.is(row, TlsState.IN_DOUBT)) {
            return;
        }
        TlsState.unmark(row, TlsState.IN_DOUBT);
        TlsState.mark(row, TlsState.TICKETS_OVER);
        int exchange = OpenExchanges.oldest(row);
        if (exchange != OpenExchanges.NONE) {
            exchanges.answered(row, exchange, 0, micros);
        }
    }
}
