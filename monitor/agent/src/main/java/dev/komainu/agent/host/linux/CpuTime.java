package dev.komainu.agent.host.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The CPU time of this process, by the kernel's clocks. One thread at a time. */
public final class CpuTime {

    private final MemorySegment time = Arena.ofAuto().allocate(16, 8);

    /** Returns the calling thread's CPU time since its start. */
    public long threadNanos() {
        return LibC.clockNanos(LibC.CLOCK_THREAD_CPUTIME, time);
    }

    /** Returns the CPU time of all threads of this process since its start. */
    public long processNanos() {
        return LibC.clockNanos(LibC.CLOCK_PROCESS_CPUTIME, time);
    }

    /** Returns the size of a memory page. */
    public static long pageBytes() {
        return LibC.pageBytes();
    }
}
