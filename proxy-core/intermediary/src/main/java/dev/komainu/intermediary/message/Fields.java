package dev.komainu.intermediary.message;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A field section as spans over the bytes that it was read from. No text is copied until it is
 * requested.
 *
 * <pre>
 *   spans:  | name from | name length | value from | value length |   four ints a field, in order of arrival
 *   known:  | ordinal of {@link Field}, or -1 |                        one byte a field
 * </pre>
 *
 * Not thread-safe while being read; a {@link #detached} copy never changes and may be shared.
 */
public final class Fields {

    /** More fields than this are rejected with 431 (header floods). */
    public static final int MAX_FIELDS = 100;

    static final int INCOMPLETE = -1;
    static final int FAULT = -2;

    private byte[] bytes;
    private int[] spans;
    private byte[] known;
    private int count;
    private long present;
    private long repeated;
    private @Nullable MessageFault fault;

    Fields() {
        this(new byte[0], new int[32 * 4], new byte[32]);
    }

    private Fields(byte[] bytes, int[] spans, byte[] known) {
        this.bytes = bytes;
        this.spans = spans;
        this.known = known;
    }

    /** Returns a copy over {@code own}, which contains the same bytes at the same places. */
    Fields detached(byte[] ownBytes) {
        Fields copy =
                new Fields(ownBytes, Arrays.copyOf(spans, count * 4), Arrays.copyOf(known, count));
        copy.count = count;
        copy.present = present;
        copy.repeated = repeated;
        return copy;
    }

    /**
     * Reads field lines up to and including the empty line.
     *
     * @return the index behind the empty line, {@link #INCOMPLETE}, or {@link #FAULT} with
     *     {@link #fault} set
     */
    int scan(byte[] source, int from, int end) {
        bytes = source;
        count = 0;
        present = 0;
        repeated = 0;
        int p = from;
        while (true) {
            if (p >= end) {
                return INCOMPLETE;
            }
            byte first = source[p];
            if (first == '\r') {
                if (p + 1 >= end) {
                    return INCOMPLETE;
                }
                return source[p + 1] == '\n' ? p + 2 : refuse(MessageFault.BARE_CR);
            }
            int nameFrom = p;
            while (p < end && Ascii.token(source[p])) {
                p++;
            }
            if (p == end) {
                return INCOMPLETE;
            }
            if (source[p] != ':' || p == nameFrom) {
                return refuse(nameFault(source[p], p == nameFrom));
            }
            int nameLength = p - nameFrom;
            p++;
            while (p < end && (source[p] == ' ' || source[p] == '\t')) {
                p++;
            }
            int valueFrom = p;
            while (p < end && Ascii.value(source[p])) {
                p++;
            }
            if (p == end) {
                return INCOMPLETE;
            }
            if (source[p] != '\r') {
                return refuse(source[p] == '\n' ? MessageFault.BARE_LF : MessageFault.CONTROL);
            }
            if (p + 1 == end) {
                return INCOMPLETE;
            }
            if (source[p + 1] != '\n') {
                return refuse(MessageFault.BARE_CR);
            }
            int valueEnd = p;
            while (valueEnd > valueFrom
                    && (source[valueEnd - 1] == ' ' || source[valueEnd - 1] == '\t')) {
                valueEnd--;
            }
            if (count == MAX_FIELDS) {
                return refuse(MessageFault.TOO_MANY_FIELDS);
            }
            add(nameFrom, nameLength, valueFrom, valueEnd - valueFrom);
            p += 2;
        }
    }

    private static MessageFault nameFault(byte found, boolean atStart) {
        if (found == '\n') {
            return MessageFault.BARE_LF;
        }
        if (found == ' ' || found == '\t') {
            return atStart ? MessageFault.FOLD : MessageFault.SPACE_BEFORE_COLON;
        }
        return MessageFault.FIELD_NAME;
    }

    private int refuse(MessageFault found) {
        fault = found;
        return FAULT;
    }

    private void add(int nameFrom, int nameLength, int valueFrom, int valueLength) {
        if (count * 4 == spans.length) {
            spans = Arrays.copyOf(spans, spans.length * 2);
            known = Arrays.copyOf(known, known.length * 2);
        }
        int offset = count * 4;
        spans[offset] = nameFrom;
        spans[offset + 1] = nameLength;
        spans[offset + 2] = valueFrom;
        spans[offset + 3] = valueLength;
        int ordinal = Field.ordinalOf(bytes, nameFrom, nameLength);
        known[count] = (byte) ordinal;
        if (ordinal >= 0) {
            long bit = 1L << ordinal;
            repeated |= present & bit;
            present |= bit;
        }
        count++;
    }

    @Nullable
    MessageFault fault() {
        return fault;
    }

    public int count() {
        return count;
    }

    public boolean has(Field field) {
        return (present & field.bit) != 0;
    }

    /**
     * Reports whether any field of {@code mask}, from {@link #mask}, is present: one test on the
     * hit path.
     */
    public boolean hasAny(long mask) {
        return (present & mask) != 0;
    }

    public boolean isRepeated(Field field) {
        return (repeated & field.bit) != 0;
    }

    /** Returns the set of these fields, for {@link #hasAny}. */
    public static long mask(Field... fields) {
        long mask = 0;
        for (Field field : fields) {
            mask |= field.bit;
        }
        return mask;
    }

    /**
     * Returns the index of the first such field.
     *
     * @return -1 when the field is absent
     */
    public int indexOf(Field field) {
        if (has(field)) {
            for (int i = 0; i < count; i++) {
                if (known[i] == field.ordinal()) {
                    return i;
                }
            }
        }
        return -1;
    }

    /** Reports whether the field at an index is in {@code mask}, from {@link #mask}. */
    public boolean isAmong(int index, long mask) {
        return known[index] >= 0 && (mask & 1L << known[index]) != 0;
    }

    /** Returns the field at an index; absent when this proxy does not process it. */
    public @Nullable Field knownAt(int index) {
        return known[index] < 0 ? null : FIELD[known[index]];
    }

    private static final Field[] FIELD = Field.values();

    /** Returns the bytes that the spans refer to, without a copy. */
    public byte[] bytes() {
        return bytes;
    }

    /** Returns the index in {@link #bytes} of a field's name. */
    public int nameFrom(int index) {
        return spans[index * 4];
    }

    public int nameLength(int index) {
        return spans[index * 4 + 1];
    }

    /** Returns the index in {@link #bytes} of a field's value. */
    public int valueFrom(int index) {
        return spans[index * 4 + 2];
    }

    public int valueLength(int index) {
        return spans[index * 4 + 3];
    }

    public String nameAt(int index) {
        return new String(bytes, nameFrom(index), nameLength(index), StandardCharsets.ISO_8859_1);
    }

    public String valueAt(int index) {
        return new String(bytes, valueFrom(index), valueLength(index), StandardCharsets.ISO_8859_1);
    }

    /** Returns the first value; absent when the field is absent. */
    public @Nullable String first(Field field) {
        int index = indexOf(field);
        return index < 0 ? null : valueAt(index);
    }

    /**
     * Returns every value of a field by its lower-case name, joined by {@code ", "} (RFC 9110
     * section 5.2); absent when there is none.
     */
    public @Nullable String joined(String lowerName) {
        byte[] name = Ascii.bytes(lowerName);
        String all = null;
        for (int i = 0; i < count; i++) {
            if (Ascii.equalsLower(bytes, nameFrom(i), nameLength(i), name)) {
                all = all == null ? valueAt(i) : all + ", " + valueAt(i);
            }
        }
        return all;
    }

    /** Returns every value of a known field, joined by {@code ", "}; absent when there is none. */
    public @Nullable String joined(Field field) {
        int index = indexOf(field);
        if (index < 0) {
            return null;
        }
        if (!isRepeated(field)) {
            return valueAt(index);
        }
        StringBuilder all = new StringBuilder(valueAt(index));
        for (int i = index + 1; i < count; i++) {
            if (known[i] == field.ordinal()) {
                all.append(", ").append(valueAt(i));
            }
        }
        return all.toString();
    }
}
