package dev.komainu.agent.connection;

import dev.komainu.agent.connection.exchange.PrivacyRules;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Numbers of the watched services, so that rows and events carry an int. Number {@link #UNWATCHED}
 * stands for every server that is not watched. Single thread; a lookup of a known server allocates
 * nothing.
 *
 * <p>A connection may count twice: for the server it goes to, and as a request of a proxy to its
 * origin. Rows and events then carry both numbers in one int: the server's own number in the lower
 * bits, a short number of the proxy's origin side in the upper ones.
 *
 * <pre>
 *  31 | 30 … 20 origin side, 0: none | 19 … 0 service, 0: unwatched
 * </pre>
 */
public final class ServiceNumbers {

    public static final int UNWATCHED = 0;

    private static final int ORIGIN_SHIFT = 20;
    private static final int OWN_MASK = (1 << ORIGIN_SHIFT) - 1;
    private static final int MOST_ORIGIN_SIDES = 2_047;

    /**
     * Largest number of distinct server addresses kept. Beyond, all are dropped and requested again
     * (a port scan would fill memory).
     */
    private static final int MOST_ADDRESSES = 1 << 16;

    private final ServiceNames source;
    private final List<String> names = new ArrayList<>();
    private final Map<String, Integer> numbers = new HashMap<>();
    /** Service numbers of origin sides. The index in this list plus one is the short number. */
    private final List<Integer> originSides = new ArrayList<>();

    private final BitSet always = new BitSet();
    private long[] keys = new long[64 * 3];
    private int[] values = new int[64];
    private int known;
    private int generation;

    public ServiceNumbers(ServiceNames source) {
        this.source = source;
        this.generation = source.generation();
        names.add("");
    }

    /** Returns how many numbers are in use, including {@link #UNWATCHED}. */
    public int count() {
        return names.size();
    }

    /**
     * Returns the id of the server's own service, else of the origin side; null for
     * {@link #UNWATCHED}.
     */
    public @Nullable String name(int service) {
        int first = first(service);
        return first == UNWATCHED ? null : names.get(first);
    }

    /** Returns the first service a connection counts for; {@link #rest} returns the others. */
    public int first(int connection) {
        int own = connection & OWN_MASK;
        int place = connection >>> ORIGIN_SHIFT;
        return own != UNWATCHED || place == 0 ? own : originSides.get(place - 1);
    }

    /**
     * Returns a connection's number without its {@link #first} service; {@link #UNWATCHED} when
     * none is left.
     */
    public static int rest(int connection) {
        return (connection & OWN_MASK) == UNWATCHED ? UNWATCHED : connection & ~OWN_MASK;
    }

    /** Returns a connection's number: that of its server, combined with that of its origin side. */
    int both(
            int own,
            long clientHigh,
            long clientLow,
            int clientPort,
            long high,
            long low,
            int port) {
        if (!source.hasOriginSides()) {
            return own;
        }
        String side = source.originSideOf(
                PrivacyRules.endpoint(clientHigh, clientLow, clientPort),
                PrivacyRules.endpoint(high, low, port));
        if (side == null) {
            return own;
        }
        int number = number(side);
        int place = originSides.indexOf(number);
        if (place < 0) {
            if (originSides.size() == MOST_ORIGIN_SIDES || number == UNWATCHED) {
                return own;
            }
            place = originSides.size();
            originSides.add(number);
        }
        return own | (place + 1) << ORIGIN_SHIFT;
    }

    /** Assigns numbers to the services of {@link ServiceNames#always}. */
    public void refresh() {
        List<String> now = source.always();
        always.clear();
        for (String name : now) {
            always.set(number(name));
        }
    }

    /**
     * Reports whether the service has a window even without traffic: one of
     * {@link ServiceNames#always}.
     */
    public boolean isAlways(int service) {
        return always.get(service);
    }

    /**
     * Reports whether any service is to have windows at all times; if none is, all services seen so
     * far have them.
     */
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
        String name = source.nameOf(PrivacyRules.endpoint(high, low, port));
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
            if (names.size() > OWN_MASK) {
                return UNWATCHED;
            }
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
