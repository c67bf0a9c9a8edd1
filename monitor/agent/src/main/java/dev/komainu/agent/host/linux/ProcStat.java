package dev.komainu.agent.host.linux;

import java.util.ArrayList;
import java.util.List;

/**
 * {@code /proc/stat}: what the CPUs did since boot.
 *
 * @param cpus one per CPU, in the kernel's order
 * @param contextSwitches since boot
 * @param interrupts since boot
 */
public record ProcStat(List<CpuTicks> cpus, long contextSwitches, long interrupts) {

    public ProcStat {
        cpus = List.copyOf(cpus);
    }

    public static ProcStat parse(String text) {
        List<CpuTicks> cpus = new ArrayList<>();
        long contextSwitches = 0;
        long interrupts = 0;
        for (String line : text.split("\n")) {
            if (line.startsWith("cpu") && line.length() > 4 && Character.isDigit(line.charAt(3))) {
                String[] f = line.split("\\s+");
                long user = Digits.at(f, 1, 0) + Digits.at(f, 2, 0);
                long kernel = Digits.at(f, 3, 0) + Digits.at(f, 6, 0) + Digits.at(f, 7, 0);
                cpus.add(new CpuTicks(user, kernel, Digits.at(f, 5, 0), Digits.at(f, 8, 0), Digits.at(f, 4, 0)));
            } else if (line.startsWith("ctxt ")) {
                contextSwitches = Digits.of(line.substring(5).strip(), 0);
            } else if (line.startsWith("intr ")) {
                int end = line.indexOf(' ', 5);
                interrupts = Digits.of(end < 0 ? line.substring(5) : line.substring(5, end), 0);
            }
        }
        return new ProcStat(cpus, contextSwitches, interrupts);
    }

    /**
     * One CPU's time since boot, in ticks of any length: only shares are taken. {@code user} holds niced and guest
     * time, {@code kernel} the time in hard and soft interrupts.
     */
    public record CpuTicks(long user, long kernel, long iowait, long steal, long idle) {}
}
