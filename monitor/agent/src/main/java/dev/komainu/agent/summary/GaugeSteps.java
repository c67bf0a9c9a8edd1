package dev.komainu.agent.summary;

import java.util.Arrays;
import java.util.List;

/**
 * The steps of a gauge during a window, up or down by one. Several gauges that were counted
 * separately can so be added exactly: the highest value of a sum is not the sum of the highest
 * values.
 *
 * <pre>
 *  step: 31 … 1 microseconds since the window's beginning, never less than the step before | 0: 0 down, 1 up
 * </pre>
 */
final class GaugeSteps {

    /**
     * Largest number of steps kept: a quarter of a megabyte. Beyond, the highest value of a sum is
     * reported too high.
     */
    static final int MOST = 1 << 16;

    private static final int[] NONE = {};

    private long begin;
    private long highest;
    private long from;
    private int[] steps = NONE;
    private int count;
    private boolean full;

    /** Immutable copy of the steps. */
    record Snapshot(long begin, long highest, int[] steps, boolean isWhole) {
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

    Snapshot take() {
        Snapshot snapshot = new Snapshot(begin, highest, Arrays.copyOf(steps, count), !full);
        if (steps.length > count * 4) {
            // Releases the memory that a peak needed.
            steps = NONE;
        }
        return snapshot;
    }

    /**
     * Returns the highest value of the sum. Exact except for steps of two parts in one microsecond:
     * steps up are applied first.
     *
     * @param parts steps of one window
     */
    static long highest(List<Snapshot> parts) {
        if (!parts.stream().allMatch(Snapshot::isWhole)) {
            return parts.stream().mapToLong(Snapshot::highest).sum();
        }
        long value = parts.stream().mapToLong(Snapshot::begin).sum();
        long most = value;
        int[] places = new int[parts.size()];
        while (true) {
            int first = -1;
            int step = 0;
            for (int i = 0; i < places.length; i++) {
                int[] partSteps = parts.get(i).steps();
                if (places[i] < partSteps.length
                        && (first < 0 || isEarlier(partSteps[places[i]], step))) {
                    first = i;
                    step = partSteps[places[i]];
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

    private static boolean isEarlier(int index, int other) {
        return index >>> 1 < other >>> 1 || (index >>> 1 == other >>> 1 && index > other);
    }
}
