package dev.komainu.agent.host.linux;

import dev.komainu.telemetry.record.HostParts.CpuEvents;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The events of each CPU: hard and soft interrupts from {@code /proc/interrupts} and
 * {@code /proc/softirqs}, switches to another thread from {@code /proc/schedstat}, which many
 * kernels lack. The kernel counts page faults and system calls of the whole host only. One thread
 * at a time.
 */
public final class CpuEventCounts {

    private static final int MOST = 256;

    private final ProcFiles proc;
    private final Growth growth = new Growth();
    private boolean isFirst = true;

    public CpuEventCounts(ProcFiles proc) {
        this.proc = proc;
    }

    /** Reads the events since the last reading, of at most 256 CPUs; none at the first reading. */
    public List<CpuEvents> read() {
        Map<Integer, Long> interrupts = sums("interrupts");
        Map<Integer, Long> softirqs = sums("softirqs");
        Map<Integer, Long> switches = switches();
        List<CpuEvents> events = new ArrayList<>();
        for (Map.Entry<Integer, Long> cpu : interrupts.entrySet()) {
            int number = cpu.getKey();
            Long switched = switches.get(number);
            events.add(new CpuEvents(
                    number,
                    growth.of("hard " + number, cpu.getValue()),
                    growth.of("soft " + number, softirqs.getOrDefault(number, 0L)),
                    switched == null ? null : growth.of("switches " + number, switched)));
        }
        growth.end();
        boolean known = !isFirst;
        isFirst = false;
        return known ? events : List.of();
    }

    /** Returns the sum of each CPU's column; the first line names the CPUs of the columns. */
    private Map<Integer, Long> sums(String file) {
        Map<Integer, Long> sums = new TreeMap<>();
        String text = proc.text(file);
        int end = text.indexOf('\n');
        if (end < 0) {
            return sums;
        }
        List<Integer> cpus = new ArrayList<>();
        for (String name : text.substring(0, end).strip().split(" +")) {
            Integer number = number(name, "CPU");
            if (number != null && cpus.size() < MOST) {
                cpus.add(number);
                sums.put(number, 0L);
            }
        }
        for (String line : text.substring(end + 1).split("\n")) {
            String[] words = line.strip().split(" +");
            // Lines such as "ERR: 0" have one count for the whole host.
            for (int i = 0; i < cpus.size() && words.length > cpus.size(); i++) {
                Long count = DecimalCounters.of(words[i + 1]);
                if (count != null) {
                    sums.merge(cpus.get(i), count, Long::sum);
                }
            }
        }
        return sums;
    }

    /**
     * Returns the calls of the scheduler by CPU (kernel: Documentation/scheduler/sched-stats.rst).
     */
    private Map<Integer, Long> switches() {
        Map<Integer, Long> switches = new TreeMap<>();
        for (String line : proc.text("schedstat").split("\n")) {
            String[] words = line.split(" ");
            Integer cpu = number(words[0], "cpu");
            Long calls = cpu != null && words.length > 3 ? DecimalCounters.of(words[3]) : null;
            if (cpu != null && calls != null) {
                switches.put(cpu, calls);
            }
        }
        return switches;
    }

    private static @Nullable Integer number(String name, String prefix) {
        Long number = name.startsWith(prefix)
                ? DecimalCounters.of(name.substring(prefix.length()))
                : null;
        return number == null || number > Integer.MAX_VALUE ? null : number.intValue();
    }
}
