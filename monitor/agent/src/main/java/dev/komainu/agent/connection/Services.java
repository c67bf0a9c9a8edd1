package dev.komainu.agent.connection;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Numbers for the watched services, so that rows and events carry an int. Number {@link #UNWATCHED} stands for every
 * server that is not watched. Single thread; looks up without allocating once a server is known.
 */
public final class Services {

    public static final int UNWATCHED = 0;

    /** Distinct server addresses remembered; beyond, all are forgotten and asked anew (a port scan would fill memory). */
    private static final int MOST_ADDRESSES = 1 << 16;

    private final ServiceNames source;
    private final List<String> names = new ArrayList<>();
    private final Map<String, Integer> numbers = new HashMap<>();
    private final BitSet always = new BitSet();
    private long[] keys = new long[64 * 3];
    private int[] values = new int[64];
    private int known;
    private int generation;

    public Services(ServiceNames source) {
        this.source = source;
        this.generation = source.generation();
        names.add("");
    }

    /** How many numbers are in use, {@link #UNWATCHED} among them. */
    public int count() {
        return names.size();
    }

    /** @return the service's id; null for {@link #UNWATCHED} */
    public @Nullable String name(int service) {
        return service == UNWATCHED ? null : names.get(service);
    }

    /** Gives the services of {@link ServiceNames#always} their numbers. */
    public void refresh() {
        List<String> now = source.always();
        always.clear();
        for (String name : now) {
            always.set(number(name));
        }
    }

    /** Whether the service has a window also when nothing happens: one of {@link ServiceNames#always}. */
    public boolean isAlways(int service) {
        return always.get(service);
    }

    /** Whether any service is to have windows at all times; if none, all services met have them. */
    public boolean hasAlways() {
        return !always.isEmpty();
    }

    int of(long high, long low, int port) {
        if (generation != source.generation()) {
            generation = source.generation();
            forget();
        }
        int mask = values.length - 1;
        int slot = hash(high, low, port) & mask;
        while (values[slot] != 0) {
            if (keys[slot * 3] == high && keys[slot * 3 + 1] == low && keys[slot * 3 + 2] == port) {
                return values[slot] - 1;
            }
            slot = slot + 1 & mask;
        }
        String name = source.nameOf(RecordWriter.endpoint(high, low, port));
        int service = name == null ? UNWATCHED : number(name);
        if (known == MOST_ADDRESSES) {
            forget();
        }
        if (known * 2 >= values.length) {
            grow();
        }
        put(high, low, port, service + 1);
        return service;
    }

    private int number(String name) {
        Integer number = numbers.get(name);
        if (number == null) {
            number = names.size();
            numbers.put(name, number);
            names.add(name);
        }
        return number;
    }

    private void put(long high, long low, int port, int value) {
        int mask = values.length - 1;
        int slot = hash(high, low, port) & mask;
        while (values[slot] != 0) {
            slot = slot + 1 & mask;
        }
        keys[slot * 3] = high;
        keys[slot * 3 + 1] = low;
        keys[slot * 3 + 2] = port;
        values[slot] = value;
        known++;
    }

    private void grow() {
        long[] oldKeys = keys;
        int[] oldValues = values;
        keys = new long[oldKeys.length * 2];
        values = new int[oldValues.length * 2];
        known = 0;
        for (int i = 0; i < oldValues.length; i++) {
            if (oldValues[i] != 0) {
                put(oldKeys[i * 3], oldKeys[i * 3 + 1], (int) oldKeys[i * 3 + 2], oldValues[i]);
            }
        }
    }

    private void forget() {
        keys = new long[64 * 3];
        values = new int[64];
        known = 0;
    }

    private static int hash(long high, long low, int port) {
        long h = (high * 31 ^ low ^ (long) port << 40) * 0x9e3779b97f4a7c15L;
        return (int) (h >>> 32 ^ h >>> 13);
    }
}
