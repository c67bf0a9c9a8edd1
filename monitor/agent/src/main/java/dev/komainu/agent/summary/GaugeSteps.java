package dev.komainu.agent.summary;

import java.util.Arrays;
import java.util.List;

/**
 * How a number went up and down by one during a window, so that several of them, counted apart, can
 * be added as if they had been counted together: the highest of a sum is not the sum of the
 * highest.
 *
 * <pre>
 *  step: 31 … 1 microseconds since the window's beginning, never less than the step before | 0: 0 down, 1 up
 * </pre>
 */
final class GaugeSteps {

    /**
     * Beyond, the highest of a sum is told too high rather than the memory filled: a quarter of a
     * megabyte.
     */
    static final int MOST = 1 << 16;

    private static final int[] NONE = {};

    private long begin;
    private long highest;
    private long from;
    private int[] steps = NONE;
    private int count;
    private boolean full;

    /** Frozen. */
    record Taken(long begin, long highest, int[] steps, boolean isWhole) {
        @Override
        public boolean equals(Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    void begin(long value, long micros) {
        begin = value;
        highest = value;
        from = micros;
        count = 0;
        full = false;
    }

    void step(boolean up, long value, long micros) {
        highest = Math.max(highest, value);
        if (count == MOST) {
            full = true;
            return;
        }
        if (count == steps.length) {
            steps = Arrays.copyOf(steps, Math.max(16, Math.min(MOST, count * 2)));
        }
        int offset = (int) Math.clamp(micros - from, 0, Integer.MAX_VALUE >>> 1);
        int least = count == 0 ? 0 : steps[count - 1] >>> 1;
        steps[count++] = Math.max(offset, least) << 1 | (up ? 1 : 0);
    }

    Taken take() {
        Taken taken = new Taken(begin, highest, Arrays.copyOf(steps, count), !full);
        if (steps.length > count * 4) {
            // What a rush took is given back.
            steps = NONE;
        }
        return taken;
    }

    /**
     * The highest of the sum. Exact but for steps of two parts in one microsecond: those up are
     * taken first.
     *
     * @param parts of one window
     */
    static long highest(List<Taken> parts) {
        if (!parts.stream().allMatch(Taken::isWhole)) {
            return parts.stream().mapToLong(Taken::highest).sum();
        }
        long value = parts.stream().mapToLong(Taken::begin).sum();
        long most = value;
        int[] places = new int[parts.size()];
        while (true) {
            int first = -1;
            int step = 0;
            for (int i = 0; i < places.length; i++) {
                int[] own = parts.get(i).steps();
                if (places[i] < own.length && (first < 0 || isEarlier(own[places[i]], step))) {
                    first = i;
                    step = own[places[i]];
                }
            }
            if (first < 0) {
                return most;
            }
            places[first]++;
            value += (step & 1) == 1 ? 1 : -1;
            most = Math.max(most, value);
        }
    }

    private static boolean isEarlier(int one, int other) {
        return one >>> 1 < other >>> 1 || one >>> 1 == other >>> 1 && one > other;
    }
}
