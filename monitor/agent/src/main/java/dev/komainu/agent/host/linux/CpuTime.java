package dev.komainu.agent.host.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** What this process itself uses of the CPU, by the kernel's own clocks. One thread at a time. */
public final class CpuTime {

    private final MemorySegment time = Arena.ofAuto().allocate(16, 8);

    /** CPU time of the calling thread since it began. */
    public long threadNanos() {
        return LibC.clockNanos(LibC.CLOCK_THREAD_CPUTIME, time);
    }

    /** CPU time of this process, all threads, since it began. */
    public long processNanos() {
        return LibC.clockNanos(LibC.CLOCK_PROCESS_CPUTIME, time);
    }

    /** Size of a memory page. */
    public static long pageBytes() {
        return LibC.pageBytes();
    }
}
