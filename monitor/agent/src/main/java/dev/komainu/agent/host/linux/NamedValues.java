package dev.komainu.agent.host.linux;

import java.util.HashMap;
import java.util.Map;

/**
 * Files that name their values: {@code vmstat} ({@code pgfault 12}), {@code meminfo} ({@code MemFree: 12 kB}),
 * {@code net/netstat} and {@code net/snmp} (a line of names, a line of values), {@code net/sockstat}
 * ({@code TCP: inuse 1 orphan 0}). Names of the latter two are written {@code Tcp.OutSegs}.
 */
public final class NamedValues {

    private final Map<String, Long> values;

    private NamedValues(Map<String, Long> values) {
        this.values = values;
    }

    /** One {@code name value} a line; a colon after the name is dropped, {@code kB} makes bytes of it. */
    public static NamedValues ofLines(String text) {
        Map<String, Long> values = new HashMap<>();
        for (String line : text.split("\n")) {
            String[] f = line.strip().split("\\s+");
            Long value = f.length >= 2 ? Digits.of(f[1]) : null;
            if (value != null) {
                String name = f[0].endsWith(":") ? f[0].substring(0, f[0].length() - 1) : f[0];
                values.put(name, f.length > 2 && f[2].equals("kB") ? value * 1024 : value);
            }
        }
        return new NamedValues(values);
    }

    /** Pairs of lines with the same first word: names, then values. Signed values are left out. */
    public static NamedValues ofHeaderPairs(String text) {
        Map<String, Long> values = new HashMap<>();
        String[] lines = text.split("\n");
        for (int i = 0; i + 1 < lines.length; i++) {
            String[] names = lines[i].strip().split("\\s+");
            String[] numbers = lines[i + 1].strip().split("\\s+");
            if (names.length < 2 || !names[0].endsWith(":") || !names[0].equals(numbers[0])) {
                continue;
            }
            String group = names[0].substring(0, names[0].length() - 1);
            for (int k = 1; k < Math.min(names.length, numbers.length); k++) {
                Long value = Digits.of(numbers[k]);
                if (value != null && Digits.of(names[k]) == null) {
                    values.put(group + "." + names[k], value);
                }
            }
        }
        return new NamedValues(values);
    }

    /** A group, a colon, then names and values in turn. */
    public static NamedValues ofGroups(String text) {
        Map<String, Long> values = new HashMap<>();
        for (String line : text.split("\n")) {
            String[] f = line.strip().split("\\s+");
            if (!f[0].endsWith(":")) {
                continue;
            }
            String group = f[0].substring(0, f[0].length() - 1);
            for (int i = 1; i + 1 < f.length; i += 2) {
                Long value = Digits.of(f[i + 1]);
                if (value != null) {
                    values.put(group + "." + f[i], value);
                }
            }
        }
        return new NamedValues(values);
    }

    public boolean has(String name) {
        return values.containsKey(name);
    }

    /** The value, 0 where this kernel has none of the name. */
    public long get(String name) {
        return values.getOrDefault(name, 0L);
    }
}
