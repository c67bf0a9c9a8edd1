package dev.komainu.central.union;

import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** A source that reports a service, and its seconds that are not settled. */
final class ReportingSource {

    final String name;
    /** Number of the source within the service: its bit in a set of sources. */
    final int number;

    final TreeMap<Long, SeenSecond> seconds = new TreeMap<>();
    /** The source's names of the service in the newest second. */
    private final Set<String> names = new TreeSet<>();

    /** The names in the second before. */
    private Set<String> expected = Set.of();

    boolean beside;
    long lastReportMillis;
    long newest = Long.MIN_VALUE;
    /** The second reported last. */
    long latest = Long.MIN_VALUE;
    /** The newest second with connections. */
    long newestDetailed = Long.MIN_VALUE;
    /** The last second whose connections were not accepted. */
    long refused = Long.MIN_VALUE;
    /** Seconds that were settled without this source. */
    long missed;

    ReportingSource(String name, int number) {
        this.name = name;
        this.number = number;
    }

    /** Notes that the source reports a second under a name. */
    void report(long second, String as, boolean isBeside, long nowMillis) {
        beside |= isBeside;
        lastReportMillis = nowMillis;
        latest = second;
        if (second > newest) {
            expected = Set.copyOf(names);
            names.clear();
            newest = second;
        }
        names.add(as);
    }

    /** Returns the source's names of the service. */
    Set<String> allNames() {
        Set<String> all = new TreeSet<>(names);
        all.addAll(expected);
        return all;
    }

    int bit() {
        return 1 << number;
    }

    SeenSecond at(long second) {
        return seconds.computeIfAbsent(second, key -> new SeenSecond());
    }

    /** Reports whether the source reported this second under each of its names, or a later one. */
    boolean hasPassed(long second) {
        SeenSecond seen = seconds.get(second);
        return newest > second || (seen != null && seen.hasWindows() && seen.hasNames(expected));
    }
}
