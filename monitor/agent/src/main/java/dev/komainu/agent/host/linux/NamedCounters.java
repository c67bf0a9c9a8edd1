package dev.komainu.agent.host.linux;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A few values out of files that name many: {@code vmstat} ({@code pgfault 12}), {@code meminfo}
 * ({@code MemFree: 12 kB}), {@code net/netstat} and {@code net/snmp} (a line of names, a line of
 * values), {@code net/sockstat} ({@code TCP: inuse 1 orphan 0}). Names of the latter are asked for
 * as {@code TCP:inuse}. The rest is passed over unread. One thread at a time.
 */
public final class NamedCounters {

    private static final byte[] KILOBYTES = bytes("kB");
    private static final byte[] NO_GROUP = {};

    private final byte[][] groups;
    private final byte[][] names;
    private final long[] values;
    private final boolean[] seen;

    /** @param wanted what is asked for; {@link #get} takes its index here */
    public NamedCounters(String... wanted) {
        groups = new byte[wanted.length][];
        names = new byte[wanted.length][];
        values = new long[wanted.length];
        seen = new boolean[wanted.length];
        for (int i = 0; i < wanted.length; i++) {
            int colon = wanted[i].indexOf(':');
            groups[i] = colon < 0 ? NO_GROUP : bytes(wanted[i].substring(0, colon + 1));
            names[i] = bytes(wanted[i].substring(colon + 1));
        }
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Whether the file last read has this value. */
    public boolean has(int index) {
        return seen[index];
    }

    /** The value; 0 where this kernel has none of the name. */
    public long get(int index) {
        return values[index];
    }

    private void forget() {
        Arrays.fill(values, 0);
        Arrays.fill(seen, false);
    }

    /**
     * One {@code name value} a line; a colon after the name is passed, {@code kB} makes bytes of
     * it.
     */
    public NamedCounters readLines(KernelFileText text) {
        forget();
        if (!text.isEmpty()) {
            do {
                text.skipBlanks();
                int from = text.place();
                text.skipWord();
                int to = text.place();
                int index = find(text, NO_GROUP, from, to);
                if (index < 0 && to > from && text.startsWith(to - 1, COLON)) {
                    index = find(text, NO_GROUP, from, to - 1);
                }
                if (index >= 0) {
                    takeLine(text, index);
                }
            } while (text.nextLine());
        }
        return this;
    }

    private static final byte[] COLON = bytes(":");

    private void takeLine(KernelFileText text, int index) {
        long value = text.number(-1);
        // Counters beyond 2^63 come out negative: -1 alone is not told apart from none, and no
        // counter stands there.
        if (value != -1) {
            text.skipBlanks();
            take(index, text.accept(KILOBYTES) ? value * 1024 : value);
        }
    }

    /** A group, a colon, then names and values in turn, one group a line. */
    public NamedCounters readGroups(KernelFileText text) {
        forget();
        if (!text.isEmpty()) {
            do {
                byte @Nullable [] group = group(text);
                while (group != null && !text.atLineEnd()) {
                    int from = text.place();
                    text.skipWord();
                    int index = find(text, group, from, text.place());
                    long value = text.number(-1);
                    if (index >= 0 && value != -1) {
                        take(index, value);
                    }
                }
            } while (text.nextLine());
        }
        return this;
    }

    /**
     * Pairs of lines that begin with the same group: names, then values. Signed values are left
     * out.
     */
    public NamedCounters readPairs(KernelFileText text) {
        forget();
        boolean more = !text.isEmpty();
        while (more) {
            byte @Nullable [] group = group(text);
            int name = text.place();
            more = text.nextLine();
            if (group == null || !more || !text.accept(group)) {
                continue;
            }
            int value = text.place();
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
            int from = text.place();
            text.skipWord();
            name = text.place();
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
                    take(index, number);
                }
            }
            value = text.place();
        }
    }

    /** The wanted group this line begins with, passed; null where nobody asked for it. */
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

    private void take(int index, long value) {
        values[index] = value;
        seen[index] = true;
    }
}
