package dev.komainu.proxy.control;

import dev.komainu.proxy.cache.PartitionMode;
import dev.komainu.proxy.cache.PartitionSettings;
import dev.komainu.proxy.cache.PriorityPrefix;
import dev.komainu.proxy.cache.partition.PartitionFigures;
import dev.komainu.proxy.cache.partition.PoolFigures;
import dev.komainu.proxy.tally.PoolTally;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The partition of the cache as JSON, in requests and responses; see
 * {@code docs/formats/proxy-control.md}.
 */
final class PartitionPage {

    private static final Set<String> MEMBERS =
            new TreeSet<>(Set.of("mode", "priority", "floorPercent", "dampingPercent"));

    private PartitionPage() {}

    /**
     * Returns the settings of an order: members that it does not have keep their present values.
     *
     * @throws IllegalArgumentException with all errors
     */
    static PartitionSettings read(String body, PartitionSettings before) {
        Map<String, @Nullable Object> members = PurgePage.members(body);
        List<String> problems = new ArrayList<>();
        members.keySet().stream()
                .filter(name -> !MEMBERS.contains(name))
                .forEach(name ->
                        problems.add(name + ": unknown (expected: some of " + MEMBERS + ")"));
        PartitionMode mode = before.mode();
        if (members.containsKey("mode")) {
            try {
                mode = PartitionMode.parse(String.valueOf(members.get("mode")));
            } catch (IllegalArgumentException e) {
                problems.add("mode: " + e.getMessage());
            }
        }
        PartitionSettings next = new PartitionSettings(
                mode,
                members.containsKey("priority")
                        ? prefixes(members.get("priority"), problems)
                        : before.priority(),
                number(members, "floorPercent", before.floorPercent(), problems),
                number(members, "dampingPercent", before.dampingPercent(), problems));
        if (problems.isEmpty()) {
            next.check(problems);
        }
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", problems));
        }
        return next;
    }

    private static List<PriorityPrefix> prefixes(@Nullable Object value, List<String> problems) {
        List<PriorityPrefix> prefixes = new ArrayList<>();
        if (value instanceof List<?> list) {
            for (Object member : list) {
                try {
                    prefixes.add(PriorityPrefix.parse(String.valueOf(member)));
                } catch (IllegalArgumentException e) {
                    problems.add("priority: " + e.getMessage());
                }
            }
        } else {
            problems.add("priority: " + value + " (expected: a list of URL prefixes)");
        }
        return prefixes;
    }

    private static int number(
            Map<String, @Nullable Object> members,
            String name,
            int fallback,
            List<String> problems) {
        Object value = members.get(name);
        if (value instanceof Integer number) {
            return number;
        }
        if (members.containsKey(name)) {
            problems.add(name + ": " + value + " (expected: a whole number)");
        }
        return fallback;
    }

    static Map<String, Object> of(PartitionFigures f, PoolTally counts) {
        Map<String, Object> all = new LinkedHashMap<>();
        PartitionSettings settings = f.settings();
        all.put("mode", settings.mode().text());
        all.put(
                "priority",
                settings.priority().stream().map(PriorityPrefix::written).toList());
        all.put("floorPercent", settings.floorPercent());
        all.put("dampingPercent", settings.dampingPercent());
        all.put("wholeBytes", f.wholeBytes());
        all.put("currentBytes", f.guarded().bytes());
        all.put("targetBytes", f.targetBytes());
        all.put("periods", f.periods());
        all.put("turnedAway", f.turnedAway());
        all.put(
                "protected",
                pool(
                        f.guarded(),
                        counts.protectedHits,
                        counts.protectedHitBytes,
                        counts.protectedMisses));
        all.put(
                "normal",
                pool(f.normal(), counts.normalHits, counts.normalHitBytes, counts.normalMisses));
        Map<String, Object> progress = new LinkedHashMap<>();
        progress.put("looked", f.resettled());
        progress.put("of", f.toResettle());
        progress.put("moved", f.moved());
        progress.put("done", f.settled());
        all.put("resettlement", progress);
        return all;
    }

    private static Map<String, Object> pool(
            PoolFigures pool, long hits, long hitBytes, long misses) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("bytes", pool.bytes());
        all.put("maximumBytes", pool.maximumBytes());
        all.put("storedBytes", pool.storedBytes());
        all.put("unreferencedBytes", pool.unreferencedBytes());
        all.put("entries", pool.entries());
        all.put("evictions", pool.evictions());
        all.put("hits", hits);
        all.put("hitBytes", hitBytes);
        all.put("misses", misses);
        return all;
    }
}
