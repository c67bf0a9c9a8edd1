package dev.komainu.agent.host.linux;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The kind of a system call in which a thread may be blocked. */
enum SystemCallKind {
    /** Reads from the descriptor in the first argument. */
    READ,
    /** Writes to the descriptor in the first argument. */
    WRITE,
    /** Waits for descriptors listed in memory: list, number. */
    POLL,
    /** Waits for descriptors in sets in memory; the first argument is their number. */
    SELECT,
    CONNECT,
    FUTEX,
    /** Locks the file in the first argument. */
    FILE_LOCK,
    FILE_CONTROL,
    SLEEP,
    /** Waits for work: a connection, an event, a child, a signal. */
    WORK,
    OTHER;

    private static final Map<Long, SystemCallKind> BY_NUMBER = ofThisMachine();

    /** Returns the kind of a call of this machine's architecture. */
    static SystemCallKind of(long number) {
        return BY_NUMBER.getOrDefault(number, OTHER);
    }

    /** Reports whether the numbers of this architecture are known. */
    static boolean isKnown() {
        return !BY_NUMBER.isEmpty();
    }

    private static Map<Long, SystemCallKind> ofThisMachine() {
        return switch (System.getProperty("os.arch", "").toLowerCase(Locale.ROOT)) {
            // arch/x86/entry/syscalls/syscall_64.tbl
            case "amd64", "x86_64" ->
                table(
                        new long[] {0, 17, 19, 45, 47, 295, 299},
                        new long[] {1, 18, 20, 40, 44, 46, 296, 307},
                        new long[] {7, 271},
                        new long[] {23, 270},
                        42,
                        202,
                        73,
                        72,
                        new long[] {35, 230},
                        new long[] {43, 288, 232, 281, 441, 61, 247, 34, 130, 128, 65, 220, 426});
            // include/uapi/asm-generic/unistd.h
            case "aarch64", "riscv64", "loongarch64" ->
                table(
                        new long[] {63, 65, 67, 69, 207, 212, 243},
                        new long[] {64, 66, 68, 70, 71, 206, 211, 269},
                        new long[] {73},
                        new long[] {72},
                        203,
                        98,
                        32,
                        25,
                        new long[] {101, 115},
                        new long[] {202, 242, 22, 441, 260, 95, 133, 137, 193, 192, 426});
            default -> Map.of();
        };
    }

    private static Map<Long, SystemCallKind> table(
            long[] reads,
            long[] writes,
            long[] polls,
            long[] selects,
            long connect,
            long futex,
            long fileLock,
            long fileControl,
            long[] sleeps,
            long[] work) {
        Map<Long, SystemCallKind> table = new TreeMap<>();
        add(table, READ, reads);
        add(table, WRITE, writes);
        add(table, POLL, polls);
        add(table, SELECT, selects);
        add(table, CONNECT, connect);
        add(table, FUTEX, futex);
        add(table, FILE_LOCK, fileLock);
        add(table, FILE_CONTROL, fileControl);
        add(table, SLEEP, sleeps);
        add(table, WORK, work);
        return Map.copyOf(table);
    }

    private static void add(Map<Long, SystemCallKind> table, SystemCallKind kind, long... numbers) {
        for (long number : numbers) {
            table.put(number, kind);
        }
    }
}
