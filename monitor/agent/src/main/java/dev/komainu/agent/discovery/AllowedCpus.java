package dev.komainu.agent.discovery;

import dev.komainu.agent.host.linux.CpuList;
import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.BitSet;
import java.util.List;

/**
 * The CPUs a server may run on, {@code limit:cpus} as {@code 0-3,8}: affinity and cpuset together,
 * as the kernel holds them in {@code /proc/PID/status} (proc_pid_status(5), sched_setaffinity(2)).
 * Of a master with workers those of all workers together, because each worker is often bound to one
 * CPU (nginx's worker_cpu_affinity) and the master works at nothing.
 */
final class AllowedCpus {

    /** Of thousands of equal children these tell enough. */
    private static final int CHILDREN = 64;

    private AllowedCpus() {}

    /** Empty where the kernel does not tell. */
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
