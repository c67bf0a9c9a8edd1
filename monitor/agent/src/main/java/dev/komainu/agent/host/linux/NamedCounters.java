package dev.komainu.agent.host.linux;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Selected values of files with many named values: {@code vmstat} ({@code pgfault 12}),
 * {@code meminfo} ({@code MemFree: 12 kB}), {@code net/netstat} and {@code net/snmp} (a line of
 * names, a line of values), {@code net/sockstat} ({@code TCP: inuse 1 orphan 0}). Names of the last
 * three have the form {@code TCP:inuse}. All other values are skipped. One thread at a time.
 */
public final class NamedCounters {

    private static final byte[] KILOBYTES = bytes("kB");
    private static final byte[] NO_GROUP = {};

    private final byte[][] groups;
    private final byte[][] names;
    private final long[] values;
    private final boolean[] seen;

    /**
     * Creates counters.
     *
     * @param requested the names; {@link #get} takes an index into them
     */
    public NamedCounters(String... requested) {
        groups = new byte[requested.length][];
        names = new byte[requested.length][];
        values = new long[requested.length];
        seen = new boolean[requested.length];
        for (int i = 0; i < requested.length; i++) {
            int colon = requested[i].indexOf(':');
            groups[i] = colon < 0 ? NO_GROUP : bytes(requested[i].substring(0, colon + 1));
            names[i] = bytes(requested[i].substring(colon + 1));
        }
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Reports whether the last file has this value. */
    public boolean has(int index) {
        return seen[index];
    }

    /** Returns the value; 0 when this kernel has no value of the name. */
    public long get(int index) {
        return values[index];
    }

    private void clear() {
        Arrays.fill(values, 0);
        Arrays.fill(seen, false);
    }

    /**
     * Reads one {@code name value} per line. A colon after the name is skipped; {@code kB} is
     * converted to bytes.
     */
    public NamedCounters readLines(KernelFileText text) {
        clear();
        if (!text.isEmpty()) {
            do {
                text.skipBlanks();
                int from = text.position();
                text.skipWord();
                int to = text.position();
                int index = find(text, NO_GROUP, from, to);
                if (index < 0 && to > from && text.startsWith(to - 1, COLON)) {
                    index = find(text, NO_GROUP, from, to - 1);
                }
                if (index >= 0) {
                    readValue(text, index);
                }
            } while (text.nextLine());
        }
        return this;
    }

    private static final byte[] COLON = bytes(":");

    private void readValue(KernelFileText text, int index) {
        long value = text.number(-1);
        // Counters above 2^63 are negative. Only -1 cannot be distinguished from a missing value;
        // no counter has it.
        if (value != -1) {
            text.skipBlanks();
            set(index, text.accept(KILOBYTES) ? value * 1024 : value);
        }
    }

    /** Reads a group, a colon, then names and values in turn, one group per line. */
    public NamedCounters readGroups(KernelFileText text) {
        clear();
        if (!text.isEmpty()) {
            do {
                byte @Nullable [] group = group(text);
                while (group != null && !text.atLineEnd()) {
                    int from = text.position();
                    text.skipWord();
                    int index = find(text, group, from, text.position());
                    long value = text.number(-1);
                    if (index >= 0 && value != -1) {
                        set(index, value);
                    }
                }
            } while (text.nextLine());
        }
        return this;
    }

    /**
     * Reads pairs of lines that begin with the same group: names, then values. Signed values are
     * left out.
     */
    public NamedCounters readPairs(KernelFileText text) {
        clear();
        boolean more = !text.isEmpty();
        while (more) {
            byte @Nullable [] group = group(text);
            int name = text.position();
            more = text.nextLine();
            if (group == null || !more || !text.accept(group)) {
                continue;
            }
            int value = text.position();
            pair(text, group, name, value);
            text.moveTo(value);
            more = text.nextLine();
        }
        return this;
    }

    private void pair(KernelFileText text, byte[] group, int namesFrom, int valuesFrom) {
        int name = namesFrom;
        int value = valuesFrom;
        while (true) {
            text.moveTo(name);
            if (text.atLineEnd()) {
                return;
            }
            int from = text.position();
            text.skipWord();
            name = text.position();
            int index = find(text, group, from, name);
            text.moveTo(value);
            if (text.atLineEnd()) {
                return;
            }
            if (index < 0) {
                text.skipWord();
            } else {
                long number = text.number(-1);
                if (number != -1) {
                    set(index, number);
                }
            }
            value = text.position();
        }
    }

    /**
     * Returns the requested group at the start of this line and skips it; null for another group.
     */
    private byte @Nullable [] group(KernelFileText text) {
        for (byte[] group : groups) {
            if (group.length > 0 && text.accept(group)) {
                return group;
            }
        }
        return null;
    }

    private int find(KernelFileText text, byte[] group, int from, int to) {
        for (int i = 0; i < names.length; i++) {
            if (names[i].length == to - from
                    && text.startsWith(from, names[i])
                    && Arrays.equals(groups[i], group)) {
                return i;
            }
        }
        return -1;
    }

    private void set(int index, long value) {
        values[index] = value;
        seen[index] = true;
    }
}
