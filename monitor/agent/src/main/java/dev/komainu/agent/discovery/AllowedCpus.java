package dev.komainu.agent.discovery;

import dev.komainu.agent.host.linux.CpuList;
import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.BitSet;
import java.util.List;

/**
 * The CPUs a server may run on, {@code limit:cpus} as {@code 0-3,8}: affinity and cpuset together,
 * as the kernel reports them in {@code /proc/PID/status} (proc_pid_status(5),
 * sched_setaffinity(2)). For a master with workers, the CPUs of all workers together: each worker
 * is often bound to one CPU (nginx's worker_cpu_affinity), and the master itself does no work.
 */
final class AllowedCpus {

    /** Workers that are read. Thousands of equal children add nothing to the result. */
    private static final int CHILDREN = 64;

    private AllowedCpus() {}

    /** Returns {@code limit:cpus}, or an empty list when the kernel reports no CPUs. */
    static List<Setting> of(ProcFiles proc, long processId) {
        BitSet cpus = new BitSet();
        String source = "/proc/WORKER/status, children of " + processId;
        for (String worker : ProcessResourceLimits.workers(proc, processId, CHILDREN)) {
            cpus.or(CpuList.of(proc.text(worker + "/status")));
        }
        if (cpus.isEmpty()) {
            cpus = CpuList.of(proc.text(processId + "/status"));
            source = "/proc/" + processId + "/status";
        }
        return cpus.isEmpty() ? List.of() : List.of(new Setting("limit:cpus", text(cpus), source));
    }

    private static String text(BitSet cpus) {
        StringBuilder text = new StringBuilder();
        for (int from = cpus.nextSetBit(0); from >= 0; ) {
            int end = cpus.nextClearBit(from);
            text.append(text.isEmpty() ? "" : ",").append(from);
            if (end - 1 > from) {
                text.append('-').append(end - 1);
            }
            from = cpus.nextSetBit(end);
        }
        return text.toString();
    }
}
