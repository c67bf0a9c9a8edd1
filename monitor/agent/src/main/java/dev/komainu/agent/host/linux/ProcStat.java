package dev.komainu.agent.host.linux;

import java.util.ArrayList;
import java.util.List;

/**
 * {@code /proc/stat}: the activity of the CPUs since boot.
 *
 * @param cpus one entry per online CPU, in the kernel's order
 * @param contextSwitches since boot
 * @param interrupts since boot
 */
public record ProcStat(List<CpuTicks> cpus, long contextSwitches, long interrupts) {

    private static final byte[] CPU = NamedCounters.bytes("cpu");
    private static final byte[] SWITCHES = NamedCounters.bytes("ctxt ");
    private static final byte[] INTERRUPTS = NamedCounters.bytes("intr ");

    public ProcStat {
        cpus = List.copyOf(cpus);
    }

    public static ProcStat parse(String text) {
        return parse(KernelFileText.of(text));
    }

    static ProcStat parse(KernelFileText text) {
        List<CpuTicks> cpus = new ArrayList<>();
        long contextSwitches = 0;
        long interrupts = 0;
        text.rewind();
        if (!text.isEmpty()) {
            do {
                if (text.accept(CPU)) {
                    // The first line, "cpu ", is the sum of the others.
                    if (text.peek() >= '0' && text.peek() <= '9') {
                        cpus.add(cpu(text));
                    }
                } else if (text.accept(SWITCHES)) {
                    contextSwitches = text.number(0);
                } else if (text.accept(INTERRUPTS)) {
                    interrupts = text.number(0);
                }
            } while (text.nextLine());
        }
        return new ProcStat(cpus, contextSwitches, interrupts);
    }

    private static CpuTicks cpu(KernelFileText text) {
        int number = (int) Math.clamp(text.number(0), 0, Integer.MAX_VALUE);
        long user = text.number(0) + text.number(0);
        long system = text.number(0);
        long idle = text.number(0);
        long iowait = text.number(0);
        long interrupts = text.number(0);
        long softirq = text.number(0);
        long kernel = system + interrupts + softirq;
        return new CpuTicks(number, user, kernel, iowait, text.number(0), idle, softirq);
    }

    /**
     * One CPU's time since boot, in ticks of any length: only shares are computed. {@code user}
     * includes niced and guest time, {@code kernel} the time in hard and soft interrupts.
     *
     * @param number the kernel's number, which stays the same when another CPU is unplugged
     * @param softirq time in soft interrupts, a part of {@code kernel}; -1 when it is not known
     */
    public record CpuTicks(
            int number, long user, long kernel, long iowait, long steal, long idle, long softirq) {}
}
