package dev.komainu.agent.accesslog;

import java.util.Arrays;

/**
 * The spans of the logged requests, and the number of requests in progress at once. Requests that
 * share one of the log's times, a full second or a millisecond, are spread over that step evenly: a
 * thousand requests of a millisecond each did not run at once. At most a given number is kept; more
 * are left out of N_c, and counted. Single thread.
 */
final class LoggedConcurrency {

    /** Largest number of requests kept while a log is followed: 4 MB. */
    static final int USUAL_MOST = 1 << 18;

    private final int most;
    private final long resolutionMicros;
    private final boolean timedAtBegin;
    private long[] times = new long[256];
    private long[] durations = new long[256];
    private int size;
    private long leftOut;

    LoggedConcurrency(int most, long resolutionMicros, boolean timedAtBegin) {
        this.most = most;
        this.resolutionMicros = resolutionMicros;
        this.timedAtBegin = timedAtBegin;
    }

    /**
     * N_c of a stretch of time.
     *
     * @param mean time-weighted
     * @param max highest; requests without a duration count as instants
     */
    record Concurrency(double mean, long max) {}

    /**
     * Adds a request.
     *
     * @param time its begin or end, whichever the log contains
     */
    void add(long time, long durationMicros) {
        if (size == most) {
            leftOut++;
            return;
        }
        if (size == times.length) {
            times = Arrays.copyOf(times, size * 2);
            durations = Arrays.copyOf(durations, size * 2);
        }
        times[size] = time;
        durations[size++] = durationMicros;
    }

    long leftOut() {
        return leftOut;
    }

    int size() {
        return size;
    }

    void clear() {
        size = 0;
    }

    /** Drops requests that ended before an instant. */
    void dropBefore(long micros) {
        int kept = 0;
        for (int i = 0; i < size; i++) {
            long end = timedAtBegin ? times[i] + durations[i] : times[i];
            if (end + resolutionMicros >= micros) {
                times[kept] = times[i];
                durations[kept++] = durations[i];
            }
        }
        size = kept;
        if (times.length > 1_024 && size < times.length / 8) {
            times = Arrays.copyOf(times, times.length / 4);
            durations = Arrays.copyOf(durations, durations.length / 4);
        }
    }

    Concurrency over(long from, long to) {
        int[] inside = inside(from, to);
        long[] sorted = new long[inside.length];
        for (int i = 0; i < inside.length; i++) {
            sorted[i] = times[inside[i]];
        }
        Arrays.sort(sorted);
        int[] placed = new int[sorted.length];
        long[] begins = new long[sorted.length];
        long[] ends = new long[sorted.length];
        int count = 0;
        double area = 0;
        for (int at : inside) {
            long time = times[at] + spread(sorted, placed, times[at]);
            long begin = timedAtBegin ? time : time - durations[at];
            long end = begin + durations[at];
            if (end >= from && begin < to) {
                begins[count] = Math.max(begin, from);
                // An instant lasts a microsecond, so that it counts beside longer requests.
                ends[count++] = Math.max(Math.min(end, to), Math.max(begin, from) + 1);
                area += Math.max(0, Math.min(end, to) - Math.max(begin, from));
            }
        }
        Arrays.sort(begins, 0, count);
        Arrays.sort(ends, 0, count);
        int max = 0;
        int ended = 0;
        for (int started = 0; started < count; started++) {
            while (ends[ended] <= begins[started]) {
                ended++;
            }
            max = Math.max(max, started + 1 - ended);
        }
        return new Concurrency(area / (to - from), max);
    }

    /**
     * Returns the indices of the requests that may overlap a stretch of time; requests that share a
     * time are all included or none.
     */
    private int[] inside(long from, long to) {
        int[] places = new int[size];
        int count = 0;
        for (int i = 0; i < size; i++) {
            long begin = timedAtBegin ? times[i] : times[i] - durations[i];
            if (begin + durations[i] + resolutionMicros >= from && begin - resolutionMicros < to) {
                places[count++] = i;
            }
        }
        return Arrays.copyOf(places, count);
    }

    /**
     * Returns the offset of a request within the step of its time, given the requests that share
     * the time.
     */
    private long spread(long[] sorted, int[] placed, long time) {
        int first = firstNotBelow(sorted, time);
        int sharing = firstNotBelow(sorted, time + 1) - first;
        return resolutionMicros * (2L * placed[first]++ + 1) / (2L * sharing);
    }

    private static int firstNotBelow(long[] sorted, long value) {
        int low = 0;
        int high = sorted.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (sorted[middle] < value) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
