package dev.komainu.agent.connection.tls;

import dev.komainu.agent.connection.exchange.DirectionChangeExchanges;
import dev.komainu.agent.connection.exchange.OpenExchanges;
import dev.komainu.agent.connection.tcp.ConnectionRow;

/**
 * Busy periods of HTTP/2 inside TLS. Its requests cannot be separated, so busy periods are used as
 * exchanges. They have no method and no target, and their connection's ALPN is {@code h2}, so that
 * they are not taken for requests.
 *
 * <p>A busy period begins with a record of the client that comes while the connection is idle and
 * is more than a control frame. T_r runs from the client's last such record before the server's
 * first data; T_d from that to the server's last data before the connection is idle again. It is
 * idle when the server has responded and has then sent nothing for longer than a pause for
 * acknowledgements: twice the round trip, at least 20 ms. Later records of the client before that
 * belong to the same busy period.
 *
 * <p>Left out by their length: each side's preface (RFC 9113 3.4) and records that carry only an
 * acknowledgement of SETTINGS (9 bytes), WINDOW_UPDATE or RST_STREAM (13), PING (17), or two of
 * these (22, 26). A request of exactly such a length is overlooked: that takes a header block of 4,
 * 8, 13 or 17 bytes, all of it indexed. The empty DATA frame (9 bytes) with which some servers end
 * a stream is overlooked, too: T_d then ends with the data. A record of the server with 30 bytes
 * before its first data is RST_STREAM and GOAWAY: the request gets no response.
 */
final class BusyPeriods {

    private static final int LEAST_QUIET_MICROS = 20_000;
    private static final int FRAME = 9;
    private static final int MOST_SETTINGS = 6 * 8;
    private static final int WINDOW_UPDATE = FRAME + 4;
    /** RST_STREAM and GOAWAY, with which a server refuses a request and leaves. */
    private static final int RESET_AND_GOAWAY = FRAME + 4 + FRAME + 8;

    /** "PRI * HTTP/2.0" and so on, SETTINGS, WINDOW_UPDATE. */
    private static final int LONGEST_CLIENT_PREFACE = 24 + FRAME + MOST_SETTINGS + WINDOW_UPDATE;

    private static final int LONGEST_SERVER_PREFACE = FRAME + MOST_SETTINGS + WINDOW_UPDATE + FRAME;

    private final OpenExchanges exchanges;
    private final DirectionChangeExchanges directionChanges;

    BusyPeriods(OpenExchanges exchanges, DirectionChangeExchanges directionChanges) {
        this.exchanges = exchanges;
        this.directionChanges = directionChanges;
    }

    /** Handles a record of the client; false when it is not part of a busy period. */
    boolean up(ConnectionRow row, int length, long micros) {
        int plain = length - TlsState.overhead(row);
        if (!TlsState.has(row, TlsState.CLIENT_PREFACE)) {
            TlsState.note(row, TlsState.CLIENT_PREFACE);
            if (plain <= LONGEST_CLIENT_PREFACE) {
                return false;
            }
        }
        if (isControl(plain)) {
            return false;
        }
        int exchange = OpenExchanges.oldest(row);
        if (exchange != OpenExchanges.NONE && exchanges.is(exchange, OpenExchanges.ANSWERED)) {
            if (micros - exchanges.lastByteMicros(exchange) <= quiet(row)) {
                return false;
            }
        }
        directionChanges.up(row, micros);
        return true;
    }

    /** Handles a record of the server; false when it is not part of a busy period. */
    boolean down(ConnectionRow row, int length, long micros) {
        int plain = length - TlsState.overhead(row);
        if (!TlsState.has(row, TlsState.SERVER_PREFACE)) {
            if (plain <= LONGEST_SERVER_PREFACE) {
                TlsState.note(row, TlsState.SERVER_PREFACE);
                return false;
            }
            if (TlsState.is13(row) && length <= TlsTickets.LONGEST) {
                // Only a ticket comes before the preface.
                return false;
            }
            TlsState.note(row, TlsState.SERVER_PREFACE);
        }
        int exchange = OpenExchanges.oldest(row);
        if (isControl(plain) || exchange == OpenExchanges.NONE) {
            return false;
        }
        if (plain == RESET_AND_GOAWAY && !exchanges.is(exchange, OpenExchanges.ANSWERED)) {
            // No response, unless data follows: then a window update came before a graceful GOAWAY.
            exchanges.mark(exchange, OpenExchanges.ABANDONED);
            return false;
        }
        directionChanges.down(row, micros, micros, 0);
        return true;
    }

    private static boolean isControl(int plain) {
        return switch (plain) {
            case FRAME, WINDOW_UPDATE, FRAME + 8, FRAME + WINDOW_UPDATE, 2 * WINDOW_UPDATE -> true;
            default -> plain < FRAME;
        };
    }

    private static long quiet(ConnectionRow row) {
        long there = Math.max(0, row.serverRttMicros()) + Math.max(0, row.clientRttMicros());
        return Math.max(LEAST_QUIET_MICROS, 2 * there);
    }
}
