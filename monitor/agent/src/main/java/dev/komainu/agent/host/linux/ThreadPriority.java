package dev.komainu.agent.host.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The scheduling policy by which the agent's threads give way to the watched server on a shared
 * processor. The kernel's fair scheduler could delay a request in two ways: an agent's thread that
 * wakes up may preempt the server, and then runs for a slice of 1 to 4 ms, which is long compared
 * with a response of 0.1 ms. Every thread of this process therefore uses SCHED_BATCH, which never
 * preempts another thread, and requests the shortest slice, after which another runnable thread
 * takes over.
 *
 * <p>The priority (nice, SCHED_IDLE) is not lowered: the agent's share of the CPU stays the same,
 * because its purpose is to observe a saturated server; packets that wait for the agent stay in the
 * capture ring. Requires no privilege. Threads started later inherit the policy.
 *
 * <pre>
 *  struct sched_attr, first version (sched_setattr(2)); the slice applies since Linux 6.12, before that only the policy
 *   0 size     32 bits, 48    8 flags    64 bits     20 priority 32 bits    32 deadline 64 bits
 *   4 policy   32 bits       16 nice     32 bits     24 runtime  64 bits    40 period   64 bits
 * </pre>
 */
public final class ThreadPriority {

    private static final int ATTRIBUTES_BYTES = 48;
    private static final int SCHED_OTHER = 0;
    private static final int SCHED_BATCH = 3;
    /** The kernel's shortest slice. */
    private static final long SLICE_NANOS = 100_000;

    private static final long POLICY_AT = 4;
    private static final long FLAGS_AT = 8;
    private static final long RUNTIME_AT = 24;

    private ThreadPriority() {}

    /**
     * Lowers all current threads of this process. Returns the number of threads changed. Never
     * throws.
     */
    public static int lower() {
        return lower(ProcFiles.ofThisHost());
    }

    private static int lower(ProcFiles proc) {
        if (!proc.exists() || !LibC.hasSystemCallNumbers()) {
            return 0;
        }
        int changed = 0;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(ATTRIBUTES_BYTES, 8);
            for (long thread : proc.numbersIn("self/task")) {
                changed += lower((int) thread, attributes) ? 1 : 0;
            }
        }
        return changed;
    }

    /** Lowers one thread. A thread to which the operator gave another policy keeps it. */
    private static boolean lower(int thread, MemorySegment attributes) {
        if (LibC.scheduling(thread, attributes, ATTRIBUTES_BYTES) != 0
                || attributes.get(ValueLayout.JAVA_INT, POLICY_AT) != SCHED_OTHER) {
            return false;
        }
        attributes.set(ValueLayout.JAVA_INT, POLICY_AT, SCHED_BATCH);
        attributes.set(ValueLayout.JAVA_LONG, FLAGS_AT, 0);
        attributes.set(ValueLayout.JAVA_LONG, RUNTIME_AT, SLICE_NANOS);
        return LibC.schedule(thread, attributes) == 0;
    }
}
