package dev.komainu.agent.order;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * System calls that Java does not offer: signals to other processes, and their limits. Linux only.
 * Any thread.
 */
final class KernelCalls {

    static final int HUP = 1;
    static final int INTERRUPT = 2;
    static final int QUIT = 3;
    static final int USR1 = 10;
    static final int USR2 = 12;
    static final int TERM = 15;

    /** The same on x86, ARM, RISC-V and POWER (asm-generic/resource.h). */
    private static final int RLIMIT_NOFILE = 7;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    /** The C functions. A separate class, so that hosts without them never load it. */
    private static final class C {
        static final MethodHandle KILL = handle("kill", FunctionDescriptor.of(INT, INT, INT));
        static final MethodHandle PRLIMIT = handle(
                "prlimit",
                FunctionDescriptor.of(INT, INT, INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS));

        private static MethodHandle handle(String name, FunctionDescriptor descriptor) {
            Linker linker = Linker.nativeLinker();
            return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor);
        }
    }

    private KernelCalls() {}

    static boolean signal(long processId, int signal) {
        try {
            return (int) C.KILL.invokeExact((int) processId, signal) == 0;
        } catch (Throwable e) {
            return false;
        }
    }

    /**
     * Sets the soft limit of a process's open files. The hard limit is raised with it, never
     * lowered.
     */
    static boolean limitOpenFiles(long processId, long soft) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment now = arena.allocate(LONG, 2);
            if ((int) C.PRLIMIT.invokeExact((int) processId, RLIMIT_NOFILE, MemorySegment.NULL, now)
                    != 0) {
                return false;
            }
            long hard = now.getAtIndex(LONG, 1);
            MemorySegment limits = arena.allocate(LONG, 2);
            limits.setAtIndex(LONG, 0, soft);
            // Unlimited is the largest unsigned number.
            limits.setAtIndex(LONG, 1, Long.compareUnsigned(hard, soft) < 0 ? soft : hard);
            return (int) C.PRLIMIT.invokeExact(
                            (int) processId, RLIMIT_NOFILE, limits, MemorySegment.NULL)
                    == 0;
        } catch (Throwable e) {
            return false;
        }
    }
}
