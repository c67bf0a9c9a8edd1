package dev.komainu.agent.host.linux;

/**
 * The threads of a Java virtual machine that serve no requests, by the kernel's name of a thread
 * (15 characters at most): those of the collectors, of the compilers, and the one that stops all
 * others.
 */
final class RuntimeThreads {

    private static final byte[][] NAMES = {
        NamedCounters.bytes("GC "),
        NamedCounters.bytes("G1 "),
        NamedCounters.bytes("ZWorker"),
        NamedCounters.bytes("ZDriver"),
        NamedCounters.bytes("ZDirector"),
        NamedCounters.bytes("XWorker"),
        NamedCounters.bytes("XDriver"),
        NamedCounters.bytes("Shenandoah"),
        NamedCounters.bytes("ParGC"),
        NamedCounters.bytes("Concurrent Mark"),
        NamedCounters.bytes("CMS "),
        NamedCounters.bytes("C1 Compiler"),
        NamedCounters.bytes("C2 Compiler"),
        NamedCounters.bytes("JVMCI"),
        NamedCounters.bytes("Sweeper"),
        NamedCounters.bytes("VM Thread")
    };

    private RuntimeThreads() {}

    /** Reports whether {@code /proc/PID/task/TID/comm} names such a thread. */
    static boolean isNamed(KernelFileText comm) {
        for (byte[] name : NAMES) {
            if (comm.startsWith(0, name)) {
                return true;
            }
        }
        return false;
    }
}
