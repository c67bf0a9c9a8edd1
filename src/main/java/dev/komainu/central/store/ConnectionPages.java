package dev.komainu.central.store;

import dev.komainu.telemetry.record.ConnectionRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Pages of connections, each connection once, also when several probes told of it: of {@link Twins} one is left out on
 * whatever page it would lie, so that pages read to their end hold exactly the connections there were. Where only one
 * source tells of the time a page speaks of, this costs one look at who told. Any thread.
 */
final class ConnectionPages {

    /** Beyond so many the time alone chooses who may be a twin. */
    private static final int MOST_CLIENTS = 500;

    private static final int EVERYTHING = 5_000_000;

    private final Questions questions;

    ConnectionPages(Questions questions) {
        this.questions = questions;
    }

    StoredPage<ConnectionRecord> read(ConnectionQuery query) {
        List<Stored<ConnectionRecord>> once = new ArrayList<>();
        ConnectionQuery next = query;
        while (true) {
            StoredPage<ConnectionRecord> page = questions.connections(next);
            once.addAll(once(page.items(), query.services()));
            if (once.size() > query.limit()) {
                List<Stored<ConnectionRecord>> full = once.subList(0, query.limit());
                return new StoredPage<>(full, full.getLast().key());
            }
            if (page.next() == null) {
                return new StoredPage<>(once, null);
            }
            next = query.after(page.next());
        }
    }

    private List<Stored<ConnectionRecord>> once(List<Stored<ConnectionRecord>> page, List<String> services) {
        if (page.isEmpty()) {
            return page;
        }
        List<Stored<ConnectionRecord>> partial =
                page.stream().filter(stored -> Twins.isPartial(stored.record())).toList();
        TimeRange around = around(page);
        TimeRange since = partial.isEmpty()
                ? around
                : new TimeRange(
                        Math.min(firstStart(partial) - Twins.SAME_END_MICROS, around.fromMicros()), Long.MAX_VALUE);
        if (questions.connectionSources(services, since).size() < 2) {
            return page;
        }
        Map<String, List<Stored<ConnectionRecord>>> others = new HashMap<>();
        take(others, candidates(page, services, around, Long.MAX_VALUE));
        if (!partial.isEmpty()) {
            take(others, candidates(partial, services, since, lastEnd(partial) + Twins.SAME_END_MICROS));
        }
        String id = services.isEmpty() ? null : services.getFirst();
        return page.stream()
                .filter(stored -> others.getOrDefault(tuple(stored), List.of()).stream()
                        .noneMatch(other -> Twins.isOutdone(stored, other, id)))
                .toList();
    }

    private static TimeRange around(List<Stored<ConnectionRecord>> page) {
        long first = page.stream()
                .mapToLong(stored -> stored.record().endMicros())
                .min()
                .orElse(0);
        return new TimeRange(first - Twins.SAME_END_MICROS, lastEnd(page) + Twins.SAME_END_MICROS + 1);
    }

    private static long firstStart(List<Stored<ConnectionRecord>> page) {
        return page.stream()
                .mapToLong(stored -> stored.record().startMicros())
                .min()
                .orElse(0);
    }

    private static long lastEnd(List<Stored<ConnectionRecord>> page) {
        return page.stream()
                .mapToLong(stored -> stored.record().endMicros())
                .max()
                .orElse(0);
    }

    private List<Stored<ConnectionRecord>> candidates(
            List<Stored<ConnectionRecord>> of, List<String> services, TimeRange range, long startAtMost) {
        Set<String> clients = of.stream()
                .map(stored -> stored.record().client().address().getHostAddress())
                .collect(Collectors.toSet());
        Filter filter = new Filter().anyOf("service", services).within("instant", range);
        if (clients.size() <= MOST_CLIENTS) {
            filter.anyOf("client", List.copyOf(clients));
        }
        if (startAtMost != Long.MAX_VALUE) {
            filter.atMost("instant - duration", startAtMost);
        }
        return questions.connections(filter, range, EVERYTHING);
    }

    private static void take(
            Map<String, List<Stored<ConnectionRecord>>> byTuple, List<Stored<ConnectionRecord>> candidates) {
        candidates.forEach(stored ->
                byTuple.computeIfAbsent(tuple(stored), key -> new ArrayList<>()).add(stored));
    }

    private static String tuple(Stored<ConnectionRecord> stored) {
        return stored.record().client() + " " + stored.record().server();
    }
}
