package dev.komainu.agent.host.linux;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * What the kernel wrote into a file, and a place in it. Reading on makes no objects: a look at a
 * host reads some 25 KB of text, and an agent that turned it into strings would spend more on
 * cleaning up than on looking. Whatever the bytes, nothing here throws or runs past the end. One
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

    /** The same over a text, for those who have one. */
    public static KernelFileText of(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        KernelFileText made = new KernelFileText(0);
        made.bytes = bytes;
        made.length = bytes.length;
        return made;
    }

    /** Room for so many bytes behind those that are there. */
    byte[] room(int more) {
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

    /** Back to the first byte. */
    void rewind() {
        at = 0;
    }

    boolean isEmpty() {
        return length == 0;
    }

    int place() {
        return at;
    }

    void moveTo(int place) {
        at = Math.clamp(place, 0, length);
    }

    boolean atEnd() {
        return at >= length;
    }

    /** The byte here, or -1 at the end. */
    int peek() {
        return at < length ? bytes[at] & 0xff : -1;
    }

    void skip() {
        at = Math.min(length, at + 1);
    }

    /** Passes blanks and whatever else no text holds, not line breaks. */
    void skipBlanks() {
        while (at < length && isBlank(bytes[at])) {
            at++;
        }
    }

    /**
     * Every byte is a blank, a line break or part of a word, so that whoever reads on comes to an
     * end.
     */
    private static boolean isBlank(byte b) {
        return b >= 0 && b <= ' ' && b != '\n';
    }

    private static boolean isWord(byte b) {
        return b < 0 || b > ' ';
    }

    /** Passes blanks, then everything up to the next blank or the line's end. */
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

    /** Whether the line ends here, blanks aside. */
    boolean atLineEnd() {
        skipBlanks();
        return at >= length || bytes[at] == '\n';
    }

    /** Passes the rest of this line; false when no line follows. */
    boolean nextLine() {
        while (at < length && bytes[at] != '\n') {
            at++;
        }
        at = Math.min(length, at + 1);
        return at < length;
    }

    /** Passes {@code word} if it stands exactly here. */
    boolean accept(byte[] word) {
        if (!startsWith(at, word)) {
            return false;
        }
        at += word.length;
        return true;
    }

    /** Whether {@code word} stands at {@code place}. */
    boolean startsWith(int place, byte[] word) {
        return place >= 0
                && place + word.length <= length
                && Arrays.equals(bytes, place, place + word.length, word, 0, word.length);
    }

    /** Moves behind the next {@code mark} on this line; false when it has none. */
    boolean passMark(char mark) {
        for (int i = at; i < length && bytes[i] != '\n'; i++) {
            if (bytes[i] == mark) {
                at = i + 1;
                return true;
            }
        }
        return false;
    }

    /** Moves behind the last {@code mark} of the whole text; false when there is none. */
    boolean passLast(char mark) {
        for (int i = length - 1; i >= 0; i--) {
            if (bytes[i] == mark) {
                at = i + 1;
                return true;
            }
        }
        return false;
    }

    /**
     * Passes blanks and reads an unsigned decimal of 64 bits that ends at a blank, a line break or
     * {@code /}. Values above {@link Long#MAX_VALUE} come out negative; differences of such
     * counters are still right.
     *
     * @return the number, or {@code absent} where the next word is none; that word is passed either
     *     way
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

    /** A decimal fraction such as {@code 0.07}, NaN where the next word is none. */
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

    /** The word here as a string; makes garbage, for names that are new. */
    String word() {
        skipBlanks();
        int from = at;
        skipWord();
        return new String(bytes, from, at - from, StandardCharsets.ISO_8859_1);
    }

    /** What stands from {@code from} up to {@code to}. */
    String between(int from, int to) {
        int begin = Math.clamp(from, 0, length);
        int end = Math.clamp(to, begin, length);
        return new String(bytes, begin, end - begin, StandardCharsets.ISO_8859_1);
    }

    /** Whether {@code name} is what stands from {@code from} up to {@code to}. Makes nothing. */
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
