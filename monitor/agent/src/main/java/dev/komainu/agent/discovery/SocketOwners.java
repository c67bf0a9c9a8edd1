package dev.komainu.agent.discovery;

import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.agent.host.linux.ProcessStat;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Finds the processes behind sockets by their inodes: a walk over every process's descriptors, so
 * it is done only when a listening socket appears. One thread at a time.
 */
final class SocketOwners {

    private final ProcFiles proc;

    SocketOwners(ProcFiles proc) {
        this.proc = proc;
    }

    /** Top process by inode; sockets whose owner cannot be seen are left out. */
    Map<Long, Long> of(Set<Long> inodes) {
        Map<Long, Long> owners = new HashMap<>();
        Set<Long> missing = new HashSet<>(inodes);
        // Ascending: a server's master is older than its workers, except when ids wrapped round;
        // climbing mends that.
        for (long id : proc.numbersIn(".")) {
            // The first process holds the sockets it passes to others (socket activation); asked
            // last.
            if (id != 1 && !missing.isEmpty()) {
                claim(id, missing, owners);
            }
        }
        if (!missing.isEmpty()) {
            claim(1, missing, owners);
        }
        owners.replaceAll((inode, id) -> top(id));
        return owners;
    }

    private void claim(long id, Set<Long> missing, Map<Long, Long> owners) {
        for (long descriptor : proc.numbersIn(id + "/fd")) {
            String target = proc.link(id + "/fd/" + descriptor);
            if (target != null && target.startsWith("socket:[") && target.endsWith("]")) {
                String number = target.substring(8, target.length() - 1);
                long inode = number.matches("[0-9]{1,18}") ? Long.parseLong(number) : -1;
                if (missing.remove(inode)) {
                    owners.put(inode, id);
                }
            }
        }
    }

    /** Climbs while the parent runs the same program. */
    private long top(long id) {
        long top = id;
        for (int steps = 0; steps < 16; steps++) {
            ProcessStat stat = ProcessStat.parse(proc.read(top + "/stat"));
            if (stat == null || stat.parentId() <= 1 || !sameProgram(top, stat, stat.parentId())) {
                break;
            }
            top = stat.parentId();
        }
        return top;
    }

    /** By executable; by the kernel's short name where a master of another user hides its own. */
    private boolean sameProgram(long child, ProcessStat childStat, long parent) {
        String parentProgram = proc.link(parent + "/exe");
        if (parentProgram != null) {
            // A Java virtual machine never forks workers: one started by another is a server of its
            // own.
            return parentProgram.equals(proc.link(child + "/exe"))
                    && !parentProgram.endsWith("/java");
        }
        ProcessStat parentStat = ProcessStat.parse(proc.read(parent + "/stat"));
        return parentStat != null && parentStat.name().equals(childStat.name());
    }
}
