package dev.komainu.agent.connection.http;

import dev.komainu.agent.connection.tcp.ConnectionRow;

/**
 * Parser state of the current message in one direction: the position of the next byte in the
 * message, and the facts read so far. Stored in the connection's row between two pieces; one
 * instance is loaded for each piece, so nothing is allocated.
 */
final class HttpMessage {

    // Phases of the head.
    static final int START = 0;
    static final int FIRST_WORD = 1;
    static final int SECOND_WORD = 2;
    static final int SKIP_LINE = 3;
    static final int LINE = 4;
    static final int NAME = 5;
    static final int LENGTH_VALUE = 6;
    static final int CODING_VALUE = 7;
    // Phases of the body.
    static final int BODY = 8;
    static final int CHUNK_SIZE = 9;
    static final int CHUNK_EXTENSION = 10;
    static final int CHUNK_DATA = 11;
    static final int CHUNK_END = 12;
    static final int TRAILER = 13;
    static final int TRAILER_LINE = 14;
    static final int TO_CLOSE = 15;

    // Marks.
    static final int HAS_LENGTH = 1;
    static final int CHUNKED = 1 << 1;
    static final int HAS_EXCHANGE = 1 << 2;
    static final int INTERIM = 1 << 3;
    static final int NO_BODY = 1 << 4;
    static final int SWITCHING = 1 << 5;
    static final int SUCCESS = 1 << 6;
    /** The status is 503. */
    static final int UNAVAILABLE = 1 << 7;

    static final long LONGEST_BODY = Long.MAX_VALUE / 64;

    int phase;
    /** Header names that the line can still match; in a target: whether the query has begun. */
    int names;
    /** Number of matched characters of a word. */
    int matched;

    int marks;
    /**
     * The packed method, the status, or the bytes left of a body or chunk, depending on the phase.
     */
    long number;

    void load(ConnectionRow row, int side) {
        int word = row.intAt(side + ConnectionRow.PHASE);
        phase = (byte) word;
        names = (byte) (word >> 8);
        matched = word >> 16 & 0xff;
        marks = word >> 24;
        number = row.longAt(side + ConnectionRow.NUMBER);
    }

    void save(ConnectionRow row, int side) {
        row.setInt(
                side + ConnectionRow.PHASE,
                (phase & 0xff) | (names & 0xff) << 8 | (matched & 0xff) << 16 | marks << 24);
        row.setLong(side + ConnectionRow.NUMBER, number);
    }

    boolean is(int mark) {
        return (marks & mark) != 0;
    }
}
