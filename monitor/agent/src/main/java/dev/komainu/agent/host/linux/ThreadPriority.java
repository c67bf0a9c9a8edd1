package dev.komainu.agent.host.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Lets the watched server go first on a processor it shares with us. Two things of the kernel's
 * fair scheduler could stand in a request's way: our wake-up may push a working server aside, and
 * once we run we keep the processor for a slice of 1 to 4 ms, which is long beside an answer of 0.1
 * ms. So every thread of this process becomes SCHED_BATCH, which never pushes anybody aside, and
 * asks for the shortest slice there is, after which whoever woke meanwhile takes over.
 *
 * <p>Not by a lower priority (nice, SCHED_IDLE): our share stays what it was, because a saturated
 * server is what we are here to see; what comes late to us waits in the capture ring. Needs no
 * privilege. Threads begun later inherit it.
 *
 * <pre>
 *  struct sched_attr, first version (sched_setattr(2)); the slice is heeded since Linux 6.12, before that only the policy
 *   0 size     32 bits, 48    8 flags    64 bits     20 priority 32 bits    32 deadline 64 bits
 *   4 policy   32 bits       16 nice     32 bits     24 runtime  64 bits    40 period   64 bits
 * </pre>
 */
public final class ThreadPriority {

    private static final int ATTRIBUTES_BYTES = 48;
    private static final int SCHED_OTHER = 0;
    private static final int SCHED_BATCH = 3;
    /** The kernel's least. */
    private static final long SLICE_NANOS = 100_000;

    private static final long POLICY_AT = 4;
    private static final long FLAGS_AT = 8;
    private static final long RUNTIME_AT = 24;

    private ThreadPriority() {}

    /**
     * All threads of this process there are now; how many of them step back from now on. Never
     * throws.
     */
    public static int stepBack() {
        return stepBack(ProcFiles.ofThisHost());
    }

    private static int stepBack(ProcFiles proc) {
        if (!proc.exists() || !LibC.knowsNumbers()) {
            return 0;
        }
        int changed = 0;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(ATTRIBUTES_BYTES, 8);
            for (long thread : proc.numbersIn("self/task")) {
                changed += stepBack((int) thread, attributes) ? 1 : 0;
            }
        }
        return changed;
    }

    /** Who was given another policy by the operator keeps it. */
    private static boolean stepBack(int thread, MemorySegment attributes) {
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
