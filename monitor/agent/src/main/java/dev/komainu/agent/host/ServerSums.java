package dev.komainu.agent.host;

import dev.komainu.agent.host.linux.ProcessTotals;
import dev.komainu.agent.host.linux.ServerTrees;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The figures of watched servers over their own processes and those of their application pools. One
 * thread at a time.
 */
final class ServerSums {

    // The counters of a pool count from the reading in which it joined the server, and stay in the
    // sum after it ended. So a pool that is found, restarted or gone changes no rate.

    private final ServerTrees trees;
    private final long pageBytes;
    private final Map<String, Pools> byService = new HashMap<>();

    private static final class Pools {
        final Map<Long, ProcessTotals> joined = new HashMap<>();
        Map<Long, ProcessTotals> last = Map.of();

        @Nullable
        ProcessTotals ended;
    }

    /**
     * The processes of a server in one reading.
     *
     * @param own its own tree
     * @param pools the trees of its living pools by their top process
     * @param all the sums of both
     */
    record Sums(ProcessTotals own, Map<Long, ProcessTotals> pools, ProcessTotals all) {}

    ServerSums(ServerTrees trees, long pageBytes) {
        this.trees = trees;
        this.pageBytes = pageBytes;
    }

    /** Returns the sums of a server; null when its own top process is unknown or gone. */
    @Nullable
    Sums of(WatchedServer server) {
        Long root = server.processId();
        ProcessTotals own = root == null ? null : trees.of(root, pageBytes);
        if (root == null || own == null) {
            return null;
        }
        Pools known = byService.get(server.service());
        if (server.pools().isEmpty() && known == null) {
            return new Sums(own, Map.of(), own);
        }
        if (known == null) {
            known = new Pools();
            byService.put(server.service(), known);
        }
        Map<Long, ProcessTotals> living = living(root, server.pools());
        return new Sums(own, living, sum(own, known, living));
    }

    private Map<Long, ProcessTotals> living(long root, List<ApplicationPool> pools) {
        Map<Long, ProcessTotals> living = new LinkedHashMap<>();
        for (ApplicationPool pool : pools) {
            long id = pool.processId();
            boolean counted = living.containsKey(id)
                    || trees.contains(root, id)
                    || living.keySet().stream().anyMatch(other -> trees.contains(other, id));
            ProcessTotals totals = counted ? null : trees.of(id, pageBytes);
            if (totals != null) {
                living.put(id, totals);
            }
        }
        return living;
    }

    private static ProcessTotals sum(
            ProcessTotals own, Pools known, Map<Long, ProcessTotals> living) {
        ProcessTotals all = own;
        Map<Long, ProcessTotals> now = new HashMap<>();
        for (Map.Entry<Long, ProcessTotals> pool : living.entrySet()) {
            ProcessTotals joined =
                    known.joined.computeIfAbsent(pool.getKey(), id -> pool.getValue());
            ProcessTotals growth = pool.getValue().since(joined);
            now.put(pool.getKey(), growth);
            all = all.plus(growth);
        }
        for (Map.Entry<Long, ProcessTotals> pool : known.last.entrySet()) {
            if (!now.containsKey(pool.getKey())) {
                ProcessTotals rest = pool.getValue().ended();
                known.ended = known.ended == null ? rest : known.ended.plus(rest);
                known.joined.remove(pool.getKey());
            }
        }
        known.last = now;
        return known.ended == null ? all : all.plus(known.ended);
    }

    /** Ends a reading and discards the pools of servers that are no longer watched. */
    void end(List<WatchedServer> watched) {
        if (!byService.isEmpty()) {
            Set<String> services =
                    watched.stream().map(WatchedServer::service).collect(Collectors.toSet());
            byService.keySet().retainAll(services);
        }
    }
}
