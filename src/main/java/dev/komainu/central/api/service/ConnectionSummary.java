package dev.komainu.central.api.service;

import dev.komainu.central.api.service.ConnectionTotals.View;
import dev.komainu.central.store.StoredRecord;
import dev.komainu.telemetry.record.ConnectionRecord;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * {@code ConnectionSummary} of the contract: the connections of a range as totals, groups, a
 * distribution and the slowest of them.
 *
 * @param complete whether every connection of the range is in it; otherwise only the newest are
 * @param otherGroups number of groups that are not in the list
 */
record ConnectionSummary(
        String groupBy,
        boolean complete,
        View total,
        List<Group> groups,
        int otherGroups,
        List<Bin> distribution,
        List<ConnectionView> slowest) {

    /** The number of connections in {@code slowest}. */
    private static final int SLOWEST = 20;

    /** The upper ends of the bins of the distribution, in microseconds: 1, 2, 5 times ten. */
    private static final long[] ENDS = {
        100,
        200,
        500,
        1_000,
        2_000,
        5_000,
        10_000,
        20_000,
        50_000,
        100_000,
        200_000,
        500_000,
        1_000_000,
        2_000_000,
        5_000_000,
        10_000_000,
        20_000_000,
        50_000_000,
        Long.MAX_VALUE
    };

    /** One group. */
    record Group(String name, View total) {}

    /**
     * One bin of the distribution of response times.
     *
     * @param toMillis absent in the last bin, which has no upper end
     */
    record Bin(double fromMillis, @Nullable Double toMillis, long responses) {}

    /** The collection of a summary, connection by connection. Not thread-safe. */
    static final class Collector {

        private static final Comparator<Slow> BY_RESPONSE =
                Comparator.comparingLong(Slow::responseMicros);

        /** A connection with its slowest response. */
        private record Slow(long responseMicros, StoredRecord<ConnectionRecord> connection) {}

        private final ConnectionGrouping grouping;
        private final ConnectionTotals total = new ConnectionTotals();
        private final Map<String, ConnectionTotals> groups = new HashMap<>();
        private final PriorityQueue<Slow> slowest = new PriorityQueue<>(BY_RESPONSE);
        private int connections;
        private long exchanges;

        Collector(ConnectionGrouping grouping) {
            this.grouping = grouping;
        }

        void add(StoredRecord<ConnectionRecord> stored) {
            ConnectionRecord connection = stored.record();
            connections++;
            exchanges += connection.exchanges().size();
            total.add(connection, null);
            boolean byTarget = grouping == ConnectionGrouping.TARGET;
            for (String group : grouping.groupsOf(connection)) {
                groups.computeIfAbsent(group, name -> new ConnectionTotals())
                        .add(connection, byTarget ? group : null);
            }
            Long response = ConnectionView.slowestResponseMicros(connection.exchanges());
            if (response != null) {
                slowest.add(new Slow(response, stored));
                if (slowest.size() > SLOWEST) {
                    slowest.poll();
                }
            }
        }

        int connections() {
            return connections;
        }

        long exchanges() {
            return exchanges;
        }

        /**
         * Returns the summary.
         *
         * @param most highest number of groups; the first ones in the order are kept
         */
        ConnectionSummary summary(ConnectionOrder order, int most, boolean complete) {
            List<Group> all = new ArrayList<>(groups.size());
            groups.forEach((name, totals) -> all.add(new Group(name, totals.view())));
            all.sort(order.thenByName());
            return new ConnectionSummary(
                    grouping.label(),
                    complete,
                    total.view(),
                    List.copyOf(all.subList(0, Math.min(most, all.size()))),
                    Math.max(0, all.size() - most),
                    distribution(),
                    slowest.stream()
                            .sorted(BY_RESPONSE.reversed())
                            .map(slow -> ConnectionView.of(slow.connection()))
                            .toList());
        }

        private List<Bin> distribution() {
            List<Bin> bins = new ArrayList<>(ENDS.length);
            long from = -1;
            for (long end : ENDS) {
                bins.add(new Bin(
                        Math.max(0, from) / 1_000.0,
                        end == Long.MAX_VALUE ? null : end / 1_000.0,
                        total.responsesBetween(from, end)));
                from = end;
            }
            return bins;
        }
    }
}
