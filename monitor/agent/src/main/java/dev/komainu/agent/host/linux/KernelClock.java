package dev.komainu.agent.host.linux;

import java.lang.foreign.Arena;

/** The state of the kernel's clock. */
public final class KernelClock {

    /** TIME_ERROR of adjtimex(2): the clock follows no time source. */
    private static final int NOT_SYNCHRONISED = 5;

    private static final long STRUCT_BYTES = 256;

    private KernelClock() {}

    /** Returns 1 while the clock follows a time source, 0 while it does not, -1 when unknown. */
    public static int synchronised() {
        try (Arena arena = Arena.ofConfined()) {
            int state = LibC.clockState(arena.allocate(STRUCT_BYTES, Long.BYTES));
            return state < 0 ? -1 : state == NOT_SYNCHRONISED ? 0 : 1;
        }
    }
}
