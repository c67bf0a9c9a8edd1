package dev.komainu.agent.connection.tls;

import dev.komainu.agent.connection.exchange.DirectionChangeExchanges;
import dev.komainu.agent.connection.exchange.OpenExchanges;
import dev.komainu.agent.connection.tcp.ConnectionRow;
import dev.komainu.agent.connection.tcp.StreamPiece;

/**
 * Exchanges inside TLS: the end of the handshake, and then requests and responses by the change of
 * direction of application-data records.
 *
 * <p>In TLS 1.3 every message after the ServerHello is sent as application data, and only lengths
 * separate the kinds (the cipher suite defines that of a Finished): a client's certificate, early
 * data and its end, Finished, tickets ({@link TlsTickets}), alerts, key updates. (López et al., TMA
 * 2019: alternation is right for 98.8 %.) HTTP/2 is left to {@link BusyPeriods}.
 *
 * <p>Limitation: authentication after the handshake (RFC 8446 4.6.2) looks like an exchange of its
 * own.
 */
final class TlsExchanges {

    private static final int ALERT = 2;
    private static final int END_OF_EARLY_DATA = 4;
    private static final int KEY_UPDATE = 5;

    private final OpenExchanges exchanges;
    private final DirectionChangeExchanges directionChanges;
    private final TlsTickets tickets;
    private final BusyPeriods busy;

    TlsExchanges(OpenExchanges exchanges, DirectionChangeExchanges directionChanges) {
        this.exchanges = exchanges;
        this.directionChanges = directionChanges;
        this.tickets = new TlsTickets(exchanges, directionChanges);
        this.busy = new BusyPeriods(exchanges, directionChanges);
    }

    void cipherChanged(ConnectionRow row, boolean up) {
        TlsState.mark(row, TlsState.of(up, TlsState.CIPHER_CHANGED));
    }

    /**
     * Handles a handshake record. Up to TLS 1.2 the handshake record after a change of cipher is
     * the Finished; the handshake is done when both sides have sent it.
     */
    void handshakeRecord(ConnectionRow row, boolean up, long micros) {
        if (TlsState.is13(row)
                || TlsState.is(row, TlsState.DONE)
                || !TlsState.is(row, TlsState.of(up, TlsState.CIPHER_CHANGED))) {
            return;
        }
        TlsState.mark(row, TlsState.of(up, TlsState.FINISHED));
        if (TlsState.is(row, TlsState.FINISHED) && TlsState.is(row, TlsState.FINISHED << 1)) {
            TlsState.done(row, micros);
        }
    }

    /**
     * Handles the beginning of an application-data record; false when it is not part of an
     * exchange.
     */
    boolean record(ConnectionRow row, boolean up, int length, StreamPiece piece) {
        if (!TlsState.is(row, TlsState.DONE)) {
            return up ? upBefore(row, length, piece) : downBefore(row, length, piece);
        }
        boolean three = TlsState.is13(row);
        int plain = length - TlsState.overhead(row);
        if (three && plain == ALERT) {
            return false;
        }
        int exchange = OpenExchanges.oldest(row);
        if (three
                && up
                && TlsState.is(row, TlsState.CLIENT_ENCRYPTED)
                && row.intAt(ConnectionRow.EXCHANGE_LAST) == OpenExchanges.NONE
                && TlsState.isFinishedLength(row, length)) {
            TlsState.done(row, piece.lastMicros);
            return false;
        }
        if (three && plain == KEY_UPDATE) {
            // Or the end of a body, but never the beginning of a message.
            boolean begun = exchange != OpenExchanges.NONE
                    && (up || exchanges.is(exchange, OpenExchanges.ANSWERED));
            if (!begun || up == exchanges.is(exchange, OpenExchanges.ANSWERED)) {
                return false;
            }
        }
        if (TlsState.has(row, TlsState.HTTP_2)) {
            return up
                    ? busy.up(row, length, piece.lastMicros)
                    : busy.down(row, length, piece.lastMicros);
        }
        if (up) {
            if (plain == TlsCipher.FULL_RECORD && exchange != OpenExchanges.NONE) {
                tickets.requestContinues(row, exchange);
            }
            tickets.settle(row, piece.lastMicros);
            directionChanges.up(row, piece.lastMicros);
            return true;
        }
        if (three && !TlsState.is(row, TlsState.TICKETS_OVER)) {
            return tickets.record(row, exchange, length, piece);
        }
        if (exchange == OpenExchanges.NONE) {
            return false;
        }
        directionChanges.down(row, piece.firstMicros, piece.lastMicros, 0);
        return true;
    }

    private boolean upBefore(ConnectionRow row, int length, StreamPiece piece) {
        if (!TlsState.helloRead(row, false)
                && row.longAt(ConnectionRow.DOWN + ConnectionRow.UNIQUE_BYTES) == 0) {
            TlsState.note(row, TlsState.EARLY_DATA);
        } else if (!TlsState.is13(row)) {
            if (TlsState.minor(row) == 0
                    && TlsState.is(row, TlsState.CIPHER_CHANGED)
                    && !TlsState.is(row, TlsState.FINISHED)) {
                // The ServerHello was not captured, but up to 1.2 a Finished would have come first.
                TlsState.setVersion(row, 0x0304);
                return upBefore(row, length, piece);
            }
            // A false start (RFC 7918), or the Finished was not seen.
            boolean finished = TlsState.is(row, TlsState.FINISHED);
            if (finished) {
                TlsState.done(row, piece.lastMicros);
            }
            TlsState.mark(row, TlsState.DONE | TlsState.TICKETS_OVER);
            return record(row, true, length, piece);
        } else if (TlsState.isFinishedLength(row, length)) {
            TlsState.done(row, piece.lastMicros);
            return false;
        }
        if (!TlsState.has(row, TlsState.EARLY_DATA)) {
            TlsState.mark(row, TlsState.CLIENT_ENCRYPTED);
            return false;
        }
        if (length - TlsState.overhead(row) == END_OF_EARLY_DATA
                && TlsState.helloRead(row, false)) {
            return false;
        }
        directionChanges.up(row, piece.lastMicros);
        return true;
    }

    private boolean downBefore(ConnectionRow row, int length, StreamPiece piece) {
        if (!TlsState.is13(row)) {
            TlsState.mark(row, TlsState.DONE | TlsState.TICKETS_OVER);
            return record(row, false, length, piece);
        }
        if (length - TlsState.overhead(row) == ALERT) {
            return false;
        }
        if (TlsState.has(row, TlsState.SERVER_FINISHED)) {
            // Before the client's Finished: tickets, a preface, or the response to early data.
            TlsState.note(row, TlsState.SERVER_PREFACE);
            int exchange = OpenExchanges.oldest(row);
            return exchange != OpenExchanges.NONE && tickets.record(row, exchange, length, piece);
        }
        if (TlsState.isFinishedLength(row, length)) {
            TlsState.note(row, TlsState.SERVER_FINISHED);
        } else if (TlsState.is(row, TlsState.CLIENT_ENCRYPTED)) {
            // The client's Finished shared a record with its certificate.
            TlsState.done(row, piece.lastMicros);
        }
        return false;
    }

    /**
     * Handles the loss of the record boundaries: the bytes cut may have contained the client's
     * Finished, behind a certificate.
     */
    void cut(ConnectionRow row, boolean up, long micros) {
        if (up
                && TlsState.is13(row)
                && !TlsState.is(row, TlsState.DONE)
                && TlsState.is(row, TlsState.CIPHER_CHANGED)) {
            TlsState.done(row, micros);
        }
    }

    /** Adds bytes of an application-data record that is part of an exchange. */
    void more(ConnectionRow row, boolean up, StreamPiece piece) {
        int exchange = OpenExchanges.oldest(row);
        if (exchange == OpenExchanges.NONE) {
            return;
        }
        if (up) {
            exchanges.addRequest(row, exchange, piece.lastMicros);
        } else if (TlsState.is(row, TlsState.IN_DOUBT)
                || exchanges.is(exchange, OpenExchanges.ANSWERED)) {
            exchanges.addResponse(exchange, piece.firstMicros, piece.lastMicros);
        }
    }

    /** Decides a doubtful record: it was the response. */
    void settle(ConnectionRow row, long micros) {
        tickets.settle(row, micros);
    }
}
