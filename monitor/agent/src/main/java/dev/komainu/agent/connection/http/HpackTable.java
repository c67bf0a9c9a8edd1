package dev.komainu.agent.connection.http;

import dev.komainu.agent.connection.exchange.OpenExchanges;
import java.util.Arrays;

/**
 * The dynamic table of one side of an HTTP/2 connection (RFC 7541 2.3). Of most fields only the
 * lengths are kept, because they decide about eviction; of method, path and status also the value.
 *
 * <p>When a header block could not be read, all older entries are unknown, but later entries count
 * from the newest again: so the table is emptied and fills again.
 */
final class HpackTable {

    /** Kinds of fields. */
    static final int OTHER = 0;

    static final int METHOD = 1;
    static final int PATH = 2;
    static final int STATUS = 3;
    /** Retry-After, with any value. */
    static final int RETRY_AFTER = 4;

    /** Largest table followed; a peer's larger table is not (RFC 9113 6.5.2 sets no limit). */
    static final int MOST_BYTES = 65_536;

    private static final int DEFAULT_BYTES = 4_096;
    private static final int ENTRY_BYTES = 32;
    private static final int STATIC = 61;
    private static final int STATIC_RETRY_AFTER = 53;
    private static final byte[] NOTHING = new byte[0];

    /** Lengths of the names of the static table, Appendix A. */
    private static final String STATIC_NAMES =
            "10 7 7 5 5 7 7 7 7 7 7 7 7 7 14 15 15 13 6 27 3 5 13 13 19 16 16 14 16 "
                    + "13 12 6 4 4 6 7 4 4 8 17 13 8 19 13 4 8 12 18 19 5 7 7 11 6 10 25 17 10 4 3 16";

    private static final byte[] STATIC_NAME_LENGTHS = new byte[STATIC + 1];
    private static final byte[][] STATIC_VALUES = new byte[STATIC + 1][];

    static {
        String[] lengths = STATIC_NAMES.split(" ");
        for (int i = 1; i <= STATIC; i++) {
            STATIC_NAME_LENGTHS[i] = Byte.parseByte(lengths[i - 1]);
            STATIC_VALUES[i] = NOTHING;
        }
        String[] values = {
            "GET",
            "POST",
            "/",
            "/index.html",
            "",
            "",
            "200",
            "204",
            "206",
            "304",
            "400",
            "404",
            "500"
        };
        for (int i = 0; i < values.length; i++) {
            STATIC_VALUES[i + 2] = values[i].getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        }
    }

    // A ring, with the newest entry at newest.
    private byte[][] values = new byte[8][];
    private int[] nameLengths = new int[8];
    private int[] sizes = new int[8];
    private byte[] kinds = new byte[8];
    private int newest;
    private int count;
    private int bytes;
    private int limit = DEFAULT_BYTES;

    /**
     * Reports whether the entry is known. Indices as on the wire: 1 to 61, then from the newest
     * entry on.
     */
    boolean has(int index) {
        return index >= 1 && index <= STATIC + count;
    }

    int kind(int index) {
        if (index > STATIC) {
            return kinds[place(index)];
        }
        return index == STATIC_RETRY_AFTER
                ? RETRY_AFTER
                : index == 2 || index == 3
                        ? METHOD
                        : index == 4 || index == 5
                                ? PATH
                                : index >= 8 && index <= 14 ? STATUS : OTHER;
    }

    int nameLength(int index) {
        return index > STATIC ? nameLengths[place(index)] : STATIC_NAME_LENGTHS[index];
    }

    byte[] value(int index) {
        return index > STATIC ? values[place(index)] : STATIC_VALUES[index];
    }

    private int place(int index) {
        return newest - (index - STATIC - 1) & sizes.length - 1;
    }

    /** Changes the size; false when it is above {@link #MOST_BYTES}. */
    boolean resize(long to) {
        if (to > MOST_BYTES) {
            return false;
        }
        limit = (int) to;
        evict(0);
        return true;
    }

    void add(int kind, int nameLength, byte[] value, int valueLength) {
        long size = (long) nameLength + valueLength + ENTRY_BYTES;
        if (size > limit) {
            clear();
            return;
        }
        evict((int) size);
        if (count == sizes.length) {
            grow();
        }
        newest = newest + 1 & sizes.length - 1;
        kinds[newest] = (byte) kind;
        nameLengths[newest] = nameLength;
        sizes[newest] = (int) size;
        values[newest] = kind == OTHER || kind == RETRY_AFTER
                ? NOTHING
                : Arrays.copyOf(
                        value,
                        Math.min(
                                valueLength,
                                OpenExchanges.LONGEST_METHOD + OpenExchanges.LONGEST_TARGET));
        count++;
        bytes += (int) size;
    }

    void clear() {
        count = 0;
        bytes = 0;
    }

    private void evict(int needed) {
        while (count > 0 && bytes + needed > limit) {
            bytes -= sizes[newest - (count - 1) & sizes.length - 1];
            count--;
        }
    }

    private void grow() {
        int old = sizes.length;
        byte[][] newValues = new byte[old * 2][];
        int[] newNames = new int[old * 2];
        int[] newSizes = new int[old * 2];
        byte[] newKinds = new byte[old * 2];
        for (int i = 0; i < count; i++) {
            int from = newest - i & old - 1;
            newValues[count - 1 - i] = values[from];
            newNames[count - 1 - i] = nameLengths[from];
            newSizes[count - 1 - i] = sizes[from];
            newKinds[count - 1 - i] = kinds[from];
        }
        values = newValues;
        nameLengths = newNames;
        sizes = newSizes;
        kinds = newKinds;
        newest = count - 1;
    }
}
