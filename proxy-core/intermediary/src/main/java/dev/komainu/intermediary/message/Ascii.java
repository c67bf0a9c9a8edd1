package dev.komainu.intermediary.message;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * Character classes and small conversions over bytes, as the grammars of RFC 9110 section 5.6
 * define them.
 */
public final class Ascii {

    private static final byte TOKEN = 1;
    private static final byte VALUE = 2;
    private static final byte TARGET = 4;
    private static final byte HOST = 8;
    private static final byte[] CLASS = new byte[256];
    private static final byte[] LOWER = new byte[256];

    static {
        for (int c = 0; c < 256; c++) {
            boolean alphanumeric =
                    (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            if (alphanumeric || (c < 128 && "!#$%&'*+-.^_`|~".indexOf(c) >= 0)) {
                CLASS[c] |= TOKEN;
            }
            if (c == '\t' || (c >= ' ' && c != 127)) {
                CLASS[c] |= VALUE;
            }
            // RFC 3986: a fragment is never sent; bytes above 126 must be percent-encoded.
            if (c > ' ' && c < 127 && "#\"<>\\`".indexOf(c) < 0) {
                CLASS[c] |= TARGET;
            }
            if (alphanumeric || (c < 128 && "-._~!$&'()*+,;=%:".indexOf(c) >= 0)) {
                CLASS[c] |= HOST;
            }
            LOWER[c] = (byte) (c >= 'A' && c <= 'Z' ? c + 32 : c);
        }
    }

    private Ascii() {}

    /** Reports whether a byte may stand in a token (RFC 9110 section 5.6.2). */
    public static boolean token(byte b) {
        return (CLASS[b & 255] & TOKEN) != 0;
    }

    /**
     * Reports whether a byte may stand in a field value: visible, space, tab, obs-text (RFC 9110
     * section 5.5).
     */
    static boolean value(byte b) {
        return (CLASS[b & 255] & VALUE) != 0;
    }

    static boolean target(byte b) {
        return (CLASS[b & 255] & TARGET) != 0;
    }

    static boolean host(byte b) {
        return (CLASS[b & 255] & HOST) != 0;
    }

    public static byte lower(byte b) {
        return LOWER[b & 255];
    }

    /** Compares without regard to case; {@code lower} must be lower case. */
    public static boolean equalsLower(byte[] bytes, int from, int length, byte[] lower) {
        if (length != lower.length) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (LOWER[bytes[from + i] & 255] != lower[i]) {
                return false;
            }
        }
        return true;
    }

    /**
     * Parses a decimal number.
     *
     * @return the number, or -1 unless it has 1 to 18 digits
     */
    public static long decimal(byte[] bytes, int from, int length) {
        if (length < 1 || length > 18) {
            return -1;
        }
        long number = 0;
        for (int i = from; i < from + length; i++) {
            int digit = bytes[i] - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            number = number * 10 + digit;
        }
        return number;
    }

    /** Writes a non-negative number without creating a String. */
    public static void writeDecimal(ByteBuf out, long number) {
        long scale = 1;
        while (number / scale >= 10) {
            scale *= 10;
        }
        for (; scale > 0; scale /= 10) {
            out.writeByte((int) ('0' + number / scale % 10));
        }
    }

    public static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
