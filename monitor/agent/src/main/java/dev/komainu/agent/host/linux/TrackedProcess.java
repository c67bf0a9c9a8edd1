package dev.komainu.agent.host.linux;

import java.util.Arrays;

/**
 * One process of a watched server, followed from look to look. Its directory stays open: the kernel
 * ties that to the process itself, so that a number used again never lends one process the counters
 * of another.
 *
 * <p>A pool of hundreds of idle workers is the usual case. Whether a process ran at all is told by
 * {@code schedstat} for a microsecond; where it did not, none of its counters can have moved and
 * nothing else is read. What it holds of others' memory (RSS) may shrink while it sleeps; that is
 * seen when it runs next. One thread at a time.
 */
final class TrackedProcess {

    /** Threads of one process looked at; what more of them do is left out. */
    private static final int MOST_THREADS = 1_024;

    /** Threads asked what they wait for, of a process that reads or writes a disk. */
    private static final int MOST_STATES = 256;

    /**
     * Linux counts in hundredths of a second for user space on every architecture we know of
     * (USER_HZ).
     */
    private static final long NANOS_PER_TICK = 10_000_000;

    private static final byte[] NOTHING = {};
    private static final byte[] SCHEDSTAT = NamedCounters.bytes("schedstat");
    private static final byte[] STAT = NamedCounters.bytes("stat");
    private static final byte[] IO = NamedCounters.bytes("io");
    private static final byte[] OPEN_FILES = NamedCounters.bytes("fd");
    private static final byte[] LIMITS = NamedCounters.bytes("limits");
    private static final byte[] STATUS = NamedCounters.bytes("status");
    private static final byte[] TASK = NamedCounters.bytes("task");
    private static final byte[] OF_TASK = NamedCounters.bytes("task/");
    private static final byte[] TASK_SCHEDSTAT = NamedCounters.bytes("/schedstat");
    private static final byte[] TASK_STAT = NamedCounters.bytes("/stat");
    private static final byte[] TASK_STATUS = NamedCounters.bytes("/status");
    private static final byte[] TASK_CHILDREN = NamedCounters.bytes("/children");
    private static final byte[] FILES_LIMIT = NamedCounters.bytes("Max open files");
    private static final byte[] UNLIMITED = NamedCounters.bytes("unlimited");

    /** What one look at a process said. */
    enum Look {
        GONE,
        /** As before in everything. */
        IDLE,
        RAN
    }

    final long id;
    private final KernelReader reader;
    private final int directory;
    private final int schedstat;
    private final boolean filesBySize;
    private final NamedCounters calls =
            new NamedCounters("syscr", "syscw", "read_bytes", "write_bytes");
    private final NamedCounters switched =
            new NamedCounters("voluntary_ctxt_switches", "nonvoluntary_ctxt_switches");
    private long[] threadIds = new long[1];
    private int threadCount = 1;
    private boolean fresh = true;

    /** CPU time and times on a CPU when it was last read, over all threads. */
    private long ran = -1;

    /** The CPU time in that, nanoseconds. */
    private long ranNanos;

    /** Time its threads waited for a CPU when it was last read. */
    private long waitedNanos = -1;

    private long waitedSum;
    private long ownTicks;
    private long childrenTicks;
    private boolean inDisk;

    private long switches;
    private long readWriteCalls = -1;
    private long readBytes = -1;
    private long writtenBytes = -1;

    int threads = 1;
    long residentPages;
    /** Its own and that of children it has waited for. */
    long cpuNanos;

    /** The kernel's part of that. */
    long kernelNanos;

    /**
     * Threads in uninterruptible sleep when it was last read: one that waits on has not run since.
     */
    int blocked;

    long minorFaults;
    long majorFaults;
    /** -1 where we may not look. */
    long openFiles = -1;
    /** Since the last look; readWriteCallsGrown is -1 where the kernel does not tell. */
    long switchesGrown;

    long readWriteCallsGrown;

    /** Since the last look; -1 where the kernel does not tell. */
    long waitedNanosGrown = -1;

    long readBytesGrown = -1;
    long writtenBytesGrown = -1;

    /**
     * @param procDirectory descriptor of {@code /proc}
     * @param filesBySize whether the size of {@code fd} is the number of its entries (since Linux
     *     6.2)
     */
    TrackedProcess(KernelReader reader, int procDirectory, long id, boolean filesBySize) {
        this.reader = reader;
        this.id = id;
        this.filesBySize = filesBySize;
        this.directory = reader.open(procDirectory, NOTHING, id, NOTHING);
        this.schedstat = reader.open(directory, SCHEDSTAT);
        threadIds[0] = id;
    }

    /**
     * Reads what may have changed.
     *
     * @param bornSince whether it began since the look before, so that all it did was done since
     */
    Look look(boolean bornSince) {
        switchesGrown = 0;
        readWriteCallsGrown = readWriteCalls < 0 ? -1 : 0;
        readBytesGrown = readBytes < 0 ? -1 : 0;
        writtenBytesGrown = writtenBytes < 0 ? -1 : 0;
        waitedNanosGrown = waitedNanos < 0 ? -1 : 0;
        if (directory < 0) {
            return Look.GONE;
        }
        long before = ran;
        if (threads == 1 && schedstat >= 0) {
            if (!reader.readOnce(schedstat)) {
                return Look.GONE;
            }
            forgetRuns();
            long runs = takeSchedstat();
            if (runs > 0 && ran == before) {
                return Look.IDLE;
            }
            return readStat() ? read(runs, bornSince) : Look.GONE;
        }
        if (!readStat()) {
            return Look.GONE;
        }
        long runs = threads == 1 && schedstat < 0 ? 0 : runsOfThreads();
        if (runs > 0 && ran == before) {
            return Look.IDLE;
        }
        return read(runs, bornSince);
    }

    /**
     * Adds this thread's CPU time to {@link #ran}; tells how often it was given a CPU, 0 where that
     * is not counted.
     */
    private long takeSchedstat() {
        KernelFileText text = reader.text();
        long nanos = Math.max(0, text.number(0));
        long waited = Math.max(0, text.number(0));
        long runs = text.number(0);
        waitedSum += waited;
        ranNanos += nanos;
        ran += nanos + runs;
        return Math.max(0, runs);
    }

    private void forgetRuns() {
        ran = 0;
        ranNanos = 0;
        waitedSum = 0;
    }

    /**
     * The kernel cuts user and system time to whole ticks each, so what a process used lies between
     * their sum and two ticks more. Where in between, its run times tell to the nanosecond; beyond,
     * they miss threads that ended, and the ticks hold.
     */
    private long cpuNanos() {
        long least = ownTicks * NANOS_PER_TICK;
        return Math.clamp(ranNanos, least, least + 2 * NANOS_PER_TICK)
                + childrenTicks * NANOS_PER_TICK;
    }

    private Look read(long runs, boolean bornSince) {
        long switchesNow = runs > 0 ? runs : switchesByStatus();
        long waitedNow = runs > 0 ? waitedSum : -1;
        long callsNow = -1;
        long readNow = -1;
        long writtenNow = -1;
        if (reader.readOnce(directory, IO)) {
            calls.readLines(reader.text());
            callsNow = calls.has(0) && calls.has(1) ? Math.max(0, calls.get(0) + calls.get(1)) : -1;
            readNow = calls.has(2) ? Math.max(0, calls.get(2)) : -1;
            writtenNow = calls.has(3) ? Math.max(0, calls.get(3)) : -1;
        }
        boolean counts = !fresh || bornSince;
        switchesGrown = counts ? Math.max(0, switchesNow - switches) : 0;
        readWriteCallsGrown = grown(callsNow, readWriteCalls, counts);
        readBytesGrown = grown(readNow, readBytes, counts);
        writtenBytesGrown = grown(writtenNow, writtenBytes, counts);
        waitedNanosGrown = grown(waitedNow, waitedNanos, counts);
        switches = switchesNow;
        readWriteCalls = callsNow;
        readBytes = readNow;
        writtenBytes = writtenNow;
        waitedNanos = waitedNow;
        blocked = blockedThreads();
        openFiles = countOpenFiles();
        cpuNanos = cpuNanos();
        fresh = false;
        return Look.RAN;
    }

    /**
     * @param counts false at a first look at a process that is older than that: what it did before
     *     is nobody's growth
     */
    private static long grown(long now, long before, boolean counts) {
        return now < 0 ? -1 : counts ? Math.max(0, now - Math.max(0, before)) : 0;
    }

    /** Only where the process moves data to or from a disk are its threads asked one by one. */
    private int blockedThreads() {
        if (threads == 1
                || readBytesGrown <= 0 && writtenBytesGrown <= 0 && blocked == 0 && !inDisk) {
            return inDisk ? 1 : 0;
        }
        int count = 0;
        for (int i = 0; i < Math.min(threadCount, MOST_STATES); i++) {
            if (reader.readOnce(directory, OF_TASK, threadIds[i], TASK_STAT)) {
                KernelFileText text = reader.text();
                count += text.passLast(')') && waitsForDisk(text) ? 1 : 0;
            }
        }
        return count;
    }

    private static boolean waitsForDisk(KernelFileText text) {
        text.skipBlanks();
        return text.peek() == 'D';
    }

    private boolean readStat() {
        if (!reader.readOnce(directory, STAT)) {
            return false;
        }
        KernelFileText text = reader.text();
        // The name may hold spaces and parentheses of its own: the last one closes it.
        if (!text.passLast(')')) {
            return false;
        }
        inDisk = waitsForDisk(text);
        text.skipWords(7);
        minorFaults = text.number(0) + text.number(0);
        majorFaults = text.number(0) + text.number(0);
        long user = text.number(0);
        long kernel = text.number(0);
        long childrenUser = text.number(0);
        long childrenKernel = text.number(0);
        ownTicks = user + kernel;
        childrenTicks = childrenUser + childrenKernel;
        kernelNanos = (kernel + childrenKernel) * NANOS_PER_TICK;
        text.skipWords(2);
        long count = text.number(-1);
        text.skipWords(3);
        long pages = text.number(-1);
        if (count == -1 || pages == -1) {
            return false;
        }
        threads = (int) Math.clamp(count, 1, Integer.MAX_VALUE);
        residentPages = Math.max(0, pages);
        return true;
    }

    /**
     * How often all its threads were given a CPU; adds their CPU time to {@link #ran}, which begins
     * anew.
     */
    private long runsOfThreads() {
        listThreads();
        long sum = 0;
        forgetRuns();
        for (int i = 0; i < threadCount; i++) {
            if (reader.readOnce(directory, OF_TASK, threadIds[i], TASK_SCHEDSTAT)) {
                sum += takeSchedstat();
            }
        }
        return sum;
    }

    private void listThreads() {
        threadCount = 0;
        reader.numbersIn(directory, TASK, number -> {
            if (threadCount < MOST_THREADS) {
                if (threadCount == threadIds.length) {
                    threadIds = Arrays.copyOf(threadIds, threadCount * 2);
                }
                threadIds[threadCount++] = number;
            }
        });
        if (threadCount == 0) {
            threadIds[0] = id;
            threadCount = 1;
        }
    }

    /** For kernels that keep no schedstat; a file of more work, and of one thread at a time. */
    private long switchesByStatus() {
        if (threads == 1) {
            return reader.readOnce(directory, STATUS) ? switched() : 0;
        }
        long sum = 0;
        for (int i = 0; i < threadCount; i++) {
            sum += reader.readOnce(directory, OF_TASK, threadIds[i], TASK_STATUS) ? switched() : 0;
        }
        return sum;
    }

    private long switched() {
        switched.readLines(reader.text());
        return switched.get(0) + switched.get(1);
    }

    private long countOpenFiles() {
        return filesBySize
                ? reader.size(directory, OPEN_FILES)
                : reader.countNumbers(directory, OPEN_FILES);
    }

    /** Soft limit of open files; -1 where there is none or it is not told. */
    long openFilesLimit() {
        if (!reader.readOnce(directory, LIMITS)) {
            return -1;
        }
        KernelFileText text = reader.text();
        text.rewind();
        do {
            if (text.accept(FILES_LIMIT)) {
                text.skipBlanks();
                return text.accept(UNLIMITED) ? -1 : text.number(-1);
            }
        } while (text.nextLine());
        return -1;
    }

    /**
     * Tells the processes this one forked; false where the kernel keeps no such list
     * (CONFIG_PROC_CHILDREN).
     */
    boolean children(KernelReader.NumberSink sink) {
        boolean told = false;
        for (int i = 0; i < (threads == 1 ? 1 : threadCount); i++) {
            int file = reader.open(
                    directory, OF_TASK, threads == 1 ? id : threadIds[i], TASK_CHILDREN);
            if (reader.read(file)) {
                told = true;
                KernelFileText text = reader.text();
                text.rewind();
                while (!text.atLineEnd()) {
                    long child = text.number(-1);
                    if (child > 0) {
                        sink.accept(child);
                    }
                }
            }
            reader.close(file);
        }
        return told;
    }

    void close() {
        reader.close(schedstat);
        reader.close(directory);
    }
}
