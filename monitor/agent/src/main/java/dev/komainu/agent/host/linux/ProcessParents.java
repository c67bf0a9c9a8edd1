package dev.komainu.agent.host.linux;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The parents of all processes of the host. The list needs a walk over all processes, about 15 µs
 * each, so it is used only with kernels without CONFIG_PROC_CHILDREN, and once per reading. One
 * thread at a time.
 */
final class ProcessParents {

    private final ProcFiles proc;
    private @Nullable Map<Long, List<Long>> children;

    ProcessParents(ProcFiles proc) {
        this.proc = proc;
    }

    /** Discards the list, so that the next reading walks again. */
    void clear() {
        children = null;
    }

    List<Long> childrenOf(long parent) {
        Map<Long, List<Long>> known = children;
        if (known == null) {
            known = walk();
            children = known;
        }
        return known.getOrDefault(parent, List.of());
    }

    private Map<Long, List<Long>> walk() {
        Map<Long, List<Long>> found = new HashMap<>();
        for (long id : proc.numbersIn(".")) {
            ProcessStat stat = ProcessStat.parse(proc.read(id + "/stat"));
            if (stat != null) {
                found.computeIfAbsent(stat.parentId(), parent -> new ArrayList<>())
                        .add(id);
            }
        }
        return found;
    }
}
