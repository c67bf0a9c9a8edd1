package dev.komainu.agent.host.linux;

import org.jspecify.annotations.Nullable;

/**
 * A parser of the kernel's decimal counters: unsigned, 64 bits. Text that is no number is absent.
 */
final class DecimalCounters {

    private DecimalCounters() {}

    /**
     * Returns the value, or null when the text is no unsigned decimal of 64 bits. Values above
     * {@link Long#MAX_VALUE} are negative; differences of such counters are still right.
     */
    static @Nullable Long of(@Nullable String text) {
        if (text == null || text.isEmpty() || text.length() > 20) {
            return null;
        }
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return null;
            }
        }
        if (text.length() < 19) {
            return Long.parseLong(text);
        }
        try {
            return Long.parseUnsignedLong(text);
        } catch (NumberFormatException e) {
            return null;
        }
    }

    /** Returns the value, or {@code absent} when the text is no unsigned decimal of 64 bits. */
    static long of(@Nullable String text, long absent) {
        Long value = of(text);
        return value == null ? absent : value;
    }

    /**
     * Returns the value of {@code fields[index]}, or {@code absent} when the field is missing or no
     * number.
     */
    static long at(String[] fields, int index, long absent) {
        return index < fields.length ? of(fields[index], absent) : absent;
    }

    /**
     * Returns a decimal fraction such as {@code 0.07}, or null. Never NaN, infinite or negative.
     */
    static @Nullable Double fraction(String text) {
        if (text.isEmpty() || text.length() > 24) {
            return null;
        }
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if ((c < '0' || c > '9') && c != '.') {
                return null;
            }
        }
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            return null;
        }
    }

    /** Returns an unsigned hexadecimal number of at most 16 digits, or {@code absent}. */
    static long hex(String text, int from, int to, long absent) {
        if (from < 0 || to > text.length() || to <= from || to - from > 16) {
            return absent;
        }
        long value = 0;
        for (int i = from; i < to; i++) {
            int digit = Character.digit(text.charAt(i), 16);
            if (digit < 0) {
                return absent;
            }
            value = value << 4 | digit;
        }
        return value;
    }
}
