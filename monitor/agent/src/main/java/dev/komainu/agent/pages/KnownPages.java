package dev.komainu.agent.pages;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The paths for which each service has sent a good response within the last hour. A later 404 for
 * such a path means a lost page, not a crawler that guesses. It lives as long as its session,
 * because the watched services may change.
 *
 * <pre>
 *  services that have a table   256     later ones have no table: they lose no pages
 *  paths of a service           4,096   of the four in its slot, the one not found for longest is evicted (32 KB a table)
 *  age                          1 h     a path not found for longer was removed on purpose
 * </pre>
 *
 * Any thread. Two threads that write the same slot at once lose one of the two paths; the next
 * response restores it.
 */
public final class KnownPages {

    private static final int MOST_SERVICES = 256;
    private static final int PLACES = 4_096;
    private static final int WAYS = 4;
    private static final int SETS_MASK = PLACES / WAYS - 1;
    private static final long OLDEST_SECONDS = 3_600;

    /**
     * Bits of the second in an entry. An entry is the upper bits of a path's hash above the second
     * in which it was found; the second wraps after 12 days.
     */
    private static final int SECOND_BITS = 20;

    private static final long SECONDS_MASK = (1L << SECOND_BITS) - 1;
    private static final long EMPTY = 0;

    private final ConcurrentHashMap<String, Pages> services = new ConcurrentHashMap<>();

    /**
     * Returns the pages of one service; beyond the largest number of services, a table that stays
     * empty.
     */
    public Pages of(String service) {
        Pages known = services.get(service);
        if (known != null) {
            return known;
        }
        return services.size() >= MOST_SERVICES
                ? new Pages(false)
                : services.computeIfAbsent(service, first -> new Pages(true));
    }

    /** The paths of one service. The table is allocated when the first path is found. */
    public static final class Pages {

        private final boolean remembers;
        private final AtomicReference<@Nullable AtomicLongArray> table = new AtomicReference<>();

        private Pages(boolean remembers) {
            this.remembers = remembers;
        }

        /**
         * Adds a path with a good response.
         *
         * @param path a hash of the path
         * @param micros time of the response, microseconds since the epoch
         */
        public void found(long path, long micros) {
            AtomicLongArray places = table.get();
            if (places == null) {
                if (!remembers) {
                    return;
                }
                table.compareAndSet(null, new AtomicLongArray(PLACES));
                places = table.get();
            }
            if (places != null) {
                put(places, path, micros / 1_000_000);
            }
        }

        /**
         * Reports whether the path had a good response within the last hour.
         *
         * @param path a hash of the path
         * @param micros time of the response, microseconds since the epoch
         */
        public boolean wasFound(long path, long micros) {
            AtomicLongArray places = table.get();
            if (places == null) {
                return false;
            }
            int first = first(path);
            for (int way = first; way < first + WAYS; way++) {
                long entry = places.getPlain(way);
                if (entry != EMPTY && isOf(entry, path)) {
                    return age(entry, micros / 1_000_000) <= OLDEST_SECONDS;
                }
            }
            return false;
        }

        private static void put(AtomicLongArray places, long path, long second) {
            int first = first(path);
            int oldest = first;
            long highest = -1;
            for (int way = first; way < first + WAYS; way++) {
                long entry = places.getPlain(way);
                if (entry != EMPTY && isOf(entry, path)) {
                    oldest = way;
                    break;
                }
                long age = entry == EMPTY ? Long.MAX_VALUE : age(entry, second);
                if (age > highest) {
                    highest = age;
                    oldest = way;
                }
            }
            places.setOpaque(oldest, (mixed(path) & ~SECONDS_MASK) | (second & SECONDS_MASK));
        }

        private static long age(long entry, long second) {
            long age = second - entry & SECONDS_MASK;
            // Packets of two threads are not in order: an instant
            // slightly in the past counts as now.
            return age > SECONDS_MASK - OLDEST_SECONDS ? 0 : age;
        }

        private static boolean isOf(long entry, long path) {
            return ((entry ^ mixed(path)) & ~SECONDS_MASK) == 0;
        }

        private static int first(long path) {
            return ((int) mixed(path) & SETS_MASK) * WAYS;
        }

        private static long mixed(long path) {
            long mixed = (path ^ path >>> 32) * 0x9e3779b97f4a7c15L;
            return mixed ^ mixed >>> 29;
        }
    }
}
