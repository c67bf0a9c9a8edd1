package dev.komainu.agent.connection.http;

import dev.komainu.agent.connection.exchange.OpenExchanges;
import dev.komainu.agent.connection.exchange.ReadResult;
import dev.komainu.agent.connection.tcp.ConnectionRow;

/**
 * Framing of a message body (RFC 9112 6.3): the body ends by its length, by its chunks, or with the
 * connection. Its bytes are only counted.
 */
final class HttpBody {

    private final HttpMessage message;
    private final HttpPairing pairing;
    private final OpenExchanges exchanges;

    HttpBody(HttpMessage message, HttpPairing pairing, OpenExchanges exchanges) {
        this.message = message;
        this.pairing = pairing;
        this.exchanges = exchanges;
    }

    /** Handles the end of the head: chooses the framing of the body. */
    ReadResult headEnd(ConnectionRow row, boolean up, long micros) {
        if (!up) {
            int exchange = pairing.current(row, false);
            if ((message.marks & HttpMessage.INTERIM) != 0) {
                if (exchange != OpenExchanges.NONE) {
                    exchanges.interim(exchange);
                }
                message.phase = HttpMessage.START;
                return ReadResult.READ;
            }
            boolean connect = exchange != OpenExchanges.NONE
                    && exchanges.is(exchange, OpenExchanges.IS_CONNECT);
            if ((message.marks & HttpMessage.SWITCHING) != 0
                    || (connect && (message.marks & HttpMessage.SUCCESS) != 0)) {
                pairing.complete(row, false, micros);
                return ReadResult.TUNNEL;
            }
            boolean head =
                    exchange != OpenExchanges.NONE && exchanges.is(exchange, OpenExchanges.IS_HEAD);
            if (head || (message.marks & HttpMessage.NO_BODY) != 0) {
                pairing.complete(row, false, micros);
                return ReadResult.READ;
            }
        }
        // Both present: the coding has priority (RFC 9112 6.3).
        if ((message.marks & HttpMessage.CHUNKED) != 0) {
            message.phase = HttpMessage.CHUNK_SIZE;
            message.number = 0;
            message.matched = 0;
        } else if ((message.marks & HttpMessage.HAS_LENGTH) != 0 || up) {
            if (message.number == 0 || (message.marks & HttpMessage.HAS_LENGTH) == 0) {
                pairing.complete(row, up, micros);
            } else {
                message.phase = HttpMessage.BODY;
            }
        } else {
            message.phase = HttpMessage.TO_CLOSE;
        }
        return ReadResult.READ;
    }

    /** Reports whether the next bytes are only counted, not read. */
    boolean counts() {
        return message.phase == HttpMessage.BODY || message.phase == HttpMessage.CHUNK_DATA;
    }

    /**
     * Counts bytes of the body.
     *
     * @param bytes at most the rest of the body or chunk
     */
    void count(ConnectionRow row, boolean up, long bytes, long micros) {
        message.number -= bytes;
        if (message.number == 0) {
            if (message.phase == HttpMessage.BODY) {
                pairing.complete(row, up, micros);
            } else {
                message.phase = HttpMessage.CHUNK_END;
            }
        }
    }

    ReadResult chunkSize(int b) {
        int digit = Character.digit(b, 16);
        if (digit >= 0) {
            if (message.number > HttpMessage.LONGEST_BODY / 16) {
                return ReadResult.LOST;
            }
            message.number = message.number * 16 + digit;
            message.matched = 1;
            return ReadResult.READ;
        }
        if (message.matched == 0) {
            return ReadResult.LOST;
        }
        if (b == '\n') {
            chunkBegins();
        } else {
            message.phase = HttpMessage.CHUNK_EXTENSION;
        }
        return ReadResult.READ;
    }

    void chunkExtension(int b) {
        if (b == '\n') {
            chunkBegins();
        }
    }

    private void chunkBegins() {
        message.phase = message.number == 0 ? HttpMessage.TRAILER : HttpMessage.CHUNK_DATA;
    }

    ReadResult chunkEnd(int b) {
        if (b == '\n') {
            message.phase = HttpMessage.CHUNK_SIZE;
            message.number = 0;
            message.matched = 0;
            return ReadResult.READ;
        }
        return b == '\r' ? ReadResult.READ : ReadResult.LOST;
    }

    void trailer(ConnectionRow row, boolean up, int b, long micros) {
        if (b == '\n') {
            pairing.complete(row, up, micros);
        } else if (b != '\r') {
            message.phase = HttpMessage.TRAILER_LINE;
        }
    }

    void trailerLine(int b) {
        if (b == '\n') {
            message.phase = HttpMessage.TRAILER;
        }
    }
}
