package dev.komainu.agent.connection.http;

import dev.komainu.agent.connection.exchange.Exchanges;
import dev.komainu.agent.connection.tcp.Row;

/** Which exchange the message now read belongs to: a request opens one, answers follow in the same order. */
final class HttpPairing {

    private final HttpMessage message;
    private final Exchanges exchanges;

    HttpPairing(HttpMessage message, Exchanges exchanges) {
        this.message = message;
        this.exchanges = exchanges;
    }

    /** The exchange of the message now read, or {@link Exchanges#NONE}. */
    int current(Row row, boolean up) {
        return (message.marks & HttpMessage.HAS_EXCHANGE) == 0
                ? Exchanges.NONE
                : up ? Exchanges.newest(row) : Exchanges.answering(row);
    }

    /** A message begins. */
    void begin(Row row, boolean up, long micros) {
        message.phase = HttpMessage.FIRST_WORD;
        message.marks = 0;
        message.matched = 0;
        message.number = 0;
        int exchange = up ? exchanges.begin(row, micros) : Exchanges.answering(row);
        if (exchange != Exchanges.NONE) {
            message.marks |= HttpMessage.HAS_EXCHANGE;
            if (!up) {
                exchanges.answerAt(exchange, micros, micros);
            }
        }
    }

    /** More of the message was seen. */
    void touch(Row row, boolean up, long micros) {
        if (message.phase == HttpMessage.START || (message.marks & HttpMessage.HAS_EXCHANGE) == 0) {
            return;
        }
        int exchange = up ? Exchanges.newest(row) : Exchanges.answering(row);
        if (exchange == Exchanges.NONE) {
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
    void retryAfter(Row row) {
        int exchange = current(row, false);
        if (exchange != Exchanges.NONE) {
            exchanges.mark(exchange, Exchanges.RETRY_AFTER);
        }
    }

    /** The message ends: the direction expects the next one. */
    void complete(Row row, boolean up, long micros) {
        int exchange = current(row, up);
        message.phase = HttpMessage.START;
        if (exchange == Exchanges.NONE) {
            return;
        }
        if (up) {
            exchanges.complete(row, exchange, micros);
        } else {
            if (exchange == Exchanges.newest(row) && !exchanges.is(exchange, Exchanges.COMPLETE)) {
                // Answered before the request was complete: what still comes of it belongs to no exchange.
                int upMarks = row.byteAt(Row.UP + Row.MARKS);
                row.setByte(Row.UP + Row.MARKS, upMarks & ~HttpMessage.HAS_EXCHANGE);
            }
            exchanges.end(row, micros);
        }
    }

    /** The stream of the server ended: an answer that runs to the close is over. */
    void ended(Row row, long micros) {
        if (row.byteAt(Row.DOWN + Row.PHASE) == HttpMessage.TO_CLOSE) {
            row.setByte(Row.DOWN + Row.PHASE, HttpMessage.START);
            if ((row.byteAt(Row.DOWN + Row.MARKS) & HttpMessage.HAS_EXCHANGE) != 0
                    && Exchanges.answering(row) != Exchanges.NONE) {
                exchanges.end(row, micros);
            }
        }
    }
}
