package dev.komainu.agent.host;

import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.agent.host.linux.ProcessLimits;
import dev.komainu.agent.host.linux.ProcessStat;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A server's processes: the one at the top and everything it forked, found without walking the host's whole process
 * list. One thread at a time.
 */
final class ProcessTrees {

    /** Linux counts in hundredths of a second for user space on every architecture we know of (USER_HZ). */
    private static final long MILLIS_PER_TICK = 10;

    /** A tree larger than this is a mistake of ours or a fork bomb; the rest is not counted. */
    private static final int MAX_PROCESSES = 20_000;

    private final ProcFiles proc;
    private final long pageBytes;

    ProcessTrees(ProcFiles proc, long pageBytes) {
        this.proc = proc;
        this.pageBytes = pageBytes;
    }

    /** Sums over the tree under {@code root}; null when that process is gone. */
    @Nullable
    Totals totals(long root) {
        if (ProcessStat.parse(proc.read(root + "/stat")) == null) {
            return null;
        }
        int processes = 0;
        long threads = 0;
        long resident = 0;
        long ticks = 0;
        long mostFiles = -1;
        long mostFilesOwner = root;
        for (long id : members(root)) {
            ProcessStat stat = ProcessStat.parse(proc.read(id + "/stat"));
            if (stat == null) {
                continue;
            }
            processes++;
            threads += stat.threads();
            resident += stat.residentPages() * pageBytes;
            ticks += stat.cpuTicks();
            Long files = proc.openFiles(id);
            if (files != null && files > mostFiles) {
                mostFiles = files;
                mostFilesOwner = id;
            }
        }
        Long limit = mostFiles < 0 ? null : ProcessLimits.openFiles(proc.read(mostFilesOwner + "/limits"));
        return new Totals(
                processes,
                (int) Math.min(threads, Integer.MAX_VALUE),
                resident,
                ticks * MILLIS_PER_TICK,
                mostFiles < 0 ? null : mostFiles,
                limit == null || limit == ProcessLimits.UNLIMITED ? null : limit);
    }

    /** The process and its descendants. */
    private Set<Long> members(long root) {
        Set<Long> members = new HashSet<>();
        Deque<Long> open = new ArrayDeque<>(List.of(root));
        Map<Long, List<Long>> scanned = Map.of();
        boolean scan = false;
        while (!open.isEmpty() && members.size() < MAX_PROCESSES) {
            long id = open.pop();
            if (!members.add(id)) {
                continue;
            }
            // Servers fork from their main thread; the file lists that thread's children.
            String children = scan ? null : proc.read(id + "/task/" + id + "/children");
            if (children == null && !scan && id == root) {
                // Kernel without CONFIG_PROC_CHILDREN: one walk over all processes, about 15 µs each.
                scan = true;
                scanned = childrenByParent();
            }
            if (scan) {
                open.addAll(scanned.getOrDefault(id, List.of()));
            } else if (children != null) {
                for (String child : children.strip().split("\\s+")) {
                    if (!child.isEmpty() && child.chars().allMatch(Character::isDigit) && child.length() < 11) {
                        open.add(Long.parseLong(child));
                    }
                }
            }
        }
        return members;
    }

    private Map<Long, List<Long>> childrenByParent() {
        Map<Long, List<Long>> children = new HashMap<>();
        for (long id : proc.numbersIn(".")) {
            ProcessStat stat = ProcessStat.parse(proc.read(id + "/stat"));
            if (stat != null) {
                children.computeIfAbsent(stat.parentId(), parent -> new ArrayList<>())
                        .add(id);
            }
        }
        return children;
    }

    /** {@code openFiles} is the highest in one process, the limit is that process's; absent without permission. */
    record Totals(
            int processes,
            int threads,
            long residentBytes,
            long cpuMillis,
            @Nullable Long openFiles,
            @Nullable Long openFilesLimit) {}
}
