package dev.komainu.agent.connection.tcp;

/**
 * One connection's row, and a cursor over it: {@link #on} moves the cursor, the accessors read and
 * write in place.
 *
 * <pre>
 *    0 client address 16 | 16 server address 16 | 32 start 8 | 40 last packet 8
 *   48 SYN/ACK after start 4 | 52 handshake's ACK after start 4 | 56 first response data 8 | 64 end of transfer 8
 *   72 hash 4 | 76 client port 2 | 78 server port 2 | 80 service 4 | 84 flags 4
 *   88 list: before 4 | 92 after 4 | 96 listed at second 4 | 100 SYNs 2 | 102 time class 1 | 103 protocol 1
 *  104 exchange: first 4 | 108 last kept 4 | 112 last 4 | 116 oldest 4 | 120 kept 4 | 124 left out 4
 *  128 TLS: server name 4 | 132 done after start 4 | 136 protocol 2 | 138 marks 2
 *  140 up 68 | 208 down 68, each:
 *        0 next 4 | 4 acknowledged 4 | 8 up: reordering, down: unacknowledged 4 | 12 packets 4 | 16 retransmissions 4 | 20 out of order 4
 *       24 zero windows 4 | 28 wire bytes 8 | 36 payload 8 | 44 unique 8 | 52 ISN 4
 *       56 parser: phase 1, names 1, matched 1, marks 1 | 60 number 8
 *  276 bytes; with 8-byte index slots filled by 0.37 to 0.75 an open connection costs 287 to 298 bytes.
 * </pre>
 */
public final class ConnectionRow {

    static final int BYTES = 276;

    public static final int CLIENT = 0;
    public static final int SERVER = 16;
    public static final int START = 32;
    public static final int LAST = 40;
    public static final int SYN_ACK = 48;
    public static final int HANDSHAKE = 52;
    public static final int RESPONSE_START = 56;
    public static final int TRANSFER_END = 64;
    static final int HASH = 72;
    public static final int CLIENT_PORT = 76;
    public static final int SERVER_PORT = 78;
    public static final int SERVICE = 80;
    static final int FLAGS = 84;
    static final int BEFORE = 88;
    static final int AFTER = 92;
    static final int QUEUED_AT = 96;
    public static final int SYNS = 100;
    static final int TIME_CLASS = 102;
    public static final int PROTOCOL = 103;
    public static final int EXCHANGE_FIRST = 104;
    public static final int EXCHANGE_LAST_KEPT = 108;
    public static final int EXCHANGE_LAST = 112;
    public static final int EXCHANGE_OLDEST = 116;
    public static final int EXCHANGES_KEPT = 120;
    public static final int EXCHANGES_LEFT_OUT = 124;
    public static final int TLS_SNI = 128;
    public static final int TLS_DONE = 132;
    public static final int TLS_ALPN = 136;
    public static final int TLS_MARKS = 138;

    /** Offsets of the two directions. */
    public static final int UP = 140;

    public static final int DOWN = 208;

    /** Reordering state, a row of {@link ReorderingState}. */
    static final int REORDERING = UP + 8;

    /**
     * The first exchange whose request the server has not acknowledged; one list with the others.
     */
    public static final int EXCHANGE_UNACKNOWLEDGED = DOWN + 8;

    /** Value of an exchange reference that refers to no exchange. */
    public static final int NO_EXCHANGE = 0;

    /** Within a direction: highest sequence number seen plus one. */
    public static final int NEXT = 0;
    /** Highest acknowledgement that this direction carried. */
    public static final int ACKED = 4;

    public static final int PACKETS = 12;
    public static final int RETRANSMISSIONS = 16;
    public static final int OUT_OF_ORDER = 20;
    public static final int ZERO_WINDOWS = 24;
    public static final int WIRE_BYTES = 28;
    public static final int PAYLOAD_BYTES = 36;
    public static final int UNIQUE_BYTES = 44;
    public static final int ISN = 52;
    public static final int PHASE = 56;
    public static final int NAMES = 57;
    public static final int MATCHED = 58;
    public static final int MARKS = 59;
    public static final int NUMBER = 60;

    /** Flags. The first SYN was seen. */
    public static final int SAW_SYN = 1;

    public static final int SAW_SYN_ACK = 1 << 1;
    /** The client acknowledged the SYN/ACK. */
    public static final int HANDSHAKE_DONE = 1 << 2;
    /** The SYN/ACK responded to the only SYN: the server's RTT is unambiguous (Karn). */
    public static final int ONE_SYN = 1 << 3;
    /** The SYN/ACK was repeated before the client's ACK: the client's RTT is ambiguous. */
    public static final int SYN_ACK_REPEATED = 1 << 4;
    /** Sequence numbers of the direction are known. */
    public static final int KNOWN_UP = 1 << 5;

    public static final int KNOWN_DOWN = 1 << 6;
    public static final int FIN_UP = 1 << 7;
    public static final int FIN_DOWN = 1 << 8;
    public static final int FIN_UP_ACKED = 1 << 9;
    public static final int FIN_DOWN_ACKED = 1 << 10;
    public static final int RST_UP = 1 << 11;
    public static final int RST_DOWN = 1 << 12;
    /** Ended; the row lingers for late packets. */
    public static final int CLOSED = 1 << 13;
    /** Payload was seen in a direction, so the handshake must have succeeded. */
    public static final int CARRIED_DATA = 1 << 14;
    /** The stream of the direction can no longer be parsed to its end. */
    static final int STREAM_ENDED_UP = 1 << 15;

    public static final int STREAM_ENDED_DOWN = 1 << 16;
    /** Reading of exchanges was given up and may resume at the beginning of the next request. */
    public static final int MAY_RESUME = 1 << 17;
    /** The exchanges are over: later bytes are only counted. */
    public static final int EXCHANGES_OVER = 1 << 18;
    /** The receiver of the direction announced a closed window last. */
    static final int WINDOW_CLOSED_UP = 1 << 19;

    static final int WINDOW_CLOSED_DOWN = 1 << 20;
    /**
     * The connection's SYN has no response, and the client has not repeated it for long: no side
     * waits at the moment.
     */
    public static final int PAUSED = 1 << 21;
    /** A request is paused with the connection. */
    public static final int REQUEST_PAUSED = 1 << 22;

    /** The server ended the connection, by FIN or RST, before the client did. */
    public static final int SERVER_FIRST = 1 << 23;

    private final RowSlab slab;
    private int number = RowSlab.NONE;
    private int[] words = new int[BYTES / 4];
    private int base;

    ConnectionRow(RowSlab slab) {
        this.slab = slab;
    }

    void on(int row) {
        number = row;
        words = slab.chunk(row);
        base = slab.base(row);
    }

    int number() {
        return number;
    }

    /** Returns the words that contain the row, from {@link #base} on. */
    int[] words() {
        return words;
    }

    int base() {
        return base;
    }

    /** Returns the int at an offset in bytes. */
    public int intAt(int offset) {
        return words[base + (offset >> 2)];
    }

    public void setInt(int offset, int value) {
        words[base + (offset >> 2)] = value;
    }

    public void add(int offset, int value) {
        words[base + (offset >> 2)] += value;
    }

    /** Returns the long at an offset in bytes. */
    public long longAt(int offset) {
        return RowSlab.longAt(words, base + (offset >> 2));
    }

    public void setLong(int offset, long value) {
        RowSlab.setLong(words, base + (offset >> 2), value);
    }

    void addLong(int offset, long value) {
        setLong(offset, longAt(offset) + value);
    }

    /** Returns the signed byte at an offset in bytes. */
    public int byteAt(int offset) {
        return (byte) (intAt(offset) >> RowSlab.shift(offset));
    }

    public void setByte(int offset, int value) {
        setInt(offset, RowSlab.withByte(intAt(offset), offset, value));
    }

    /** Returns the unsigned short at an offset in bytes. */
    public int ushortAt(int offset) {
        return intAt(offset) >> RowSlab.shift(offset) & 0xffff;
    }

    public void setShort(int offset, int value) {
        setInt(offset, RowSlab.withShort(intAt(offset), offset, value));
    }

    public boolean is(int flag) {
        return (intAt(FLAGS) & flag) != 0;
    }

    public void mark(int flag) {
        setInt(FLAGS, intAt(FLAGS) | flag);
    }

    public void unmark(int flag) {
        setInt(FLAGS, intAt(FLAGS) & ~flag);
    }

    /**
     * Returns the time from the only SYN to the SYN/ACK in microseconds;
     * {@link ConnectionListener#ABSENT} where it is ambiguous (Karn) or was not captured.
     */
    public long serverRttMicros() {
        return is(SAW_SYN_ACK) && is(ONE_SYN) ? intAt(SYN_ACK) : ConnectionListener.ABSENT;
    }

    /**
     * Returns the time from the only SYN/ACK to its acknowledgement in microseconds;
     * {@link ConnectionListener#ABSENT} in the same cases.
     */
    public long clientRttMicros() {
        return is(HANDSHAKE_DONE) && !is(SYN_ACK_REPEATED)
                ? intAt(HANDSHAKE) - intAt(SYN_ACK)
                : ConnectionListener.ABSENT;
    }

    /** Sets the parsers of both directions to the beginning of a message. */
    public void resetParsers() {
        for (int side = UP; side <= DOWN; side += DOWN - UP) {
            setInt(side + PHASE, 0);
            setLong(side + NUMBER, 0);
        }
    }

    /**
     * Returns the connection's key: a hash of its addresses and ports, the same in every monitor
     * that sees the connection. It contains no secret, so that monitors need none in common: a key
     * can be found out by trying addresses.
     */
    public long key() {
        long h = mixed(longAt(CLIENT) + 0x9e3779b97f4a7c15L);
        h = mixed(h ^ longAt(CLIENT + 8));
        h = mixed(h ^ longAt(SERVER));
        h = mixed(h ^ longAt(SERVER + 8));
        return mixed(h ^ ((long) ushortAt(CLIENT_PORT) << 16 | ushortAt(SERVER_PORT)));
    }

    /** Mixes the bits as SplittableRandom does: each bit changes half of the others. */
    private static long mixed(long bits) {
        long h = (bits ^ bits >>> 30) * 0xbf58476d1ce4e5b9L;
        h = (h ^ h >>> 27) * 0x94d049bb133111ebL;
        return h ^ h >>> 31;
    }

    /**
     * Returns the connection's number as in {@link dev.komainu.agent.connection.ServiceNumbers}.
     */
    public int service() {
        return intAt(SERVICE);
    }
}
