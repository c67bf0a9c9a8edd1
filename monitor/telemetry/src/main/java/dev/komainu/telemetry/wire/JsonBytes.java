package dev.komainu.telemetry.wire;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * JSON text in one growing, reused byte array: a line creates no object. Inserts the commas; the
 * caller determines the content. One thread at a time.
 */
public final class JsonBytes {

    private static final byte[] HEX = "0123456789ABCDEF".getBytes(StandardCharsets.US_ASCII);
    /** The digits of 00 to 99. */
    private static final byte[] PAIRS = pairs();
    /** Powers of ten, 10^0 to 10^18. */
    private static final long[] POWERS = powers();

    /** Longest number: sign and nineteen digits. */
    private static final int LONGEST_NUMBER = 20;

    private byte[] bytes = new byte[1 << 12];
    private int length;

    private static byte[] pairs() {
        byte[] digits = new byte[200];
        for (int value = 0; value < 100; value++) {
            digits[value * 2] = (byte) ('0' + value / 10);
            digits[value * 2 + 1] = (byte) ('0' + value % 10);
        }
        return digits;
    }

    private static long[] powers() {
        long[] powers = new long[19];
        powers[0] = 1;
        for (int i = 1; i < powers.length; i++) {
            powers[i] = powers[i - 1] * 10;
        }
        return powers;
    }

    /** Returns the bytes written since the last {@link #clear}. */
    public int length() {
        return length;
    }

    public void clear() {
        length = 0;
    }

    /** Ends the line of a record. */
    public void endLine() {
        reserve(1);
        bytes[length++] = '\n';
    }

    /** Writes the bytes since the last {@link #clear}. */
    public void writeTo(OutputStream out) throws IOException {
        out.write(bytes, 0, length);
    }

    /** Returns the text written since the last {@link #clear}. */
    public String text() {
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    void open(char bracket) {
        separate();
        put(bracket);
    }

    void close(char bracket) {
        put(bracket);
    }

    /**
     * Appends a name.
     *
     * @param name one of Komainu's own names, without characters that need an escape
     */
    void name(String name) {
        separate();
        int characters = name.length();
        reserve(characters + 3);
        bytes[length] = '"';
        ascii(name, characters, length + 1);
        length += characters + 1;
        bytes[length++] = '"';
        bytes[length++] = ':';
    }

    /**
     * Appends ASCII text. The method takes the low byte of each character, which is correct here
     * and ten times as fast as a charset.
     */
    @SuppressWarnings("deprecation")
    private void ascii(String text, int characters, int at) {
        text.getBytes(0, characters, bytes, at);
    }

    void number(long value) {
        separate();
        reserve(LONGEST_NUMBER);
        if (value == Long.MIN_VALUE) {
            plain("-9223372036854775808");
            return;
        }
        long remaining = value;
        if (remaining < 0) {
            bytes[length++] = '-';
            remaining = -remaining;
        }
        int begin = length;
        int at = begin + digits(remaining);
        length = at;
        while (remaining > Integer.MAX_VALUE) {
            long hundreds = remaining / 100;
            at = pair(at, (int) (remaining - hundreds * 100));
            remaining = hundreds;
        }
        int small = (int) remaining;
        while (small >= 10) {
            int hundreds = small / 100;
            at = pair(at, small - hundreds * 100);
            small = hundreds;
        }
        if (at > begin) {
            bytes[--at] = (byte) ('0' + small);
        }
    }

    /** Writes two digits before {@code at}; returns where they begin. */
    private int pair(int at, int value) {
        bytes[at - 1] = PAIRS[value * 2 + 1];
        bytes[at - 2] = PAIRS[value * 2];
        return at - 2;
    }

    /** Returns the number of decimal digits of a value that is not negative. */
    private static int digits(long value) {
        // 1233 / 4096 is the logarithm of 2 to the base of 10.
        int least = ((Long.SIZE - Long.numberOfLeadingZeros(value | 1)) * 1_233) >>> 12;
        return (value | 1) < POWERS[least] ? least : least + 1;
    }

    void number(double value) {
        separate();
        plain(Double.toString(value));
    }

    private void plain(String ascii) {
        reserve(ascii.length());
        ascii(ascii, ascii.length(), length);
        length += ascii.length();
    }

    void string(String value) {
        separate();
        int characters = value.length();
        // A character takes at most six bytes (a control character).
        reserve(characters * 6 + 2);
        bytes[length++] = '"';
        for (int i = 0; i < characters; i++) {
            char c = value.charAt(i);
            if (c >= ' ' && c < 0x7f && c != '"' && c != '\\') {
                bytes[length++] = (byte) c;
            } else if (c < 0x80) {
                escape(c);
            } else {
                i += unicode(value, i) - 1;
            }
        }
        bytes[length++] = '"';
    }

    /** Appends an escaped character (RFC 8259 section 7). */
    private void escape(char c) {
        switch (c) {
            case '"', '\\' -> escaped(c);
            case '\n' -> escaped('n');
            case '\r' -> escaped('r');
            case '\t' -> escaped('t');
            case '\b' -> escaped('b');
            case '\f' -> escaped('f');
            case 0x7f -> bytes[length++] = 0x7f;
            default -> {
                plain("\\u00");
                bytes[length++] = HEX[c >> 4];
                bytes[length++] = HEX[c & 15];
            }
        }
    }

    private void escaped(char c) {
        bytes[length++] = '\\';
        bytes[length++] = (byte) c;
    }

    /**
     * Appends a non-ASCII character. Returns the number of chars used; half a surrogate pair
     * becomes a question mark.
     */
    private int unicode(String value, int at) {
        char c = value.charAt(at);
        if (c < 0x800) {
            bytes[length++] = (byte) (0xc0 | c >> 6);
            bytes[length++] = (byte) (0x80 | (c & 0x3f));
            return 1;
        }
        if (!Character.isSurrogate(c)) {
            bytes[length++] = (byte) (0xe0 | c >> 12);
            bytes[length++] = (byte) (0x80 | (c >> 6 & 0x3f));
            bytes[length++] = (byte) (0x80 | (c & 0x3f));
            return 1;
        }
        if (Character.isHighSurrogate(c)
                && at + 1 < value.length()
                && Character.isLowSurrogate(value.charAt(at + 1))) {
            int point = Character.toCodePoint(c, value.charAt(at + 1));
            bytes[length++] = (byte) (0xf0 | point >> 18);
            bytes[length++] = (byte) (0x80 | (point >> 12 & 0x3f));
            bytes[length++] = (byte) (0x80 | (point >> 6 & 0x3f));
            bytes[length++] = (byte) (0x80 | (point & 0x3f));
            return 2;
        }
        bytes[length++] = '?';
        return 1;
    }

    /** Appends a comma, except after an opening bracket, a colon or at the beginning of a line. */
    private void separate() {
        if (length > 0) {
            byte last = bytes[length - 1];
            if (last != '{' && last != '[' && last != ':' && last != '\n') {
                put(',');
            }
        }
    }

    private void put(char c) {
        reserve(1);
        bytes[length++] = (byte) c;
    }

    private void reserve(int more) {
        if (bytes.length - length < more) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
        }
    }
}
