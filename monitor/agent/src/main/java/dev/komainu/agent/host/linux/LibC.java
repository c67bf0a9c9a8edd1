package dev.komainu.agent.host.linux;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Locale;

/**
 * The few C functions by which the kernel is asked: a file is opened once and then read again from
 * its start, a call of a microsecond instead of a stream, its descriptor and its cleaner. What
 * fails answers -1, as in C. Any thread.
 */
final class LibC {

    private static final int O_RDONLY_CLOEXEC = 0x80000;
    private static final int AT_STATX_DONT_SYNC = 0x4000;
    private static final int STATX_NLINK = 0x4;
    private static final int STATX_SIZE = 0x200;
    /** In struct statx, the same on every architecture (linux/stat.h). */
    private static final long STATX_NLINK_AT = 16;

    private static final long STATX_SIZE_AT = 40;

    static final int CLOCK_PROCESS_CPUTIME = 2;
    static final int CLOCK_THREAD_CPUTIME = 3;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    // open and openat take a third argument only where a file is made.
    private static final MethodHandle OPENAT = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("openat"),
            FunctionDescriptor.of(INT, INT, ValueLayout.ADDRESS, INT),
            Linker.Option.firstVariadicArg(3));
    private static final MethodHandle PREAD =
            handle("pread64", "pread", LONG, INT, ValueLayout.ADDRESS, LONG, LONG);
    private static final MethodHandle READ =
            handle("read", "read", LONG, INT, ValueLayout.ADDRESS, LONG);
    private static final MethodHandle CLOSE = handle("close", "close", INT, INT);
    private static final MethodHandle PAGESIZE = handle("getpagesize", "getpagesize", INT);
    private static final MethodHandle STATX =
            handle("statx", "statx", INT, INT, ValueLayout.ADDRESS, INT, INT, ValueLayout.ADDRESS);
    private static final MethodHandle CLOCK_GETTIME =
            handle("clock_gettime", "clock_gettime", INT, INT, ValueLayout.ADDRESS);
    private static final MethodHandle SYSCALL_LIST = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("syscall"),
            FunctionDescriptor.of(LONG, LONG, INT, ValueLayout.ADDRESS, LONG),
            Linker.Option.firstVariadicArg(1));
    private static final MethodHandle SYSCALL_PERF = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("syscall"),
            FunctionDescriptor.of(LONG, LONG, ValueLayout.ADDRESS, INT, INT, INT, LONG),
            Linker.Option.firstVariadicArg(1));

    private static final MethodHandle SYSCALL_SCHED = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("syscall"),
            FunctionDescriptor.of(LONG, LONG, INT, ValueLayout.ADDRESS, INT, INT),
            Linker.Option.firstVariadicArg(1));

    private static final Numbers NUMBERS = Numbers.ofThisMachine();

    /** System calls without a C function of their own; -1 where we do not know the number. */
    private record Numbers(
            long getdents64, long perfEventOpen, long schedSetattr, long schedGetattr) {
        static Numbers ofThisMachine() {
            return switch (System.getProperty("os.arch", "").toLowerCase(Locale.ROOT)) {
                case "amd64", "x86_64" -> new Numbers(217, 298, 314, 315);
                // asm-generic/unistd.h
                case "aarch64", "riscv64", "loongarch64" -> new Numbers(61, 241, 274, 275);
                default -> new Numbers(-1, -1, -1, -1);
            };
        }
    }

    private LibC() {}

    private static MethodHandle handle(
            String name, String otherwise, ValueLayout answer, ValueLayout... arguments) {
        MemorySegment function = LINKER.defaultLookup()
                .find(name)
                .orElseGet(() -> LINKER.defaultLookup().findOrThrow(otherwise));
        return LINKER.downcallHandle(function, FunctionDescriptor.of(answer, arguments));
    }

    /**
     * Opens for reading; {@code name} ends with NUL and is relative to {@code directory} unless it
     * begins with a slash.
     */
    static int open(int directory, MemorySegment name) {
        try {
            return (int) OPENAT.invokeExact(directory, name, O_RDONLY_CLOEXEC);
        } catch (Throwable e) {
            throw broken(e);
        }
    }

    static long pread(int file, MemorySegment into, long length, long from) {
        try {
            return (long) PREAD.invokeExact(file, into, length, from);
        } catch (Throwable e) {
            throw broken(e);
        }
    }

    /** For what has no place to read from, such as a counter of events. */
    static long read(int file, MemorySegment into, long length) {
        try {
            return (long) READ.invokeExact(file, into, length);
        } catch (Throwable e) {
            throw broken(e);
        }
    }

    static void close(int file) {
        try {
            int ignored = (int) CLOSE.invokeExact(file);
        } catch (Throwable e) {
            throw broken(e);
        }
    }

    static int pageBytes() {
        try {
            return (int) PAGESIZE.invokeExact();
        } catch (Throwable e) {
            throw broken(e);
        }
    }

    /** Size of the file; -1 when it is not there. {@code scratch} holds 256 bytes. */
    static long size(int directory, MemorySegment name, MemorySegment scratch) {
        return statx(directory, name, STATX_SIZE, scratch) == 0
                ? scratch.get(LONG, STATX_SIZE_AT)
                : -1;
    }

    /** Number of links; -1 when it is not there. {@code scratch} holds 256 bytes. */
    static long links(int directory, MemorySegment name, MemorySegment scratch) {
        return statx(directory, name, STATX_NLINK, scratch) == 0
                ? Integer.toUnsignedLong(scratch.get(INT, STATX_NLINK_AT))
                : -1;
    }

    private static int statx(int directory, MemorySegment name, int wanted, MemorySegment scratch) {
        try {
            return (int) STATX.invokeExact(directory, name, AT_STATX_DONT_SYNC, wanted, scratch);
        } catch (Throwable e) {
            throw broken(e);
        }
    }

    /** CPU time in nanoseconds by one of the clocks above. {@code scratch} holds 16 bytes. */
    static long clockNanos(int clock, MemorySegment scratch) {
        try {
            int failed = (int) CLOCK_GETTIME.invokeExact(clock, scratch);
            return failed != 0 ? 0 : scratch.get(LONG, 0) * 1_000_000_000L + scratch.get(LONG, 8);
        } catch (Throwable e) {
            throw broken(e);
        }
    }

    /**
     * Whether {@link #list}, {@link #countEvents} and {@link #schedule} can work on this machine.
     */
    static boolean knowsNumbers() {
        return NUMBERS.getdents64() > 0;
    }

    /** The next entries of a directory, struct linux_dirent64 each; 0 at the end. */
    static long list(int directory, MemorySegment into, long length) {
        try {
            return (long) SYSCALL_LIST.invokeExact(NUMBERS.getdents64(), directory, into, length);
        } catch (Throwable e) {
            throw broken(e);
        }
    }

    /** perf_event_open(2) over one CPU, all processes; a descriptor. */
    static int countEvents(MemorySegment attributes, int cpu) {
        final long closeOnExec = 8;
        try {
            return (int) (long) SYSCALL_PERF.invokeExact(
                    NUMBERS.perfEventOpen(), attributes, -1, cpu, -1, closeOnExec);
        } catch (Throwable e) {
            throw broken(e);
        }
    }

    /** Reads a thread's struct sched_attr of {@code bytes}; 0 when that worked. */
    static int scheduling(int thread, MemorySegment attributes, int bytes) {
        try {
            return (int) (long)
                    SYSCALL_SCHED.invokeExact(NUMBERS.schedGetattr(), thread, attributes, bytes, 0);
        } catch (Throwable e) {
            throw broken(e);
        }
    }

    /** Sets a thread's struct sched_attr; 0 when that worked. */
    static int schedule(int thread, MemorySegment attributes) {
        try {
            return (int) (long)
                    SYSCALL_SCHED.invokeExact(NUMBERS.schedSetattr(), thread, attributes, 0, 0);
        } catch (Throwable e) {
            throw broken(e);
        }
    }

    /** None of these calls throws: if one does, it is bound wrongly. */
    private static IllegalStateException broken(Throwable e) {
        return new IllegalStateException(e);
    }
}
