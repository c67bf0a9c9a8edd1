package dev.komainu.proxy.log;

import java.net.Inet4Address;
import java.net.InetAddress;

/**
 * One line in the making: bytes of a fixed length, reused for each line. What does not fit is cut
 * off; the line's end always fits.
 */
final class LogLineBuffer {

    /**
     * Targets are at most 16 KB; three times that when every byte is escaped, and room for two more
     * fields.
     */
    static final int LONGEST = 64 * 1024;

    private static final byte[] HEX = {
        '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F'
    };

    private final byte[] bytes;
    private int length;

    /** @param capacity bytes of the longest line */
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

    /** Ends the line, in the byte kept for it. */
    void end() {
        bytes[length++] = '\n';
    }

    /** ASCII as it is. */
    LogLineBuffer put(String ascii) {
        for (int i = 0; i < ascii.length(); i++) {
            put(ascii.charAt(i));
        }
        return this;
    }

    LogLineBuffer put(byte[] from) {
        return raw(from, 0, from.length);
    }

    LogLineBuffer raw(byte[] from, int at, int count) {
        int fits = Math.min(count, bytes.length - 1 - length);
        System.arraycopy(from, at, bytes, length, fits);
        length += fits;
        return this;
    }

    /**
     * Blanks, controls and bytes above 126 as {@code %XX}, and quotes: a reader cuts the line at
     * blanks and quotes.
     */
    LogLineBuffer percent(byte[] from, int at, int count) {
        int end = at + count;
        int clean = at;
        for (int i = at; i < end; i++) {
            byte b = from[i];
            if (b <= ' ' || b == 127 || b == '"') {
                raw(from, clean, i - clean).put('%').hex(b);
                clean = i + 1;
            }
        }
        return raw(from, clean, end - clean);
    }

    /** Within quotes, as NCSA servers write it: {@code \"}, {@code \\}, {@code \xHH}. */
    LogLineBuffer backslash(byte[] from, int at, int count) {
        for (int i = at; i < at + count; i++) {
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
     * Within a JSON text (RFC 8259 section 7); a byte above 127 is the character of that number.
     */
    LogLineBuffer json(byte[] from, int at, int count) {
        for (int i = at; i < at + count; i++) {
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

    /** At least {@code width} wide, filled up on the left. */
    LogLineBuffer padded(long value, int width, char fill) {
        if (value < 0) {
            put('-');
        }
        long rest = Math.abs(value);
        int digits = 1;
        for (long ten = 10; digits < 19 && rest >= ten; ten *= 10) {
            digits++;
        }
        for (int i = digits; i < width; i++) {
            put(fill);
        }
        if (length + digits >= bytes.length) {
            return this;
        }
        for (int i = length + digits - 1; i >= length; i--) {
            bytes[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        length += digits;
        return this;
    }

    /** IPv6 as RFC 5952 writes it, without brackets. */
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
        int gapAt = -1;
        int gap = 1;
        for (int i = 0; i < 8; i++) {
            int zeros = 0;
            while (i + zeros < 8 && group(raw, i + zeros) == 0) {
                zeros++;
            }
            if (zeros > gap) {
                gapAt = i;
                gap = zeros;
            }
        }
        for (int i = 0; i < 8; i++) {
            if (i == gapAt) {
                put("::");
                i += gap - 1;
                continue;
            }
            if (i > 0 && i != gapAt + gap) {
                put(':');
            }
            put(Integer.toHexString(group(raw, i)));
        }
        return this;
    }

    private static int group(byte[] raw, int index) {
        return (raw[2 * index] & 255) << 8 | raw[2 * index + 1] & 255;
    }
}
