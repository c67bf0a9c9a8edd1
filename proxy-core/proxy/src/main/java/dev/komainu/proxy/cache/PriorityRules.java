package dev.komainu.proxy.cache;

import dev.komainu.intermediary.caching.CacheKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The keys that have priority. Immutable. Used by each lookup while the cache is divided: it does
 * not allocate, and costs one search among the sorted prefixes.
 *
 * <p>Let P be the greatest prefix that does not sort after the key. Each prefix that the key starts
 * with is P or a prefix of P. Each prefix therefore stores its parent, the longest other prefix
 * that it starts with, and the search climbs from P.
 */
public final class PriorityRules {

    static final PriorityRules NONE = new PriorityRules(List.of());

    /**
     * One prefix.
     *
     * @param directly whether only keys directly in this directory match
     * @param parent index of the parent, or -1
     */
    private record Node(byte[] prefix, boolean directly, int parent) {}

    private final Node[] hosts;
    private final Node[] paths;

    PriorityRules(List<PriorityPrefix> prefixes) {
        hosts = sorted(prefixes.stream().filter(p -> !p.isForAnyHost()).toList());
        paths = sorted(prefixes.stream().filter(PriorityPrefix::isForAnyHost).toList());
    }

    private static Node[] sorted(List<PriorityPrefix> prefixes) {
        // Of two equal prefixes the wider comes first; the other is redundant.
        List<PriorityPrefix> ordered = prefixes.stream()
                .sorted((first, second) -> {
                    int bytes = Arrays.compare(first.bytes(), second.bytes());
                    return bytes != 0
                            ? bytes
                            : Boolean.compare(first.directly(), second.directly());
                })
                .toList();
        List<Node> nodes = new ArrayList<>();
        for (PriorityPrefix prefix : ordered) {
            byte[] bytes = prefix.bytes();
            int parent = nodes.size() - 1;
            if (parent >= 0 && Arrays.equals(nodes.get(parent).prefix, bytes)) {
                continue;
            }
            while (parent >= 0 && !startsWith(bytes, nodes.get(parent).prefix)) {
                parent = nodes.get(parent).parent;
            }
            nodes.add(new Node(bytes, prefix.directly(), parent));
        }
        return nodes.toArray(Node[]::new);
    }

    private static boolean startsWith(byte[] text, byte[] prefix) {
        return text.length >= prefix.length
                && Arrays.equals(text, 0, prefix.length, prefix, 0, prefix.length);
    }

    public boolean hasPriority(CacheKey key) {
        return (hosts.length > 0 && hasPriority(hosts, key, 0))
                || (paths.length > 0 && hasPriority(paths, key, key.pathFrom()));
    }

    private static boolean hasPriority(Node[] nodes, CacheKey key, int from) {
        int low = 0;
        int high = nodes.length - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (key.compareFrom(from, nodes[middle].prefix) < 0) {
                high = middle - 1;
            } else {
                low = middle + 1;
            }
        }
        for (int index = high; index >= 0; index = nodes[index].parent) {
            Node node = nodes[index];
            if (key.startsWith(from, node.prefix)
                    && (!node.directly || key.isLeafFrom(from + node.prefix.length))) {
                return true;
            }
        }
        return false;
    }
}
