package dev.komainu.agent.connection;

import org.jspecify.annotations.Nullable;

/**
 * When a TLS handshake is done, and then requests and answers by the change of direction of application-data records.
 *
 * <p>In TLS 1.3 everything after the ServerHello travels as application data; what is what, lengths must tell: a client's
 * Finished has 53 or 69 bytes, a close_notify 19. A server's NewSessionTickets come unasked after the client's Finished
 * and would be taken for the first answer: servers send two of equal length, which answers do not begin with. So a short
 * first record stays in doubt until the next one differs. (López et al., TMA 2019: alternation is right for 98.8 %.)
 */
final class TlsExchanges {

    // Marks in Row.TLS_MARKS; the server's of the first three are shifted by one. Bits 12 to 14 hold the version.
    private static final int HELLO_READ = 1;
    private static final int CIPHER_CHANGED = 1 << 2;
    private static final int FINISHED = 1 << 4;
    /** Application data may come. */
    private static final int DONE = 1 << 6;
    /** No ticket can come any more. */
    private static final int TICKETS_OVER = 1 << 7;
    /** The first byte of the answer may have been a ticket's. */
    private static final int IN_DOUBT = 1 << 8;
    /** The client sent encrypted records that are not its Finished (a certificate). */
    private static final int CLIENT_SPOKE = 1 << 9;
    /** TLS was seen on this connection. */
    static final int SEEN = 1 << 10;
    /** The instant of DONE is known. */
    private static final int DONE_SEEN = 1 << 11;

    private static final int VERSION_SHIFT = 12;
    private static final int MINOR_1_3 = 4;
    private static final int FINISHED_SHA256 = 53;
    private static final int FINISHED_SHA384 = 69;
    private static final int CLOSE_NOTIFY = 19;
    private static final int LONGEST_TICKET = 600;

    private final Exchanges exchanges;
    private final Alternation alternation;

    TlsExchanges(Exchanges exchanges, Alternation alternation) {
        this.exchanges = exchanges;
        this.alternation = alternation;
    }

    private static boolean is(Row row, int mark) {
        return (row.ushortAt(Row.TLS_MARKS) & mark) != 0;
    }

    private static void mark(Row row, int mark) {
        row.setShort(Row.TLS_MARKS, row.ushortAt(Row.TLS_MARKS) | mark);
    }

    private static void unmark(Row row, int mark) {
        row.setShort(Row.TLS_MARKS, row.ushortAt(Row.TLS_MARKS) & ~mark);
    }

    private static int of(boolean up, int mark) {
        return up ? mark : mark << 1;
    }

    /** The connection was picked up with application data: its handshake is over. */
    static void pickedUp(Row row) {
        mark(row, SEEN | HELLO_READ | HELLO_READ << 1 | DONE | TICKETS_OVER);
    }

    static boolean helloRead(Row row, boolean up) {
        return is(row, of(up, HELLO_READ));
    }

    static void markHelloRead(Row row, boolean up) {
        mark(row, of(up, HELLO_READ));
    }

    /** @param wire 0x0301 to 0x0304; others are left out */
    static void setVersion(Row row, int wire) {
        if (wire > 0x0300 && wire <= 0x0304) {
            mark(row, (wire & 7) << VERSION_SHIFT);
        }
    }

    /** 1 to 4 for TLS 1.0 to 1.3; 0 when no ServerHello was read. */
    private static int minor(Row row) {
        return row.ushortAt(Row.TLS_MARKS) >> VERSION_SHIFT & 7;
    }

    static @Nullable String version(Row row) {
        int minor = minor(row);
        return minor == 0 ? null : "1." + (minor - 1);
    }

    static boolean sawDone(Row row) {
        return is(row, DONE_SEEN);
    }

    void cipherChanged(Row row, boolean up) {
        mark(row, of(up, CIPHER_CHANGED));
    }

    /** Up to TLS 1.2 the handshake record after a change of cipher is the Finished; both make the handshake done. */
    void handshakeRecord(Row row, boolean up, long micros) {
        if (minor(row) == MINOR_1_3 || is(row, DONE) || !is(row, of(up, CIPHER_CHANGED))) {
            return;
        }
        mark(row, of(up, FINISHED));
        if (is(row, FINISHED) && is(row, FINISHED << 1)) {
            done(row, micros);
        }
    }

    private static void done(Row row, long micros) {
        mark(row, DONE | DONE_SEEN);
        row.setInt(Row.TLS_DONE, (int) (micros - row.longAt(Row.START)));
    }

    /** An application-data record begins; false when it is no part of an exchange. */
    boolean record(Row row, boolean up, int length, long micros) {
        boolean three = minor(row) == MINOR_1_3;
        if (!is(row, DONE)) {
            return before(row, up, length, three, micros);
        }
        if (three && length == CLOSE_NOTIFY) {
            return false;
        }
        if (up) {
            settle(row, micros);
            alternation.up(row, micros);
            return true;
        }
        return down(row, length, three, micros);
    }

    private boolean before(Row row, boolean up, int length, boolean three, long micros) {
        if (!three) {
            // Neither side's Finished was seen, but data is there.
            mark(row, DONE | TICKETS_OVER);
            return record(row, up, length, micros);
        }
        if (up) {
            if (length == FINISHED_SHA256 || length == FINISHED_SHA384) {
                done(row, micros);
            } else {
                mark(row, CLIENT_SPOKE);
            }
        } else if (is(row, CLIENT_SPOKE)) {
            // The client's Finished shared a record with its certificate.
            done(row, micros);
        }
        return false;
    }

    private boolean down(Row row, int length, boolean three, long micros) {
        int exchange = Exchanges.answering(row);
        if (exchange == Exchanges.NONE) {
            // Unasked: the tickets came before the first request.
            mark(row, TICKETS_OVER);
            return false;
        }
        if (three && !is(row, TICKETS_OVER)) {
            if (is(row, IN_DOUBT)) {
                mark(row, TICKETS_OVER);
                if (length == row.longAt(Row.DOWN + Row.NUMBER)) {
                    unmark(row, IN_DOUBT);
                    exchanges.interim(exchange);
                    return false;
                }
                settle(row, micros);
            } else if (length <= LONGEST_TICKET) {
                mark(row, IN_DOUBT);
                row.setLong(Row.DOWN + Row.NUMBER, length);
                exchanges.answerAt(exchange, micros, micros);
                return true;
            } else {
                mark(row, TICKETS_OVER);
            }
        }
        alternation.down(row, micros, micros, 0);
        return true;
    }

    /** More bytes of an application-data record that is part of an exchange. */
    void more(Row row, boolean up, long micros) {
        int exchange = Exchanges.answering(row);
        if (exchange == Exchanges.NONE) {
            return;
        }
        if (up) {
            exchanges.requestAt(row, exchange, micros);
        } else if (is(row, IN_DOUBT) || exchanges.is(exchange, Exchanges.ANSWERED)) {
            exchanges.answerAt(exchange, micros, micros);
        }
    }

    /** What was in doubt is decided: it was the answer. */
    void settle(Row row, long micros) {
        int exchange = Exchanges.answering(row);
        if (is(row, IN_DOUBT) && exchange != Exchanges.NONE) {
            exchanges.answered(row, exchange, 0, micros);
        }
        if (is(row, IN_DOUBT)) {
            unmark(row, IN_DOUBT);
            mark(row, TICKETS_OVER);
        }
    }
}
