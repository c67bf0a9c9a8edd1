package dev.komainu.agent.connection.http;

import dev.komainu.agent.connection.exchange.OpenExchanges;
import dev.komainu.agent.connection.tcp.ConnectionRow;

/**
 * Assignment of messages to exchanges: a request opens an exchange, responses follow in the same
 * order.
 */
final class HttpPairing {

    private final HttpMessage message;
    private final OpenExchanges exchanges;

    HttpPairing(HttpMessage message, OpenExchanges exchanges) {
        this.message = message;
        this.exchanges = exchanges;
    }

    /** Returns the exchange of the current message, or {@link OpenExchanges#NONE}. */
    int current(ConnectionRow row, boolean up) {
        return (message.marks & HttpMessage.HAS_EXCHANGE) == 0
                ? OpenExchanges.NONE
                : up ? OpenExchanges.newest(row) : OpenExchanges.oldest(row);
    }

    /** Begins a message. */
    void begin(ConnectionRow row, boolean up, long micros) {
        message.phase = HttpMessage.FIRST_WORD;
        message.marks = 0;
        message.matched = 0;
        message.number = 0;
        int exchange = up ? exchanges.begin(row, micros) : OpenExchanges.oldest(row);
        if (exchange != OpenExchanges.NONE) {
            message.marks |= HttpMessage.HAS_EXCHANGE;
            if (!up) {
                exchanges.addResponse(exchange, micros, micros);
            }
        }
    }

    /** Adds a part of the message. */
    void touch(ConnectionRow row, boolean up, long micros) {
        if (message.phase == HttpMessage.START || (message.marks & HttpMessage.HAS_EXCHANGE) == 0) {
            return;
        }
        int exchange = up ? OpenExchanges.newest(row) : OpenExchanges.oldest(row);
        if (exchange == OpenExchanges.NONE) {
            return;
        }
        if (up) {
            exchanges.addRequest(row, exchange, micros);
        } else {
            exchanges.addResponse(exchange, micros, micros);
        }
    }

    /** Adds a part of a response's body. */
    void more(int exchange, long micros) {
        exchanges.addBody(exchange, micros);
    }

    /** Marks the response as carrying Retry-After. */
    void retryAfter(ConnectionRow row) {
        int exchange = current(row, false);
        if (exchange != OpenExchanges.NONE) {
            exchanges.mark(exchange, OpenExchanges.RETRY_AFTER);
        }
    }

    /** Ends the message: the direction expects the next one. */
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
                // The response came before the request was complete: the rest of the request
                // belongs to no exchange.
                int upMarks = row.byteAt(ConnectionRow.UP + ConnectionRow.MARKS);
                row.setByte(
                        ConnectionRow.UP + ConnectionRow.MARKS,
                        upMarks & ~HttpMessage.HAS_EXCHANGE);
            }
            exchanges.end(row, micros);
        }
    }

    /** Handles the end of the server's stream: a response that runs to the close is over. */
    void ended(ConnectionRow row, long micros) {
        if (row.byteAt(ConnectionRow.DOWN + ConnectionRow.PHASE) == HttpMessage.TO_CLOSE) {
            row.setByte(ConnectionRow.DOWN + ConnectionRow.PHASE, HttpMessage.START);
            if ((row.byteAt(ConnectionRow.DOWN + ConnectionRow.MARKS) & HttpMessage.HAS_EXCHANGE)
                            != 0
                    && OpenExchanges.oldest(row) != OpenExchanges.NONE) {
                exchanges.end(row, micros);
            }
        }
    }
}
