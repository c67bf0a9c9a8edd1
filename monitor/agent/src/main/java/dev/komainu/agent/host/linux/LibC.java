package dev.komainu.agent.host.linux;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Locale;

/**
 * The C functions used to read the kernel's data. A file is opened once and then read again from
 * its start, one call of a microsecond instead of a stream with its descriptor and cleaner. A
 * failure returns -1, as in C. Any thread.
 */
final class LibC {

    private static final int O_RDONLY_CLOEXEC = 0x80000;
    /** No terminal, and no wait for the other end of a pipe (asm-generic/fcntl.h). */
    private static final int O_NOCTTY_NONBLOCK = 0x100 | 0x800;

    private static final int AT_STATX_DONT_SYNC = 0x4000;
    private static final int STATX_NLINK = 0x4;
    private static final int STATX_SIZE = 0x200;
    /** Offsets in struct statx, the same on every architecture (linux/stat.h). */
    private static final long STATX_NLINK_AT = 16;

    private static final long STATX_SIZE_AT = 40;

    static final int CLOCK_PROCESS_CPUTIME = 2;
    static final int CLOCK_THREAD_CPUTIME = 3;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    // open and openat take a third argument only when they create a file.
    private static final MethodHandle OPENAT = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("openat"),
            FunctionDescriptor.of(INT, INT, ValueLayout.ADDRESS, INT),
            Linker.Option.firstVariadicArg(3));
    private static final MethodHandle PREAD =
            handle("pread64", "pread", LONG, INT, ValueLayout.ADDRESS, LONG, LONG);
    private static final MethodHandle READ =
            handle("read", "read", LONG, INT, ValueLayout.ADDRESS, LONG);
    private static final MethodHandle CLOSE = handle("close", "close", INT, INT);
    private static final MethodHandle READLINKAT = handle(
            "readlinkat", "readlinkat", LONG, INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS, LONG);
    private static final MethodHandle PAGESIZE = handle("getpagesize", "getpagesize", INT);
    private static final MethodHandle STATX =
            handle("statx", "statx", INT, INT, ValueLayout.ADDRESS, INT, INT, ValueLayout.ADDRESS);
    private static final MethodHandle CLOCK_GETTIME =
            handle("clock_gettime", "clock_gettime", INT, INT, ValueLayout.ADDRESS);
    private static final MethodHandle STATVFS =
            handle("statvfs", "statvfs64", INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS);
    private static final MethodHandle ADJTIMEX =
            handle("adjtimex", "ntp_adjtime", INT, ValueLayout.ADDRESS);
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

    private static final SystemCallNumbers NUMBERS = SystemCallNumbers.ofThisMachine();

    /**
     * Numbers of system calls that have no C function; -1 when the number is unknown for this
     * architecture.
     */
    private record SystemCallNumbers(
            long getdents64, long perfEventOpen, long schedSetattr, long schedGetattr) {
        static SystemCallNumbers ofThisMachine() {
            return switch (System.getProperty("os.arch", "").toLowerCase(Locale.ROOT)) {
                case "amd64", "x86_64" -> new SystemCallNumbers(217, 298, 314, 315);
                // asm-generic/unistd.h
                case "aarch64", "riscv64", "loongarch64" ->
                    new SystemCallNumbers(61, 241, 274, 275);
                default -> new SystemCallNumbers(-1, -1, -1, -1);
            };
        }
    }

    private LibC() {}

    private static MethodHandle handle(
            String name, String fallback, ValueLayout result, ValueLayout... arguments) {
        MemorySegment function = LINKER.defaultLookup()
                .find(name)
                .orElseGet(() -> LINKER.defaultLookup().findOrThrow(fallback));
        return LINKER.downcallHandle(function, FunctionDescriptor.of(result, arguments));
    }

    /**
     * Opens a file for reading. {@code name} ends with NUL and is relative to {@code directory}
     * unless it begins with a slash.
     */
    static int open(int directory, MemorySegment name) {
        try {
            return (int) OPENAT.invokeExact(directory, name, O_RDONLY_CLOEXEC);
        } catch (Throwable e) {
            throw bindingError(e);
        }
    }

    /**
     * Opens a file that another user may have put there: an open never waits for the other end of a
     * pipe.
     */
    static int openForeign(int directory, MemorySegment name) {
        try {
            return (int) OPENAT.invokeExact(directory, name, O_RDONLY_CLOEXEC | O_NOCTTY_NONBLOCK);
        } catch (Throwable e) {
            throw bindingError(e);
        }
    }

    /** Reads the target of a symbolic link. Returns its length; -1 when there is none. */
    static long readlink(int directory, MemorySegment name, MemorySegment into, long length) {
        try {
            return (long) READLINKAT.invokeExact(directory, name, into, length);
        } catch (Throwable e) {
            throw bindingError(e);
        }
    }

    static long pread(int file, MemorySegment into, long length, long from) {
        try {
            return (long) PREAD.invokeExact(file, into, length, from);
        } catch (Throwable e) {
            throw bindingError(e);
        }
    }

    /** Reads from a descriptor without a position, such as a counter of events. */
    static long read(int file, MemorySegment into, long length) {
        try {
            return (long) READ.invokeExact(file, into, length);
        } catch (Throwable e) {
            throw bindingError(e);
        }
    }

    static void close(int file) {
        try {
            int ignored = (int) CLOSE.invokeExact(file);
        } catch (Throwable e) {
            throw bindingError(e);
        }
    }

    static int pageBytes() {
        try {
            return (int) PAGESIZE.invokeExact();
        } catch (Throwable e) {
            throw bindingError(e);
        }
    }

    /** Returns the size of the file; -1 when it is missing. {@code scratch} has 256 bytes. */
    static long size(int directory, MemorySegment name, MemorySegment scratch) {
        return statx(directory, name, STATX_SIZE, scratch) == 0
                ? scratch.get(LONG, STATX_SIZE_AT)
                : -1;
    }

    /** Returns the number of links; -1 when the file is missing. {@code scratch} has 256 bytes. */
    static long links(int directory, MemorySegment name, MemorySegment scratch) {
        return statx(directory, name, STATX_NLINK, scratch) == 0
                ? Integer.toUnsignedLong(scratch.get(INT, STATX_NLINK_AT))
                : -1;
    }

    private static int statx(int directory, MemorySegment name, int mask, MemorySegment scratch) {
        try {
            return (int) STATX.invokeExact(directory, name, AT_STATX_DONT_SYNC, mask, scratch);
        } catch (Throwable e) {
            throw bindingError(e);
        }
    }

    /** Returns CPU time in nanoseconds by one of the clocks above. {@code scratch} has 16 bytes. */
    static long clockNanos(int clock, MemorySegment scratch) {
        try {
            int failed = (int) CLOCK_GETTIME.invokeExact(clock, scratch);
            return failed != 0 ? 0 : scratch.get(LONG, 0) * 1_000_000_000L + scratch.get(LONG, 8);
        } catch (Throwable e) {
            throw bindingError(e);
        }
    }

    /**
     * Reads the space of a file system into {@code into}, 128 bytes of struct statvfs. Returns
     * false when the path cannot be read.
     */
    static boolean statvfs(MemorySegment path, MemorySegment into) {
        try {
            return (int) STATVFS.invokeExact(path, into) == 0;
        } catch (Throwable e) {
            throw bindingError(e);
        }
    }

    /**
     * Returns the state of the kernel's clock, see adjtimex(2); negative when it cannot be read.
     * {@code request} has 256 bytes, all zero: nothing is set.
     */
    static int clockState(MemorySegment request) {
        try {
            return (int) ADJTIMEX.invokeExact(request);
        } catch (Throwable e) {
            throw bindingError(e);
        }
    }

    /**
     * Reports whether {@link #list}, {@link #countEvents} and {@link #schedule} can work on this
     * machine.
     */
    static boolean hasSystemCallNumbers() {
        return NUMBERS.getdents64() > 0;
    }

    /** Reads the next entries of a directory, struct linux_dirent64 each; 0 at the end. */
    static long list(int directory, MemorySegment into, long length) {
        try {
            return (long) SYSCALL_LIST.invokeExact(NUMBERS.getdents64(), directory, into, length);
        } catch (Throwable e) {
            throw bindingError(e);
        }
    }

    /** Calls perf_event_open(2) for one CPU and all processes. Returns a descriptor. */
    static int countEvents(MemorySegment attributes, int cpu) {
        final long closeOnExec = 8;
        try {
            return (int) (long) SYSCALL_PERF.invokeExact(
                    NUMBERS.perfEventOpen(), attributes, -1, cpu, -1, closeOnExec);
        } catch (Throwable e) {
            throw bindingError(e);
        }
    }

    /** Reads a thread's struct sched_attr of {@code bytes}; 0 on success. */
    static int scheduling(int thread, MemorySegment attributes, int bytes) {
        try {
            return (int) (long)
                    SYSCALL_SCHED.invokeExact(NUMBERS.schedGetattr(), thread, attributes, bytes, 0);
        } catch (Throwable e) {
            throw bindingError(e);
        }
    }

    /** Sets a thread's struct sched_attr; 0 on success. */
    static int schedule(int thread, MemorySegment attributes) {
        try {
            return (int) (long)
                    SYSCALL_SCHED.invokeExact(NUMBERS.schedSetattr(), thread, attributes, 0, 0);
        } catch (Throwable e) {
            throw bindingError(e);
        }
    }

    /** Wraps an exception of a call. None of these calls throws unless its binding is wrong. */
    private static IllegalStateException bindingError(Throwable e) {
        return new IllegalStateException(e);
    }
}
