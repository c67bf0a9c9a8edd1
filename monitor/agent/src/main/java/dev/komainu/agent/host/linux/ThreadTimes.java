package dev.komainu.agent.host.linux;

import java.util.Arrays;

/**
 * The CPU times of a process's threads at the last reading, and the growth since the reading before
 * it. Threads are listed in the same order at each reading, so a thread is searched from the place
 * of the one before. One thread at a time.
 */
final class ThreadTimes {

    /** Places searched for a thread: as many threads may end between two readings. */
    private static final int REACH = 64;

    private static final int NO_KIND = -1;

    private long[] ids = {};
    private long[] nanos = {};
    private int[] kinds = {};
    private int count;
    private long[] idsNow = new long[1];
    private long[] nanosNow = new long[1];
    private int[] kindsNow = new int[1];
    private int countNow;
    private int at;
    private boolean begun;

    /** Growth of the thread that grew most; 0 at the first reading. */
    long busiestNanos;

    /** Growth of the threads of the kind {@link #RUNTIME}; 0 at the first reading. */
    long runtimeNanos;

    /** A thread that serves requests, or whose kind is not known. */
    static final int REQUESTS = 0;
    /** A thread of the runtime. */
    static final int RUNTIME = 1;

    /** Returns the kind of threads that are seen for the first time. */
    @FunctionalInterface
    interface KindReader {
        int kindOf(long thread);
    }

    void begin() {
        countNow = 0;
        at = 0;
        busiestNanos = 0;
        runtimeNanos = 0;
    }

    void add(long id, long cpuNanos, KindReader reader) {
        int known = find(id);
        if (countNow == idsNow.length) {
            idsNow = Arrays.copyOf(idsNow, countNow * 2);
            nanosNow = Arrays.copyOf(nanosNow, countNow * 2);
            kindsNow = Arrays.copyOf(kindsNow, countNow * 2);
        }
        int kind = known < 0 ? NO_KIND : kinds[known];
        if (kind == NO_KIND) {
            kind = reader.kindOf(id);
        }
        idsNow[countNow] = id;
        nanosNow[countNow] = cpuNanos;
        kindsNow[countNow++] = kind;
        if (begun) {
            long growth = Math.max(0, cpuNanos - (known < 0 ? 0 : nanos[known]));
            busiestNanos = Math.max(busiestNanos, growth);
            runtimeNanos += kind == RUNTIME ? growth : 0;
        }
    }

    private int find(long id) {
        for (int i = at; i < Math.min(count, at + REACH); i++) {
            if (ids[i] == id) {
                at = i + 1;
                return i;
            }
        }
        return -1;
    }

    /** Ends the reading: its times are those before the next one. */
    void end() {
        long[] freedIds = ids;
        long[] freedNanos = nanos;
        int[] freedKinds = kinds;
        ids = idsNow;
        nanos = nanosNow;
        kinds = kindsNow;
        count = countNow;
        idsNow = freedIds.length == 0 ? new long[1] : freedIds;
        nanosNow = freedNanos.length == 0 ? new long[1] : freedNanos;
        kindsNow = freedKinds.length == 0 ? new int[1] : freedKinds;
        begun = true;
    }
}
