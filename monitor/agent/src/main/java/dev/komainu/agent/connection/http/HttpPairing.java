package dev.komainu.agent.connection.http;

import dev.komainu.agent.connection.exchange.OpenExchanges;
import dev.komainu.agent.connection.tcp.ConnectionRow;

/**
 * Which exchange the message now read belongs to: a request opens one, answers follow in the same
 * order.
 */
final class HttpPairing {

    private final HttpMessage message;
    private final OpenExchanges exchanges;

    HttpPairing(HttpMessage message, OpenExchanges exchanges) {
        this.message = message;
        this.exchanges = exchanges;
    }

    /** The exchange of the message now read, or {@link OpenExchanges#NONE}. */
    int current(ConnectionRow row, boolean up) {
        return (message.marks & HttpMessage.HAS_EXCHANGE) == 0
                ? OpenExchanges.NONE
                : up ? OpenExchanges.newest(row) : OpenExchanges.answering(row);
    }

    /** A message begins. */
    void begin(ConnectionRow row, boolean up, long micros) {
        message.phase = HttpMessage.FIRST_WORD;
        message.marks = 0;
        message.matched = 0;
        message.number = 0;
        int exchange = up ? exchanges.begin(row, micros) : OpenExchanges.answering(row);
        if (exchange != OpenExchanges.NONE) {
            message.marks |= HttpMessage.HAS_EXCHANGE;
            if (!up) {
                exchanges.answerAt(exchange, micros, micros);
            }
        }
    }

    /** More of the message was seen. */
    void touch(ConnectionRow row, boolean up, long micros) {
        if (message.phase == HttpMessage.START || (message.marks & HttpMessage.HAS_EXCHANGE) == 0) {
            return;
        }
        int exchange = up ? OpenExchanges.newest(row) : OpenExchanges.answering(row);
        if (exchange == OpenExchanges.NONE) {
            return;
        }
        if (up) {
            exchanges.requestAt(row, exchange, micros);
        } else {
            exchanges.answerAt(exchange, micros, micros);
        }
    }

    /** More of an answer's body was seen. */
    void more(int exchange, long micros) {
        exchanges.moreAt(exchange, micros);
    }

    /** The answer says when to come back. */
    void retryAfter(ConnectionRow row) {
        int exchange = current(row, false);
        if (exchange != OpenExchanges.NONE) {
            exchanges.mark(exchange, OpenExchanges.RETRY_AFTER);
        }
    }

    /** The message ends: the direction expects the next one. */
    void complete(ConnectionRow row, boolean up, long micros) {
        int exchange = current(row, up);
        message.phase = HttpMessage.START;
        if (exchange == OpenExchanges.NONE) {
            return;
        }
        if (up) {
            exchanges.complete(row, exchange, micros);
        } else {
            if (exchange == OpenExchanges.newest(row)
                    && !exchanges.is(exchange, OpenExchanges.COMPLETE)) {
                // Answered before the request was complete: what still comes of it belongs to no
                // exchange.
                int upMarks = row.byteAt(ConnectionRow.UP + ConnectionRow.MARKS);
                row.setByte(
                        ConnectionRow.UP + ConnectionRow.MARKS,
                        upMarks & ~HttpMessage.HAS_EXCHANGE);
            }
            exchanges.end(row, micros);
        }
    }

    /** The stream of the server ended: an answer that runs to the close is over. */
    void ended(ConnectionRow row, long micros) {
        if (row.byteAt(ConnectionRow.DOWN + ConnectionRow.PHASE) == HttpMessage.TO_CLOSE) {
            row.setByte(ConnectionRow.DOWN + ConnectionRow.PHASE, HttpMessage.START);
            if ((row.byteAt(ConnectionRow.DOWN + ConnectionRow.MARKS) & HttpMessage.HAS_EXCHANGE)
                            != 0
                    && OpenExchanges.answering(row) != OpenExchanges.NONE) {
                exchanges.end(row, micros);
            }
        }
    }
}
