package dev.komainu.proxy.log;

import java.net.Inet4Address;
import java.net.InetAddress;

/**
 * The buffer of one line: a fixed number of bytes, reused for each line. A longer line is
 * truncated; its end always fits.
 */
final class LogLineBuffer {

    /**
     * Limit of a line. Targets are at most 16 KB: three times as much when every byte is escaped,
     * and room for two more fields.
     */
    static final int MAX_LENGTH = 64 * 1024;

    private static final byte[] HEX = {
        '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F'
    };

    private final byte[] bytes;
    private int length;

    /**
     * Creates a buffer.
     *
     * @param capacity bytes of the longest line
     */
    LogLineBuffer(int capacity) {
        bytes = new byte[capacity];
    }

    void clear() {
        length = 0;
    }

    byte[] bytes() {
        return bytes;
    }

    int length() {
        return length;
    }

    LogLineBuffer put(char c) {
        if (length < bytes.length - 1) {
            bytes[length++] = (byte) c;
        }
        return this;
    }

    /** Ends the line, in the byte reserved for it. */
    void end() {
        bytes[length++] = '\n';
    }

    /** Appends ASCII unchanged. */
    LogLineBuffer put(String ascii) {
        for (int i = 0; i < ascii.length(); i++) {
            put(ascii.charAt(i));
        }
        return this;
    }

    LogLineBuffer put(byte[] from) {
        return raw(from, 0, from.length);
    }

    LogLineBuffer raw(byte[] from, int offset, int count) {
        int accepted = Math.min(count, bytes.length - 1 - length);
        System.arraycopy(from, offset, bytes, length, accepted);
        length += accepted;
        return this;
    }

    /**
     * Appends blanks, controls, quotes and bytes above 126 as {@code %XX}: readers split the line
     * at blanks and quotes.
     */
    LogLineBuffer percent(byte[] from, int offset, int count) {
        int end = offset + count;
        int unescaped = offset;
        for (int i = offset; i < end; i++) {
            byte b = from[i];
            if (b <= ' ' || b == 127 || b == '"') {
                raw(from, unescaped, i - unescaped).put('%').hex(b);
                unescaped = i + 1;
            }
        }
        return raw(from, unescaped, end - unescaped);
    }

    /**
     * Appends text within quotes, escaped as by NCSA servers: {@code \"}, {@code \\}, {@code \xHH}.
     */
    LogLineBuffer backslash(byte[] from, int offset, int count) {
        for (int i = offset; i < offset + count; i++) {
            byte b = from[i];
            if (b == '"' || b == '\\') {
                put('\\').put((char) b);
            } else if (b < ' ' || b == 127) {
                put('\\').put('x').hex(b);
            } else {
                put((char) b);
            }
        }
        return this;
    }

    /**
     * Appends text within a JSON string (RFC 8259 section 7); a byte above 127 is the character of
     * this number.
     */
    LogLineBuffer json(byte[] from, int offset, int count) {
        for (int i = offset; i < offset + count; i++) {
            byte b = from[i];
            if (b == '"' || b == '\\') {
                put('\\').put((char) b);
            } else if (b < ' ' || b == 127) {
                put("\\u00").hex(b);
            } else {
                put((char) b);
            }
        }
        return this;
    }

    private LogLineBuffer hex(byte b) {
        return put((char) HEX[b >> 4 & 15]).put((char) HEX[b & 15]);
    }

    LogLineBuffer number(long value) {
        return padded(value, 1, ' ');
    }

    /** Appends a number of at least {@code width} characters, padded on the left. */
    LogLineBuffer padded(long value, int width, char fill) {
        if (value < 0) {
            put('-');
        }
        long remaining = Math.abs(value);
        int digits = 1;
        for (long power = 10; digits < 19 && remaining >= power; power *= 10) {
            digits++;
        }
        for (int i = digits; i < width; i++) {
            put(fill);
        }
        if (length + digits >= bytes.length) {
            return this;
        }
        for (int i = length + digits - 1; i >= length; i--) {
            bytes[i] = (byte) ('0' + remaining % 10);
            remaining /= 10;
        }
        length += digits;
        return this;
    }

    /** Appends an address, IPv6 in the form of RFC 5952, without brackets. */
    LogLineBuffer address(InetAddress address) {
        byte[] raw = address.getAddress();
        if (address instanceof Inet4Address) {
            for (int i = 0; i < 4; i++) {
                if (i > 0) {
                    put('.');
                }
                number(raw[i] & 255);
            }
            return this;
        }
        int gapIndex = -1;
        int gap = 1;
        for (int i = 0; i < 8; i++) {
            int zeros = 0;
            while (i + zeros < 8 && group(raw, i + zeros) == 0) {
                zeros++;
            }
            if (zeros > gap) {
                gapIndex = i;
                gap = zeros;
            }
        }
        for (int i = 0; i < 8; i++) {
            if (i == gapIndex) {
                put("::");
                i += gap - 1;
                continue;
            }
            if (i > 0 && i != gapIndex + gap) {
                put(':');
            }
            put(Integer.toHexString(group(raw, i)));
        }
        return this;
    }

    private static int group(byte[] raw, int index) {
        return (raw[2 * index] & 255) << 8 | (raw[2 * index + 1] & 255);
    }
}
