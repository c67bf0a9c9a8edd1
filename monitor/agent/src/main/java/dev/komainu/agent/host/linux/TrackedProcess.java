package dev.komainu.agent.host.linux;

import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One process of a watched server, read repeatedly. Its directory stays open: the kernel binds an
 * open directory to the process itself, so a reused id never mixes the counters of two processes.
 *
 * <p>A pool of hundreds of idle workers is the usual case. {@code schedstat} shows in a microsecond
 * whether a process ran at all; if it did not, none of its counters can have changed and no other
 * file is read. Its resident memory (RSS) may decrease while it sleeps; that is reported after it
 * runs again. One thread at a time.
 */
final class TrackedProcess {

    /** Maximum number of threads read per process; the activity of further threads is left out. */
    private static final int MAX_THREADS = 1_024;

    /** Maximum number of threads whose state is read, in a process that reads or writes a disk. */
    private static final int MAX_STATES = 256;

    /**
     * Linux reports times in hundredths of a second to user space on every known architecture
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
    private static final byte[] TASK_COMM = NamedCounters.bytes("/comm");
    private static final byte[] JAVA = NamedCounters.bytes("(java)");
    private static final byte[] UNLIMITED = NamedCounters.bytes("unlimited");

    /** A process's activity since the last update. */
    enum Activity {
        GONE,
        /** All counters are unchanged. */
        IDLE,
        RAN
    }

    final long id;
    private final KernelReader reader;
    private final int directory;
    private final int schedstat;
    private final boolean filesBySize;
    private final Path processPath;
    private final NamedCounters calls =
            new NamedCounters("syscr", "syscw", "read_bytes", "write_bytes");
    private final NamedCounters switched =
            new NamedCounters("voluntary_ctxt_switches", "nonvoluntary_ctxt_switches");
    private long[] threadIds = new long[1];
    private int threadCount = 1;
    private boolean fresh = true;
    private final ThreadTimes threadTimes = new ThreadTimes();
    private @Nullable CollectorPauses pauses;
    private long ownNanos;

    /** CPU time plus number of runs at the last reading, over all threads. */
    private long ran = -1;

    /** The CPU time in {@link #ran}, in nanoseconds. */
    private long ranNanos;

    /** Time its threads waited for a CPU at the last reading; -1 when unknown. */
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
    /** CPU time of the process and of children it has waited for. */
    long cpuNanos;

    /** The part of {@link #cpuNanos} spent in the kernel. */
    long kernelNanos;

    /**
     * Threads in uninterruptible sleep at the last reading. A thread that still waits has not run
     * since.
     */
    int blocked;

    /** Threads stopped by a signal or a debugger at the last reading of its state: all or none. */
    int stopped;

    /** True for a Java virtual machine, by the process name that the kernel reports. */
    boolean java;

    /** CPU time since the last update, without ended children. */
    long ownNanosGrowth;

    /** CPU time of its busiest thread since the last update; -1 when the kernel does not count. */
    long busiestThreadGrowth;

    /** CPU time of its runtime's own threads since the last update. */
    long runtimeGrowth;

    /** Time of collections that stop all threads, since the start; -1 when unknown. */
    long pauseNanos = -1;

    long minorFaults;
    long majorFaults;
    /** -1 without permission. */
    long openFiles = -1;
    /**
     * Growth since the last update. The growth of calls is -1 when the kernel does not report them.
     */
    long switchesGrowth;

    long readWriteCallsGrowth;

    /** Growth since the last update; -1 when the kernel does not report it. */
    long waitedNanosGrowth = -1;

    long readBytesGrowth = -1;
    long writtenBytesGrowth = -1;

    /**
     * Opens a process's directory.
     *
     * @param proc {@code /proc}, or a copy
     * @param procDirectory its descriptor
     * @param filesBySize whether the size of {@code fd} is the number of its entries (since Linux
     *     6.2)
     */
    TrackedProcess(
            KernelReader reader, ProcFiles proc, int procDirectory, long id, boolean filesBySize) {
        this.processPath = proc.path(Long.toString(id));
        this.reader = reader;
        this.id = id;
        this.filesBySize = filesBySize;
        this.directory = reader.open(procDirectory, NOTHING, id, NOTHING);
        this.schedstat = reader.open(directory, SCHEDSTAT);
        threadIds[0] = id;
    }

    /**
     * Reads the values that may have changed.
     *
     * @param startedSince whether the process may have started since the last update of its tree,
     *     so that all its activity is new
     */
    Activity update(boolean startedSince) {
        switchesGrowth = 0;
        readWriteCallsGrowth = readWriteCalls < 0 ? -1 : 0;
        readBytesGrowth = readBytes < 0 ? -1 : 0;
        writtenBytesGrowth = writtenBytes < 0 ? -1 : 0;
        waitedNanosGrowth = waitedNanos < 0 ? -1 : 0;
        ownNanosGrowth = 0;
        busiestThreadGrowth = 0;
        runtimeGrowth = 0;
        if (directory < 0) {
            return Activity.GONE;
        }
        long before = ran;
        if (threads == 1 && schedstat >= 0) {
            if (!reader.readOnce(schedstat)) {
                return Activity.GONE;
            }
            resetRuns();
            long runs = addSchedstat();
            if (runs > 0 && ran == before) {
                return Activity.IDLE;
            }
            return readStat() ? read(runs, startedSince) : Activity.GONE;
        }
        if (!readStat()) {
            return Activity.GONE;
        }
        long runs = threads == 1 && schedstat < 0 ? 0 : runsOfThreads();
        if (runs > 0 && ran == before) {
            return Activity.IDLE;
        }
        return read(runs, startedSince);
    }

    /**
     * Adds this thread's CPU time to {@link #ran}. Returns how often the thread got a CPU; 0 when
     * that is not counted.
     */
    private long addSchedstat() {
        KernelFileText text = reader.text();
        long nanos = Math.max(0, text.number(0));
        long waited = Math.max(0, text.number(0));
        long runs = text.number(0);
        waitedSum += waited;
        ranNanos += nanos;
        ran += nanos + runs;
        return Math.max(0, runs);
    }

    private void resetRuns() {
        ran = 0;
        ranNanos = 0;
        waitedSum = 0;
    }

    /**
     * Returns the CPU time without ended children. The kernel truncates user and system time to
     * whole ticks each, so the exact time lies between their sum and two ticks more. Within that
     * range the run times are exact to the nanosecond; beyond it they miss ended threads, and the
     * ticks apply.
     */
    private long ownNanos() {
        long least = ownTicks * NANOS_PER_TICK;
        return Math.clamp(ranNanos, least, least + 2 * NANOS_PER_TICK);
    }

    private Activity read(long runs, boolean startedSince) {
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
        boolean counts = !fresh || startedSince;
        switchesGrowth = counts ? Math.max(0, switchesNow - switches) : 0;
        readWriteCallsGrowth = growth(callsNow, readWriteCalls, counts);
        readBytesGrowth = growth(readNow, readBytes, counts);
        writtenBytesGrowth = growth(writtenNow, writtenBytes, counts);
        waitedNanosGrowth = growth(waitedNow, waitedNanos, counts);
        switches = switchesNow;
        readWriteCalls = callsNow;
        readBytes = readNow;
        writtenBytes = writtenNow;
        waitedNanos = waitedNow;
        blocked = blockedThreads();
        openFiles = countOpenFiles();
        long own = ownNanos();
        ownNanosGrowth = counts ? Math.max(0, own - ownNanos) : 0;
        ownNanos = own;
        busiestThreadGrowth =
                threads == 1 ? ownNanosGrowth : runs > 0 ? threadTimes.busiestNanos : -1;
        runtimeGrowth = threads == 1 ? 0 : threadTimes.runtimeNanos;
        cpuNanos = own + childrenTicks * NANOS_PER_TICK;
        if (java) {
            pauseNanos = pauses().nanos();
        }
        fresh = false;
        return Activity.RAN;
    }

    private CollectorPauses pauses() {
        CollectorPauses known = pauses;
        if (known == null) {
            known = new CollectorPauses(reader, processPath);
            pauses = known;
        }
        return known;
    }

    /**
     * Reads the state again, of a process that did not run: one that was stopped since does not
     * run.
     */
    void readState() {
        readStat();
    }

    /** Returns the number of threads that {@link #thread} can return. */
    int listed() {
        return threads == 1 ? 1 : threadCount;
    }

    /** Returns a thread of the last list. */
    long thread(int index) {
        return threads == 1 ? id : threadIds[index];
    }

    /** Returns the descriptor of its directory under {@code /proc}. */
    int directory() {
        return directory;
    }

    private int kindOf(long thread) {
        return java
                        && reader.readOnce(directory, OF_TASK, thread, TASK_COMM)
                        && RuntimeThreads.isNamed(reader.text())
                ? ThreadTimes.RUNTIME
                : ThreadTimes.REQUESTS;
    }

    /**
     * Returns the growth of a counter; -1 when it is unknown.
     *
     * @param counts false at the first reading of an older process, whose earlier activity is not
     *     growth
     */
    private static long growth(long now, long before, boolean counts) {
        return now < 0 ? -1 : counts ? Math.max(0, now - Math.max(0, before)) : 0;
    }

    /**
     * Returns the threads that wait for a disk. The threads are read one by one only if the process
     * transfers data to or from a disk.
     */
    private int blockedThreads() {
        if (threads == 1
                || (readBytesGrowth <= 0 && writtenBytesGrowth <= 0 && blocked == 0 && !inDisk)) {
            return inDisk ? 1 : 0;
        }
        int count = 0;
        for (int i = 0; i < Math.min(threadCount, MAX_STATES); i++) {
            if (reader.readOnce(directory, OF_TASK, threadIds[i], TASK_STAT)) {
                KernelFileText text = reader.text();
                count += text.skipPastLast(')') && waitsForDisk(text) ? 1 : 0;
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
        text.skipWord();
        text.skipBlanks();
        boolean named = text.startsWith(text.position(), JAVA);
        // The name may contain spaces and parentheses: the last parenthesis closes it.
        if (!text.skipPastLast(')')) {
            return false;
        }
        java = named;
        inDisk = waitsForDisk(text);
        boolean halted = text.peek() == 'T' || text.peek() == 't';
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
        stopped = halted ? threads : 0;
        residentPages = Math.max(0, pages);
        return true;
    }

    /** Returns how often all its threads got a CPU. Resets {@link #ran} and adds their CPU time. */
    private long runsOfThreads() {
        listThreads();
        long sum = 0;
        resetRuns();
        threadTimes.begin();
        for (int i = 0; i < threadCount; i++) {
            if (reader.readOnce(directory, OF_TASK, threadIds[i], TASK_SCHEDSTAT)) {
                long before = ranNanos;
                sum += addSchedstat();
                threadTimes.add(threadIds[i], ranNanos - before, this::kindOf);
            }
        }
        threadTimes.end();
        return sum;
    }

    private void listThreads() {
        threadCount = 0;
        reader.numbersIn(directory, TASK, number -> {
            if (threadCount < MAX_THREADS) {
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

    /**
     * Returns context switches for kernels without schedstat. The file is more expensive and has
     * the values of one thread.
     */
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

    /** Returns the soft limit of open files; -1 when there is none or it is unknown. */
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
     * Passes the process's children to the sink; false when the kernel has no such list
     * (CONFIG_PROC_CHILDREN).
     */
    boolean children(KernelReader.NumberSink sink) {
        boolean listed = false;
        for (int i = 0; i < (threads == 1 ? 1 : threadCount); i++) {
            int file = reader.open(
                    directory, OF_TASK, threads == 1 ? id : threadIds[i], TASK_CHILDREN);
            if (reader.read(file)) {
                listed = true;
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
        return listed;
    }

    void close() {
        reader.close(schedstat);
        reader.close(directory);
    }
}
