package dev.komainu.proxy.cache;

import dev.komainu.intermediary.caching.CacheKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Which keys have priority. Immutable; asked with each look-up while the cache is divided, so it
 * neither allocates nor takes longer than a search among the sorted prefixes.
 *
 * <p>The greatest prefix that is not behind the key in their order is the longest that the key can
 * begin with, or one that has all such as its own beginnings: so each knows the longest other
 * prefix that it begins with, its parent, and the search climbs from there.
 */
public final class PriorityRules {

    static final PriorityRules NONE = new PriorityRules(List.of());

    /** @param parent its place, or -1 */
    private record Branch(byte[] prefix, boolean directly, int parent) {}

    private final Branch[] hosts;
    private final Branch[] paths;

    PriorityRules(List<PriorityPrefix> prefixes) {
        hosts = sorted(prefixes.stream().filter(p -> !p.isForAnyHost()).toList());
        paths = sorted(prefixes.stream().filter(PriorityPrefix::isForAnyHost).toList());
    }

    private static Branch[] sorted(List<PriorityPrefix> prefixes) {
        // Of two equal ones the wider comes first, and the other says nothing more.
        List<PriorityPrefix> order = prefixes.stream()
                .sorted((one, other) -> {
                    int bytes = Arrays.compare(one.bytes(), other.bytes());
                    return bytes != 0 ? bytes : Boolean.compare(one.directly(), other.directly());
                })
                .toList();
        List<Branch> branches = new ArrayList<>();
        for (PriorityPrefix prefix : order) {
            byte[] bytes = prefix.bytes();
            int parent = branches.size() - 1;
            if (parent >= 0 && Arrays.equals(branches.get(parent).prefix, bytes)) {
                continue;
            }
            while (parent >= 0 && !beginsWith(bytes, branches.get(parent).prefix)) {
                parent = branches.get(parent).parent;
            }
            branches.add(new Branch(bytes, prefix.directly(), parent));
        }
        return branches.toArray(Branch[]::new);
    }

    private static boolean beginsWith(byte[] text, byte[] prefix) {
        return text.length >= prefix.length
                && Arrays.equals(text, 0, prefix.length, prefix, 0, prefix.length);
    }

    public boolean holds(CacheKey key) {
        return hosts.length > 0 && holds(hosts, key, 0)
                || paths.length > 0 && holds(paths, key, key.pathFrom());
    }

    private static boolean holds(Branch[] branches, CacheKey key, int from) {
        int low = 0;
        int high = branches.length - 1;
        while (low <= high) {
            int middle = low + high >>> 1;
            if (key.compareFrom(from, branches[middle].prefix) < 0) {
                high = middle - 1;
            } else {
                low = middle + 1;
            }
        }
        for (int at = high; at >= 0; at = branches[at].parent) {
            Branch branch = branches[at];
            if (key.startsWith(from, branch.prefix)
                    && (!branch.directly || key.isLeafFrom(from + branch.prefix.length))) {
                return true;
            }
        }
        return false;
    }
}
