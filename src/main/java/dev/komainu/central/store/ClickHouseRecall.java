package dev.komainu.central.store;

import dev.komainu.central.clickhouse.ClickHouseClient;
import dev.komainu.central.clickhouse.RowBinaryReader;
import dev.komainu.central.store.CommittedRows.Ordinals;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.wire.MalformedBatchException;
import dev.komainu.telemetry.wire.RecordCodec;
import java.io.IOException;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reading of what former runs stored, at the start. It first makes this run the newest: what a
 * former one commits afterwards is not acknowledged there, and is voided here.
 */
final class ClickHouseRecall {

    private static final Logger LOG = LoggerFactory.getLogger(ClickHouseRecall.class);

    /**
     * Ordinals between two runs. A former run may have begun a write whose rows arrive only now; it
     * has fewer ordinals than this.
     */
    private static final long GAP = 1 << 20;

    /** Days whose rows are compared with the names of the batches. */
    private static final int CHECKED_DAYS = 2;

    /** Tables that are read to the last row. */
    private static final List<String> RECALLED = List.of(
            ClickHouseTables.BATCHES,
            ClickHouseTables.ROLLED,
            ClickHouseTables.VOIDED,
            ClickHouseTables.WINDOWS);

    /** Ranges in one query: ClickHouse limits its length. */
    private static final int RANGES_OF_A_QUERY = 500;

    /**
     * The state at the start.
     *
     * @param run name of this run
     * @param nextOrdinal first ordinal of this run
     */
    record Recalled(String run, long nextOrdinal, CommittedRows rows) {}

    private final ClickHouseClient client;
    private final ClickHouseCluster cluster;
    private final RollUpProgress progress;
    private final KnownBatches storedBatches;

    ClickHouseRecall(
            ClickHouseClient client,
            ClickHouseCluster cluster,
            RollUpProgress progress,
            KnownBatches storedBatches) {
        this.client = client;
        this.cluster = cluster;
        this.progress = progress;
        this.storedBatches = storedBatches;
    }

    Recalled read(LocalDate today) throws SQLException {
        String run = UUID.randomUUID().toString();
        cluster.awaitReplicas(List.of(ClickHouseTables.RUNS));
        long number = number("SELECT max(number) FROM " + ClickHouseTables.RUNS) + 1;
        ClickHouseRows begin = new ClickHouseRows(today);
        begin.run(number, run);
        begin.insert(client);
        // What a former run commits from now on is not acknowledged; what it committed before must
        // be here.
        cluster.awaitReplicas(RECALLED);

        List<Ordinals> voided = voided();
        long last = Math.max(
                number("SELECT max(ordinal) FROM " + ClickHouseTables.BATCHES),
                number("SELECT max(ordinal) FROM " + ClickHouseTables.ROLLED));
        for (Ordinals each : voided) {
            last = Math.max(last, each.last());
        }
        Ordinals gap = new Ordinals(last + 1, last + GAP);
        List<Ordinals> found = orphans(voided, gap.first());
        found.add(gap);
        ClickHouseRows rows = new ClickHouseRows(today);
        found.forEach(rows::voided);
        rows.insert(client);
        if (found.size() > 1) {
            LOG.info("Store: {} unfinished writes of former runs do not count", found.size() - 1);
        }
        voided.addAll(found);
        voided = withRows(voided, gap);

        CommittedRows committed = new CommittedRows(
                last,
                voided,
                days(ClickHouseTables.BATCHES, voided),
                days(ClickHouseTables.ROLLED, voided));
        recallNames(voided);
        recallWindows(committed, voided);
        return new Recalled(run, gap.last() + 1, committed);
    }

    private long number(String sql) throws SQLException {
        return client.query(sql, row -> row.next() ? row.int64() : 0);
    }

    private List<Ordinals> voided() throws SQLException {
        return client.query(
                "SELECT first, last FROM " + ClickHouseTables.VOIDED + " ORDER BY first", row -> {
                    List<Ordinals> all = new ArrayList<>();
                    while (row.next()) {
                        all.add(new Ordinals(row.int64(), row.int64()));
                    }
                    return all;
                });
    }

    /**
     * Returns the ordinals of rows of the newest days that are neither committed nor voided. After
     * a crash of this service they are above the last commit, which the gap voids; others exist
     * only when the server lost names, for example with its power.
     */
    private List<Ordinals> orphans(List<Ordinals> voided, long before) throws SQLException {
        TreeSet<Long> found = new TreeSet<>();
        for (String table : ClickHouseTables.WITH_KEYS) {
            List<String> newest = client.query(
                    "SELECT DISTINCT toString(day) FROM " + table + " ORDER BY day DESC LIMIT "
                            + CHECKED_DAYS,
                    ClickHouseRecall::texts);
            if (newest.isEmpty()) {
                continue;
            }
            String days = "('" + String.join("', '", newest) + "')";
            String commits = table.equals(ClickHouseTables.ROLL_UPS)
                    ? ClickHouseTables.ROLLED
                    : ClickHouseTables.BATCHES;
            client.query(
                    "SELECT DISTINCT bitShiftRight(key, " + Rows.KEY_BITS + ") AS o FROM " + table
                            + " WHERE day IN " + days + " AND key < "
                            + (before << Rows.KEY_BITS)
                            + " AND bitShiftRight(key, " + Rows.KEY_BITS
                            + ")" + (cluster.isCluster() ? " GLOBAL" : "")
                            + " NOT IN (SELECT ordinal FROM " + commits + " WHERE day IN " + days
                            + ")",
                    row -> {
                        while (row.next()) {
                            found.add(row.int64());
                        }
                        return found;
                    });
        }
        List<Ordinals> all = new ArrayList<>();
        for (long ordinal : found) {
            boolean known = voided.stream()
                    .anyMatch(each -> each.first() <= ordinal && ordinal <= each.last());
            if (known) {
                continue;
            }
            Ordinals newest = all.isEmpty() ? null : all.getLast();
            if (newest != null && newest.last() + 1 == ordinal) {
                all.set(all.size() - 1, new Ordinals(newest.first(), ordinal));
            } else {
                all.add(new Ordinals(ordinal, ordinal));
            }
        }
        return all;
    }

    private static List<String> texts(RowBinaryReader row) throws IOException {
        List<String> texts = new ArrayList<>();
        while (row.next()) {
            texts.add(row.text());
        }
        return texts;
    }

    /**
     * Returns the voided ranges that queries must leave out: those with rows, and the newest, whose
     * rows may still arrive. Most runs end in order and leave none, so the others would only make
     * the queries long.
     */
    private List<Ordinals> withRows(List<Ordinals> voided, Ordinals gap) throws SQLException {
        TreeSet<Long> found = new TreeSet<>();
        for (int from = 0; from < voided.size(); from += RANGES_OF_A_QUERY) {
            List<Ordinals> some =
                    voided.subList(from, Math.min(voided.size(), from + RANGES_OF_A_QUERY));
            for (String table : ClickHouseTables.WITH_KEYS) {
                found.addAll(ordinals(table, "bitShiftRight(key, " + Rows.KEY_BITS + ")", some));
            }
            found.addAll(ordinals(ClickHouseTables.BATCHES, "ordinal", some));
            found.addAll(ordinals(ClickHouseTables.ROLLED, "ordinal", some));
        }
        List<Ordinals> kept = new ArrayList<>();
        for (Ordinals each : voided) {
            Long first = found.ceiling(each.first());
            if (each.equals(gap) || (first != null && first <= each.last())) {
                kept.add(each);
            }
        }
        return kept;
    }

    private List<Long> ordinals(String table, String ordinal, List<Ordinals> within)
            throws SQLException {
        List<String> ranges = new ArrayList<>();
        for (Ordinals each : within) {
            ranges.add("(" + ordinal + " >= " + each.first() + " AND " + ordinal + " <= "
                    + each.last() + ")");
        }
        return client.query(
                "SELECT DISTINCT toInt64(" + ordinal + ") FROM " + table + " WHERE "
                        + String.join(" OR ", ranges),
                row -> {
                    List<Long> found = new ArrayList<>();
                    while (row.next()) {
                        found.add(row.int64());
                    }
                    return found;
                });
    }

    private NavigableMap<LocalDate, CommittedRows.Day> days(String table, List<Ordinals> voided)
            throws SQLException {
        return client.query(
                "SELECT toString(day), count(), min(first), max(last) FROM " + table + " WHERE "
                        + CommittedRows.ofOrdinal(voided) + " GROUP BY day",
                row -> {
                    NavigableMap<LocalDate, CommittedRows.Day> days = new TreeMap<>();
                    while (row.next()) {
                        days.put(
                                LocalDate.parse(row.text()),
                                new CommittedRows.Day(row.int64(), row.int64(), row.int64()));
                    }
                    return days;
                });
    }

    /** Sequences of a run that are consecutive are one row; those of the others are read. */
    private void recallNames(List<Ordinals> voided) throws SQLException {
        record Incomplete(String source, long epoch) {}
        String counted = CommittedRows.ofOrdinal(voided);
        List<Incomplete> incomplete = client.query(
                "SELECT source, epoch, min(sequence), max(sequence), count() FROM "
                        + ClickHouseTables.BATCHES + " WHERE " + counted
                        + " GROUP BY source, epoch ORDER BY max(ordinal)",
                row -> {
                    List<Incomplete> gaps = new ArrayList<>();
                    while (row.next()) {
                        String source = row.text();
                        long epoch = row.int64();
                        long first = row.int64();
                        long last = row.int64();
                        if (last - first + 1 == row.int64()) {
                            storedBatches.add(source, epoch, first, last);
                        } else {
                            gaps.add(new Incomplete(source, epoch));
                        }
                    }
                    return gaps;
                });
        for (Incomplete each : incomplete) {
            ClickHouseFilter filter = new ClickHouseFilter()
                    .equal("source", each.source())
                    .equal("epoch", each.epoch());
            client.query(
                    "SELECT sequence FROM " + ClickHouseTables.BATCHES + " WHERE " + filter.sql()
                            + " AND " + counted + " ORDER BY sequence",
                    row -> {
                        while (row.next()) {
                            long sequence = row.int64();
                            storedBatches.add(each.source(), each.epoch(), sequence, sequence);
                        }
                        return each;
                    });
        }
    }

    /** Recalls the windows behind the mark of the last roll-up. */
    private void recallWindows(CommittedRows committed, List<Ordinals> voided) throws SQLException {
        if (committed.days().isEmpty()) {
            return;
        }
        String counted = CommittedRows.ofOrdinal(voided);
        long upTo =
                number("SELECT max(upto) FROM " + ClickHouseTables.ROLLED + " WHERE " + counted);
        client.query(
                "SELECT key, source, body FROM " + ClickHouseTables.WINDOWS + " WHERE key >= "
                        + ((upTo + 1) << Rows.KEY_BITS) + " AND "
                        + committed.condition(TimeRange.all()) + " ORDER BY key",
                row -> {
                    while (row.next()) {
                        long ordinal = row.int64() >> Rows.KEY_BITS;
                        String source = row.text();
                        TelemetryRecord record = decode(row.bytes());
                        if (record != null) {
                            progress.recovered(source, record, ordinal);
                        }
                    }
                    return upTo;
                });
    }

    private static @Nullable TelemetryRecord decode(byte[] body) throws SQLException {
        try {
            return RecordCodec.decode(body).orElse(null);
        } catch (MalformedBatchException e) {
            throw new SQLException("a stored window: " + e.getMessage(), e);
        }
    }
}
