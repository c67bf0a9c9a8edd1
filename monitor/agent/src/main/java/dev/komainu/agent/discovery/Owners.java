package dev.komainu.agent.discovery;

import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.agent.host.linux.ProcessStat;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Remembers which process is behind which listening socket, so that the walk over all processes is made only for sockets
 * not seen before. One thread at a time.
 */
final class Owners {

    private final ProcFiles proc;
    private final SocketOwners search;
    private Map<Long, Owner> ownerOf = Map.of();

    /** A process named for good: ids are used again, start times with them are not. */
    record Owner(long id, long startTicks) {}

    Owners(ProcFiles proc) {
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
                ProcessStat stat = ProcessStat.parse(proc.read(id + "/stat"));
                if (stat != null) {
                    found.put(inode, new Owner(id, stat.startTicks()));
                }
            });
        }
        ownerOf = found;
    }

    private boolean isLive(Owner owner) {
        ProcessStat stat = ProcessStat.parse(proc.read(owner.id() + "/stat"));
        return stat != null && stat.startTicks() == owner.startTicks();
    }
}
