package dev.komainu.central.store;

import dev.komainu.telemetry.record.ConnectionRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Pages of connections. A connection that several probes reported appears once: of
 * {@link DuplicateConnections} one is left out on every page, so that all pages together contain
 * each connection exactly once. When only one source reported in the time of a page, the cost is
 * one query for the sources. Any thread.
 */
final class ConnectionPages {

    /** Number of clients above which the candidates for duplicates are selected by time only. */
    private static final int MOST_CLIENTS = 500;

    private final ConnectionRows queries;

    ConnectionPages(ConnectionRows queries) {
        this.queries = queries;
    }

    StoredPage<ConnectionRecord> read(ConnectionQuery query) {
        List<StoredRecord<ConnectionRecord>> once = new ArrayList<>();
        ConnectionQuery next = query;
        while (true) {
            StoredPage<ConnectionRecord> page = queries.connections(next);
            once.addAll(once(page.items(), query.services()));
            if (once.size() > query.limit()) {
                List<StoredRecord<ConnectionRecord>> full = once.subList(0, query.limit());
                return new StoredPage<>(full, full.getLast().key());
            }
            if (page.next() == null) {
                return new StoredPage<>(once, null);
            }
            next = query.after(page.next());
        }
    }

    private List<StoredRecord<ConnectionRecord>> once(
            List<StoredRecord<ConnectionRecord>> page, List<String> services) {
        if (page.isEmpty()) {
            return page;
        }
        List<StoredRecord<ConnectionRecord>> partial = page.stream()
                .filter(stored -> DuplicateConnections.isPartial(stored.record()))
                .toList();
        TimeRange around = around(page);
        TimeRange since = partial.isEmpty()
                ? around
                : new TimeRange(
                        Math.min(
                                firstStart(partial) - DuplicateConnections.SAME_END_MICROS,
                                around.fromMicros()),
                        Long.MAX_VALUE);
        if (queries.connectionSources(services, since).size() < 2) {
            return page;
        }
        Map<String, List<StoredRecord<ConnectionRecord>>> others = new HashMap<>();
        addTo(others, candidates(page, services, around, Long.MAX_VALUE));
        if (!partial.isEmpty()) {
            addTo(
                    others,
                    candidates(
                            partial,
                            services,
                            since,
                            lastEnd(partial) + DuplicateConnections.SAME_END_MICROS));
        }
        String id = services.isEmpty() ? null : services.getFirst();
        return page.stream()
                .filter(stored -> others.getOrDefault(tuple(stored), List.of()).stream()
                        .noneMatch(other -> DuplicateConnections.isOutdone(stored, other, id)))
                .toList();
    }

    private static TimeRange around(List<StoredRecord<ConnectionRecord>> page) {
        long first = page.stream()
                .mapToLong(stored -> stored.record().times().endMicros())
                .min()
                .orElse(0);
        return new TimeRange(
                first - DuplicateConnections.SAME_END_MICROS,
                lastEnd(page) + DuplicateConnections.SAME_END_MICROS + 1);
    }

    private static long firstStart(List<StoredRecord<ConnectionRecord>> page) {
        return page.stream()
                .mapToLong(stored -> stored.record().times().startMicros())
                .min()
                .orElse(0);
    }

    private static long lastEnd(List<StoredRecord<ConnectionRecord>> page) {
        return page.stream()
                .mapToLong(stored -> stored.record().times().endMicros())
                .max()
                .orElse(0);
    }

    private List<StoredRecord<ConnectionRecord>> candidates(
            List<StoredRecord<ConnectionRecord>> of,
            List<String> services,
            TimeRange range,
            long startAtMost) {
        Set<String> clients = of.stream()
                .map(stored -> stored.record().client().address().getHostAddress())
                .collect(Collectors.toSet());
        return queries.candidates(new ConnectionRows.Candidates(
                services,
                range,
                clients.size() <= MOST_CLIENTS ? List.copyOf(clients) : List.of(),
                startAtMost));
    }

    private static void addTo(
            Map<String, List<StoredRecord<ConnectionRecord>>> byTuple,
            List<StoredRecord<ConnectionRecord>> candidates) {
        candidates.forEach(stored ->
                byTuple.computeIfAbsent(tuple(stored), key -> new ArrayList<>()).add(stored));
    }

    private static String tuple(StoredRecord<ConnectionRecord> stored) {
        return stored.record().client() + " " + stored.record().server();
    }
}
