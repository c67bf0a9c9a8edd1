package dev.komainu.agent.connection.tls;

import dev.komainu.agent.connection.tcp.ConnectionRow;
import org.jspecify.annotations.Nullable;

/**
 * State of a TLS connection, in its row.
 *
 * <pre>
 *  TLS_MARKS     0 hello read 2 | 2 cipher changed 2 | 4 finished 2 | 6 done | 7 tickets over | 8 in doubt
 *                9 client spoke | 10 seen | 11 done seen | 12 version 3
 *  up NUMBER     buffer of the ClientHello; once that is read:
 *                0 bytes a record adds 8 | 8 length of a Finished 8 | 16 protocols offered 16 | 32 further marks 32
 *  down NUMBER   buffer of the ServerHello; once that is read: length of a ticket, or of what may be one
 * </pre>
 */
final class TlsState {

    // The server's bits of the first three are shifted by one.
    static final int HELLO_READ = 1;
    static final int CIPHER_CHANGED = 1 << 2;
    static final int FINISHED = 1 << 4;
    /** Application data may come. */
    static final int DONE = 1 << 6;
    /** No ticket can come any more. */
    static final int TICKETS_OVER = 1 << 7;
    /** The first record of the response may have been a ticket. */
    static final int IN_DOUBT = 1 << 8;
    /** The client sent encrypted records that are not its Finished (a certificate). */
    static final int CLIENT_ENCRYPTED = 1 << 9;
    /** TLS was seen on this connection. */
    static final int SEEN = 1 << 10;
    /** The instant of DONE is known. */
    static final int DONE_SEEN = 1 << 11;

    // Further marks.
    /** The client sent data with its first flight (RFC 8446 2.3). */
    static final int EARLY_DATA = 1;
    /** A record of the length of the server's Finished was seen. */
    static final int SERVER_FINISHED = 1 << 1;
    /** A ticket was seen; its length is known. */
    static final int TICKET_SEEN = 1 << 2;
    /** The first encrypted record of the server was seen. */
    static final int EXTENSIONS_SEEN = 1 << 3;
    /** HTTP/2: what each side begins with was seen (RFC 9113 3.4). */
    static final int CLIENT_PREFACE = 1 << 4;

    static final int SERVER_PREFACE = 1 << 5;
    /** ALPN chose HTTP/2. */
    static final int HTTP_2 = 1 << 6;

    /** The ClientHello was read: a handshake was reported. */
    static final int REPORTED = 1 << 7;

    private static final int VERSION_SHIFT = 12;
    private static final int MINOR_1_3 = 4;

    private TlsState() {}

    static boolean is(ConnectionRow row, int mark) {
        return (row.ushortAt(ConnectionRow.TLS_MARKS) & mark) != 0;
    }

    static void mark(ConnectionRow row, int mark) {
        row.setShort(ConnectionRow.TLS_MARKS, row.ushortAt(ConnectionRow.TLS_MARKS) | mark);
    }

    static void unmark(ConnectionRow row, int mark) {
        row.setShort(ConnectionRow.TLS_MARKS, row.ushortAt(ConnectionRow.TLS_MARKS) & ~mark);
    }

    static int of(boolean up, int mark) {
        return up ? mark : mark << 1;
    }

    static boolean has(ConnectionRow row, int further) {
        return (row.intAt(ConnectionRow.UP + ConnectionRow.NUMBER + 4) & further) != 0
                && is(row, HELLO_READ);
    }

    static void note(ConnectionRow row, int further) {
        if (is(row, HELLO_READ)) {
            row.setInt(
                    ConnectionRow.UP + ConnectionRow.NUMBER + 4,
                    row.intAt(ConnectionRow.UP + ConnectionRow.NUMBER + 4) | further);
        }
    }

    /** Marks the handshake as done: the connection was picked up with application data. */
    static void pickedUp(ConnectionRow row) {
        mark(row, SEEN | HELLO_READ | HELLO_READ << 1 | DONE | TICKETS_OVER);
    }

    static boolean helloRead(ConnectionRow row, boolean up) {
        return is(row, of(up, HELLO_READ));
    }

    /** Marks the hello of a direction as read. Before that, NUMBER is the buffer's. */
    static void markHelloRead(ConnectionRow row, boolean up) {
        mark(row, of(up, HELLO_READ));
        row.setLong((up ? ConnectionRow.UP : ConnectionRow.DOWN) + ConnectionRow.NUMBER, 0);
    }

    /** Handles a HelloRetryRequest (RFC 8446 4.1.4): the server's own hello is still to come. */
    static void retry(ConnectionRow row) {
        unmark(row, of(false, HELLO_READ));
    }

    /**
     * Sets the version.
     *
     * @param wire 0x0301 to 0x0304; others are ignored
     */
    static void setVersion(ConnectionRow row, int wire) {
        if (wire > 0x0300 && wire <= 0x0304) {
            unmark(row, 7 << VERSION_SHIFT);
            mark(row, (wire & 7) << VERSION_SHIFT);
        }
    }

    static boolean is13(ConnectionRow row) {
        return minor(row) == MINOR_1_3;
    }

    /** Returns 1 to 4 for TLS 1.0 to 1.3; 0 when no ServerHello was read. */
    static int minor(ConnectionRow row) {
        return row.ushortAt(ConnectionRow.TLS_MARKS) >> VERSION_SHIFT & 7;
    }

    static @Nullable String version(ConnectionRow row) {
        int minor = minor(row);
        return minor == 0 ? null : "1." + (minor - 1);
    }

    static void setOffers(ConnectionRow row, int offers) {
        row.setShort(ConnectionRow.UP + ConnectionRow.NUMBER + 2, offers);
    }

    static int offers(ConnectionRow row) {
        return is(row, HELLO_READ) ? row.ushortAt(ConnectionRow.UP + ConnectionRow.NUMBER + 2) : 0;
    }

    /** Sets the overhead of a record and the length of the record of a Finished in TLS 1.3. */
    static void setCipher(ConnectionRow row, int suite) {
        if (is(row, HELLO_READ) && suite != 0) {
            row.setByte(
                    ConnectionRow.UP + ConnectionRow.NUMBER, TlsCipher.overhead(suite, is13(row)));
            row.setByte(
                    ConnectionRow.UP + ConnectionRow.NUMBER + 1, TlsCipher.finishedRecord(suite));
        }
    }

    static int overhead(ConnectionRow row) {
        int known = is(row, HELLO_READ) ? row.byteAt(ConnectionRow.UP + ConnectionRow.NUMBER) : 0;
        return known == 0 ? TlsCipher.USUAL_OVERHEAD : known;
    }

    static boolean isFinishedLength(ConnectionRow row, int length) {
        int known =
                is(row, HELLO_READ) ? row.byteAt(ConnectionRow.UP + ConnectionRow.NUMBER + 1) : 0;
        return known == 0 ? TlsCipher.mayBeFinished(length) : length == known;
    }

    /** Returns the length of a ticket; 0 where it is not known. */
    static int ticketLength(ConnectionRow row) {
        return helloRead(row, false)
                ? (int) row.longAt(ConnectionRow.DOWN + ConnectionRow.NUMBER)
                : 0;
    }

    static void setTicketLength(ConnectionRow row, int length) {
        // Without a ServerHello the field belongs to its buffer.
        if (helloRead(row, false)) {
            row.setLong(ConnectionRow.DOWN + ConnectionRow.NUMBER, length);
        }
    }

    static void done(ConnectionRow row, long micros) {
        mark(row, DONE | DONE_SEEN);
        row.setInt(ConnectionRow.TLS_DONE, (int) (micros - row.longAt(ConnectionRow.START)));
    }

    /**
     * Reports whether the handshake ended before it was done: the client left after the server's
     * first bytes, or the server did. A fatal alert needs no check of its own, because it closes
     * the connection (RFC 8446 6.2, RFC 5246 7.2.2). A client that rejects the certificate only
     * after its Finished looks like one that tests whether the server responds: that handshake is
     * done.
     */
    static boolean isFailed(ConnectionRow row) {
        if (!has(row, REPORTED) || is(row, DONE)) {
            return false;
        }
        return row.is(ConnectionRow.SERVER_FIRST)
                || (row.is(ConnectionRow.FIN_UP | ConnectionRow.RST_UP)
                        && row.longAt(ConnectionRow.DOWN + ConnectionRow.UNIQUE_BYTES) > 0);
    }
}
