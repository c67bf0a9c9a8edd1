package dev.komainu.proxy.cache;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One range of bytes of a whole object (RFC 9110 section 14.1.2).
 *
 * @param from first byte
 * @param to last byte, inclusive; below {@code from} when no byte of the object is asked for (416)
 */
public record ByteRange(long from, long to) {

    private static final Pattern SINGLE =
            Pattern.compile("bytes[ ]*=[ ]*(\\d{0,18})-(\\d{0,18})", Pattern.CASE_INSENSITIVE);

    public boolean satisfiable() {
        return to >= from;
    }

    public long length() {
        return to - from + 1;
    }

    /** Reads a single range; absent for several, other units, or nonsense: the whole object is then the answer. */
    public static @Nullable ByteRange parse(@Nullable String text, long length) {
        Matcher m = text == null ? null : SINGLE.matcher(text.strip());
        if (m == null || !m.matches() || m.group(1).isEmpty() && m.group(2).isEmpty()) {
            return null;
        }
        if (m.group(1).isEmpty()) {
            long suffix = Long.parseLong(m.group(2));
            return suffix == 0 ? new ByteRange(0, -1) : new ByteRange(Math.max(0, length - suffix), length - 1);
        }
        long from = Long.parseLong(m.group(1));
        long to = m.group(2).isEmpty() ? Long.MAX_VALUE : Long.parseLong(m.group(2));
        if (to < from) {
            return null;
        }
        return from >= length ? new ByteRange(0, -1) : new ByteRange(from, Math.min(to, length - 1));
    }
}
