package dev.komainu.intermediary.caching;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One range of bytes of a whole object (RFC 9110 section 14.1.2).
 *
 * @param from first byte
 * @param to last byte, inclusive; below {@code from} when the range contains no byte of the object
 *     (416)
 */
public record ByteRange(long from, long to) {

    private static final Pattern SINGLE =
            Pattern.compile("bytes[ ]*=[ ]*(\\d{0,18})-(\\d{0,18})", Pattern.CASE_INSENSITIVE);

    /** Reports whether the range contains a byte of the object. */
    public boolean satisfiable() {
        return to >= from;
    }

    /** Returns the number of bytes. */
    public long length() {
        return to - from + 1;
    }

    /** More ranges than this get the whole object as response (range amplification). */
    public static final int MAX_RANGES = 10;
    /**
     * Two ranges with less than this between them are sent as one: the head of a part would be
     * longer than the gap.
     */
    private static final int GAP = 80;

    /**
     * Parses a Range field (RFC 9110 section 14.2). If ranges overlap or nearly touch, they are
     * merged in ascending order; otherwise they keep the requested order. Ranges without a byte of
     * the object are removed.
     *
     * @return empty when none can be satisfied (416); absent when the field is to be ignored:
     *     another unit, invalid, too many
     */
    public static @Nullable List<ByteRange> list(@Nullable String text, long length) {
        int equals = text == null ? -1 : text.indexOf('=');
        if (text == null || equals < 0) {
            return null;
        }
        String[] specs = text.substring(equals + 1).split(",", -1);
        if (specs.length > MAX_RANGES) {
            return null;
        }
        List<ByteRange> ranges = new ArrayList<>(specs.length);
        for (String spec : specs) {
            ByteRange range = parse(text.substring(0, equals + 1) + spec.strip(), length);
            if (range == null) {
                return null;
            }
            if (range.satisfiable()) {
                ranges.add(range);
            }
        }
        List<ByteRange> merged = merged(ranges);
        return merged.size() < ranges.size() ? merged : ranges;
    }

    private static List<ByteRange> merged(List<ByteRange> ranges) {
        List<ByteRange> sorted = new ArrayList<>(ranges);
        sorted.sort(Comparator.comparingLong(ByteRange::from));
        List<ByteRange> merged = new ArrayList<>();
        for (ByteRange next : sorted) {
            ByteRange last = merged.isEmpty() ? null : merged.getLast();
            if (last != null && next.from() - last.to() <= GAP) {
                merged.set(
                        merged.size() - 1,
                        new ByteRange(last.from(), Math.max(last.to(), next.to())));
            } else {
                merged.add(next);
            }
        }
        return merged;
    }

    /**
     * Parses a single range; absent for several ranges, another unit, or invalid text: the response
     * is then the whole object.
     */
    public static @Nullable ByteRange parse(@Nullable String text, long length) {
        Matcher m = text == null ? null : SINGLE.matcher(text.strip());
        if (m == null || !m.matches() || (m.group(1).isEmpty() && m.group(2).isEmpty())) {
            return null;
        }
        if (m.group(1).isEmpty()) {
            long suffix = Long.parseLong(m.group(2));
            return suffix == 0
                    ? new ByteRange(0, -1)
                    : new ByteRange(Math.max(0, length - suffix), length - 1);
        }
        long from = Long.parseLong(m.group(1));
        long to = m.group(2).isEmpty() ? Long.MAX_VALUE : Long.parseLong(m.group(2));
        if (to < from) {
            return null;
        }
        return from >= length
                ? new ByteRange(0, -1)
                : new ByteRange(from, Math.min(to, length - 1));
    }
}
