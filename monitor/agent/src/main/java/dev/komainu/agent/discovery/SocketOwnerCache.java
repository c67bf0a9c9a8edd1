package dev.komainu.agent.discovery;

import dev.komainu.agent.host.linux.ProcFiles;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The processes known to own listening sockets, so that the walk over all processes is made only
 * for new sockets. One thread at a time.
 */
final class SocketOwnerCache {

    private final ProcFiles proc;
    private final SocketOwners search;
    private Map<Long, Owner> ownerOf = Map.of();

    /**
     * The identity of a process. Process ids are reused; an id together with a start time is not.
     */
    record Owner(long id, long startTicks) {}

    SocketOwnerCache(ProcFiles proc) {
        this.proc = proc;
        this.search = new SocketOwners(proc);
    }

    /** Returns the process that owns a socket; null when none was found. */
    @Nullable
    Owner of(long inode) {
        return ownerOf.get(inode);
    }

    /**
     * Reports whether all known processes are still alive. A binary upgrade keeps the sockets but
     * replaces the process.
     */
    boolean isAlive() {
        return ownerOf.values().stream().distinct().allMatch(this::isAlive);
    }

    /** Retains the owners that are still alive among these sockets and searches for the rest. */
    void find(Set<Long> inodes) {
        Map<Long, Owner> found = new HashMap<>();
        Set<Long> missing = new HashSet<>();
        for (long inode : inodes) {
            Owner owner = ownerOf.get(inode);
            if (owner != null && isAlive(owner)) {
                found.put(inode, owner);
            } else {
                missing.add(inode);
            }
        }
        if (!missing.isEmpty()) {
            search.of(missing).forEach((inode, id) -> {
                long startTicks = startTicks(proc.read(id + "/stat"));
                if (startTicks >= 0) {
                    found.put(inode, new Owner(id, startTicks));
                }
            });
        }
        ownerOf = found;
    }

    private boolean isAlive(Owner owner) {
        return startTicks(proc.read(owner.id() + "/stat")) == owner.startTicks();
    }

    /**
     * Returns the 22nd field of {@code /proc/PID/stat} in clock ticks, or -1. Does not split all 52
     * fields, because every scan calls it for each server.
     */
    static long startTicks(@Nullable String stat) {
        int at = stat == null ? -1 : stat.lastIndexOf(')');
        for (int field = 3; field <= 22 && at >= 0 && stat != null; field++) {
            at = stat.indexOf(' ', at + 1);
        }
        long ticks = 0;
        int from = at + 1;
        int end = from;
        while (stat != null
                && at >= 0
                && end < stat.length()
                && Character.isDigit(stat.charAt(end))
                && end < from + 18) {
            ticks = ticks * 10 + (stat.charAt(end++) - '0');
        }
        return stat == null || at < 0 || end == from ? -1 : ticks;
    }
}
