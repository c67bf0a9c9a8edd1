package dev.komainu.agent.connection.http;

import dev.komainu.agent.connection.exchange.OpenExchanges;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reader of a header block (RFC 7541 6) for its method, path and status; all other fields only
 * update the table. One instance serves all connections: its values are valid until the next block.
 */
final class HpackBlock {

    private static final int LONGEST_STRING = 65_536;
    private static final byte[] METHOD_NAME = ":method".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] PATH_NAME = ":path".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] STATUS_NAME = ":status".getBytes(StandardCharsets.US_ASCII);

    private static final byte[] RETRY_AFTER_NAME =
            "retry-after".getBytes(StandardCharsets.US_ASCII);

    private final byte[] text = new byte[LONGEST_STRING];
    private int textLength;
    private byte[] block = new byte[0];
    private int at;
    private int end;
    private boolean broken;

    final byte[] method = new byte[OpenExchanges.LONGEST_METHOD];
    /** Length of the method; -1 where none was found. */
    int methodLength;
    /** Path without its query. */
    final byte[] path = new byte[OpenExchanges.LONGEST_TARGET + 1];

    int pathLength;
    /** Status; 0 where none was found. */
    int status;

    boolean hasRetryAfter;

    /**
     * Reads a whole block; false when the block is broken or refers to unknown entries: then the
     * table was emptied.
     */
    boolean read(byte[] bytes, int from, int length, HpackTable table) {
        block = bytes;
        at = from;
        end = from + length;
        broken = false;
        methodLength = -1;
        pathLength = -1;
        status = 0;
        hasRetryAfter = false;
        boolean missing = false;
        while (at < end && !broken) {
            missing |= !field(table);
        }
        if (broken) {
            table.clear();
        }
        return !broken && !missing;
    }

    private boolean field(HpackTable table) {
        int b = block[at] & 0xff;
        if (b >= 0x80) {
            long index = number(7);
            if (broken || index == 0 || index > Integer.MAX_VALUE) {
                broken = true;
                return false;
            }
            if (!table.has((int) index)) {
                return false;
            }
            byte[] value = table.value((int) index);
            take(table.kind((int) index), value, value.length);
            return true;
        }
        if (b >= 0x20 && b < 0x40) {
            broken |= !table.resize(number(5));
            return true;
        }
        boolean remember = b >= 0x40;
        long index = number(remember ? 6 : 4);
        boolean known = index <= Integer.MAX_VALUE && (index == 0 || table.has((int) index));
        int kind = HpackTable.OTHER;
        int nameLength = 0;
        if (index == 0) {
            string();
            nameLength = textLength;
            kind = nameKind();
        } else if (known) {
            nameLength = table.nameLength((int) index);
            kind = table.kind((int) index);
        }
        string();
        if (broken) {
            return false;
        }
        take(kind, text, textLength);
        if (remember) {
            // The length of an unknown name is unknown too: entries are
            // then kept a little too long.
            table.add(kind, nameLength, text, textLength);
        }
        return known;
    }

    private void take(int kind, byte[] value, int length) {
        switch (kind) {
            case HpackTable.METHOD -> {
                methodLength = -1;
                if (length <= method.length && isWord(value, length)) {
                    methodLength = length;
                    System.arraycopy(value, 0, method, 0, length);
                }
            }
            case HpackTable.PATH -> {
                int kept = 0;
                while (kept < length
                        && value[kept] != '?'
                        && value[kept] != '#'
                        && kept < path.length) {
                    path[kept] =
                            value[kept] > ' ' && value[kept] != 0x7f ? value[kept] : (byte) '.';
                    kept++;
                }
                pathLength = kept;
            }
            case HpackTable.RETRY_AFTER -> hasRetryAfter = true;
            case HpackTable.STATUS -> status = status(value, length);
            default -> {}
        }
    }

    private static boolean isWord(byte[] value, int length) {
        for (int i = 0; i < length; i++) {
            if (value[i] <= ' ' || value[i] == 0x7f) {
                return false;
            }
        }
        return true;
    }

    private static int status(byte[] value, int length) {
        if (length != 3) {
            return 0;
        }
        int status = 0;
        for (int i = 0; i < 3; i++) {
            int digit = value[i] - '0';
            if (digit < 0 || digit > 9) {
                return 0;
            }
            status = status * 10 + digit;
        }
        return status >= 100 && status < 600 ? status : 0;
    }

    private int nameKind() {
        return is(METHOD_NAME)
                ? HpackTable.METHOD
                : is(PATH_NAME)
                        ? HpackTable.PATH
                        : is(STATUS_NAME)
                                ? HpackTable.STATUS
                                : is(RETRY_AFTER_NAME) ? HpackTable.RETRY_AFTER : HpackTable.OTHER;
    }

    private boolean is(byte[] name) {
        return textLength == name.length
                && Arrays.equals(text, 0, textLength, name, 0, name.length);
    }

    /** Reads an integer with a prefix (5.1). */
    private long number(int prefix) {
        int mask = (1 << prefix) - 1;
        long value = block[at++] & mask;
        if (value < mask) {
            return value;
        }
        for (int shift = 0; shift <= 28; shift += 7) {
            if (at >= end) {
                broken = true;
                return 0;
            }
            int b = block[at++];
            value += (long) (b & 0x7f) << shift;
            if (b >= 0) {
                return value;
            }
        }
        broken = true;
        return 0;
    }

    /** Reads a string literal (5.2) into {@link #text}. */
    private void string() {
        textLength = 0;
        if (broken || at >= end) {
            broken = true;
            return;
        }
        boolean huffman = block[at] < 0;
        long length = number(7);
        if (broken || length > end - at || length > LONGEST_STRING) {
            broken = true;
            return;
        }
        if (huffman) {
            textLength = HpackHuffman.decode(block, at, (int) length, text);
            if (textLength == HpackHuffman.BROKEN) {
                broken = true;
                textLength = 0;
            }
        } else {
            System.arraycopy(block, at, text, 0, (int) length);
            textLength = (int) length;
        }
        at += (int) length;
    }
}
