package dev.komainu.agent.discovery;

import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The limits on servers from outside their configurations, as last read: resource limits of their
 * processes, their control groups, kernel settings. One thread at a time.
 */
final class ExternalLimits {

    private final ProcFiles proc;
    private final CgroupLimits groups;
    private List<Setting> kernel = List.of();
    private final Map<Long, List<Setting>> ofProcess = new HashMap<>();

    ExternalLimits(ProcFiles proc) {
        this.proc = proc;
        this.groups = new CgroupLimits(proc);
    }

    /** Reads all values again and reports whether any changed. */
    boolean read() {
        List<Setting> now = KernelSettings.sysctls(proc);
        boolean differs = !now.equals(kernel);
        kernel = now;
        for (Map.Entry<Long, List<Setting>> entry : ofProcess.entrySet()) {
            List<Setting> limits = readOf(entry.getKey());
            differs |= !limits.equals(entry.getValue());
            entry.setValue(limits);
        }
        return differs;
    }

    /** Discards the values of all other processes. */
    void retain(Set<Long> processIds) {
        ofProcess.keySet().retainAll(new HashSet<>(processIds));
    }

    /**
     * Returns the limits of a process, read when it is new, followed by the kernel's settings.
     *
     * @param processId absent for the kernel's settings only
     */
    List<Setting> of(@Nullable Long processId) {
        List<Setting> all = new ArrayList<>();
        if (processId != null) {
            all.addAll(ofProcess.computeIfAbsent(processId, this::readOf));
        }
        all.addAll(kernel);
        return all;
    }

    private List<Setting> readOf(long processId) {
        List<Setting> settings = new ArrayList<>(ProcessResourceLimits.of(proc, processId));
        settings.addAll(AllowedCpus.of(proc, processId));
        settings.addAll(groups.of(processId));
        return List.copyOf(settings);
    }
}
