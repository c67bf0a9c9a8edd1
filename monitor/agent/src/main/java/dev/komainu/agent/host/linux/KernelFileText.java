package dev.komainu.agent.host.linux;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The text of one of the kernel's files, and a position in it. Parsing creates no objects: a
 * reading of a host has some 25 KB of text, and turning it into strings would cost more in garbage
 * collection than the reading itself. For any bytes, no method throws or reads past the end. One
 * thread at a time.
 */
public final class KernelFileText {

    /** Decimal digits of 2^64 - 1. */
    private static final int MOST_DIGITS = 20;

    private byte[] bytes;
    private int length;
    private int at;

    KernelFileText(int capacity) {
        bytes = new byte[capacity];
    }

    /** Creates a text from a string. */
    public static KernelFileText of(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        KernelFileText result = new KernelFileText(0);
        result.bytes = bytes;
        result.length = bytes.length;
        return result;
    }

    /** Returns the buffer with space for more bytes after the current length. */
    byte[] reserve(int more) {
        if (length + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(length + more, bytes.length * 2));
        }
        return bytes;
    }

    void clear() {
        length = 0;
        at = 0;
    }

    void grow(int by) {
        length += by;
    }

    int length() {
        return length;
    }

    /** Moves to the first byte. */
    void rewind() {
        at = 0;
    }

    boolean isEmpty() {
        return length == 0;
    }

    int position() {
        return at;
    }

    void moveTo(int position) {
        at = Math.clamp(position, 0, length);
    }

    boolean atEnd() {
        return at >= length;
    }

    /** Returns the byte at the position, or -1 at the end. */
    int peek() {
        return at < length ? bytes[at] & 0xff : -1;
    }

    void skip() {
        at = Math.min(length, at + 1);
    }

    /** Skips blanks and all other bytes that no text contains, but no line breaks. */
    void skipBlanks() {
        while (at < length && isBlank(bytes[at])) {
            at++;
        }
    }

    /**
     * Reports whether a byte separates words. Every byte is a blank, a line break or part of a
     * word, so a parser always reaches the end.
     */
    private static boolean isBlank(byte b) {
        return b >= 0 && b <= ' ' && b != '\n';
    }

    private static boolean isWord(byte b) {
        return b < 0 || b > ' ';
    }

    /** Skips blanks, then everything up to the next blank or the line's end. */
    void skipWord() {
        skipBlanks();
        while (at < length && isWord(bytes[at])) {
            at++;
        }
    }

    void skipWords(int count) {
        for (int i = 0; i < count; i++) {
            skipWord();
        }
    }

    /** Reports whether only blanks remain on this line. */
    boolean atLineEnd() {
        skipBlanks();
        return at >= length || bytes[at] == '\n';
    }

    /** Skips the rest of this line; false when no line follows. */
    boolean nextLine() {
        while (at < length && bytes[at] != '\n') {
            at++;
        }
        at = Math.min(length, at + 1);
        return at < length;
    }

    /** Skips {@code word} if it is exactly at the position, and reports whether it is. */
    boolean accept(byte[] word) {
        if (!startsWith(at, word)) {
            return false;
        }
        at += word.length;
        return true;
    }

    /** Reports whether {@code word} is at a position. */
    boolean startsWith(int position, byte[] word) {
        return position >= 0
                && position + word.length <= length
                && Arrays.equals(bytes, position, position + word.length, word, 0, word.length);
    }

    /** Moves behind the next {@code mark} on this line; false when it has none. */
    boolean skipPast(char mark) {
        for (int i = at; i < length && bytes[i] != '\n'; i++) {
            if (bytes[i] == mark) {
                at = i + 1;
                return true;
            }
        }
        return false;
    }

    /** Moves behind the last {@code mark} of the whole text; false when there is none. */
    boolean skipPastLast(char mark) {
        for (int i = length - 1; i >= 0; i--) {
            if (bytes[i] == mark) {
                at = i + 1;
                return true;
            }
        }
        return false;
    }

    /**
     * Skips blanks and reads an unsigned decimal of 64 bits that ends at a blank, a line break or
     * {@code /}. Values above {@link Long#MAX_VALUE} are negative; differences of such counters are
     * still right.
     *
     * @return the number, or {@code absent} when the next word is none; that word is skipped in
     *     both cases
     */
    long number(long absent) {
        skipBlanks();
        int from = at;
        long value = 0;
        while (at < length && bytes[at] >= '0' && bytes[at] <= '9') {
            value = value * 10 + (bytes[at] - '0');
            at++;
        }
        int digits = at - from;
        boolean clean = at >= length || !isWord(bytes[at]) || bytes[at] == '/';
        if (digits == 0 || !clean || tooLarge(from, digits)) {
            while (at < length && isWord(bytes[at])) {
                at++;
            }
            return absent;
        }
        return value;
    }

    private boolean tooLarge(int from, int digits) {
        if (digits < MOST_DIGITS) {
            return false;
        }
        return digits > MOST_DIGITS
                || Arrays.compare(bytes, from, from + digits, LARGEST, 0, LARGEST.length) > 0;
    }

    private static final byte[] LARGEST =
            "18446744073709551615".getBytes(StandardCharsets.ISO_8859_1);

    /** Reads a decimal fraction such as {@code 0.07}; NaN when the next word is none. */
    double fraction() {
        skipBlanks();
        double whole = 0;
        double scale = 1;
        boolean point = false;
        int digits = 0;
        int from = at;
        for (; at < length && isWord(bytes[at]); at++) {
            byte b = bytes[at];
            if (b == '.' && !point) {
                point = true;
            } else if (b >= '0' && b <= '9') {
                whole = whole * 10 + (b - '0');
                scale *= point ? 10 : 1;
                digits++;
            } else {
                digits = -1_000;
            }
        }
        return digits > 0 && at - from <= 24 ? whole / scale : Double.NaN;
    }

    /** Reads the next word as a string; it creates an object, for names that are new. */
    String word() {
        skipBlanks();
        int from = at;
        skipWord();
        return new String(bytes, from, at - from, StandardCharsets.ISO_8859_1);
    }

    /** Returns the text from {@code from} up to {@code to}. */
    String between(int from, int to) {
        int begin = Math.clamp(from, 0, length);
        int end = Math.clamp(to, begin, length);
        return new String(bytes, begin, end - begin, StandardCharsets.ISO_8859_1);
    }

    /**
     * Reports whether the text from {@code from} up to {@code to} equals {@code name}. Creates no
     * object.
     */
    boolean equals(String name, int from, int to) {
        if (to - from != name.length() || from < 0 || to > length) {
            return false;
        }
        for (int i = 0; i < name.length(); i++) {
            if ((bytes[from + i] & 0xff) != name.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        return new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
    }
}
