package dev.komainu.agent.discovery;

import dev.komainu.agent.host.linux.ProcFiles;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Remembers which process is behind which listening socket, so that the walk over all processes is
 * made only for sockets not seen before. One thread at a time.
 */
final class SocketOwnerCache {

    private final ProcFiles proc;
    private final SocketOwners search;
    private Map<Long, Owner> ownerOf = Map.of();

    /** A process named for good: ids are used again, start times with them are not. */
    record Owner(long id, long startTicks) {}

    SocketOwnerCache(ProcFiles proc) {
        this.proc = proc;
        this.search = new SocketOwners(proc);
    }

    /** Null when nobody could be found behind that socket. */
    @Nullable
    Owner of(long inode) {
        return ownerOf.get(inode);
    }

    /** Whether the processes found are still the same ones (a binary upgrade keeps the sockets). */
    boolean live() {
        return ownerOf.values().stream().distinct().allMatch(this::isLive);
    }

    /** Keeps those of these sockets that still live and searches for the rest. */
    void find(Set<Long> inodes) {
        Map<Long, Owner> found = new HashMap<>();
        Set<Long> missing = new HashSet<>();
        for (long inode : inodes) {
            Owner owner = ownerOf.get(inode);
            if (owner != null && isLive(owner)) {
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

    private boolean isLive(Owner owner) {
        return startTicks(proc.read(owner.id() + "/stat")) == owner.startTicks();
    }

    /**
     * The 22nd field of {@code /proc/PID/stat}, without splitting all 52: asked for each server at
     * every look.
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
