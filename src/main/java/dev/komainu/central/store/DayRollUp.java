package dev.komainu.central.store;

import dev.komainu.central.store.Summation.Part;
import dev.komainu.telemetry.record.ProxyWindow;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.wire.MalformedBatchException;
import dev.komainu.telemetry.wire.RecordCodec;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.duckdb.DuckDBConnection;
import org.jspecify.annotations.Nullable;

/**
 * The computation of the minutes and hours of one closed day from its roll-ups of ten seconds: a
 * minute is the sum of its ten seconds and an hour the sum of its minutes, for each service and
 * source. It depends on the day file only, so it may be repeated.
 *
 * <p>The day is read in parts, in order of time, so that neither heap nor DuckDB holds more than a
 * part; other readers and the writer go on between and during them. Used by one thread.
 */
final class DayRollUp {

    /** Rows of a part, unless a single minute has more. */
    private static final int PART_ROWS = 4_096;

    /** Minutes after which the minutes of an hour are summed, to free their memory. */
    private static final long FOLDED_MICROS = 10 * RollUpLevel.MINUTE.micros();

    /** The pause between two parts. */
    @FunctionalInterface
    interface Pace {

        /**
         * Waits after a part.
         *
         * @param nanos time that the part took
         * @throws InterruptedException when the work is to end
         */
        void after(long nanos) throws InterruptedException;
    }

    private final Pace pace;
    private final Fold<ServiceWindow> services = new Fold<>(Rows.SERVICE_WINDOW, new ServiceSum());
    private final Fold<ProxyWindow> proxies = new Fold<>(Rows.PROXY_WINDOW, new ProxySum());
    private long minute = Long.MIN_VALUE;
    private int unreadable;

    DayRollUp(Pace pace) {
        this.pace = pace;
    }

    /** The windows of one kind in the minute and the hour that are being read. */
    private static final class Fold<W extends TelemetryRecord> {

        private final int kind;
        private final Summation<W> summation;
        private final RollUps<W> minutes;
        private final RollUps<W> hours;

        Fold(int kind, Summation<W> summation) {
            this.kind = kind;
            this.summation = summation;
            this.minutes = new RollUps<>(summation, RollUpLevel.MINUTE.micros());
            this.hours = new RollUps<>(summation, RollUpLevel.HOUR.micros());
        }

        void add(String source, TelemetryRecord record, long covered) {
            W window = summation.windowOf(record);
            if (window != null) {
                minutes.add(source, new Part<>(window, covered));
            }
        }

        void closeMinute(StagedRollUps to) throws SQLException {
            for (RollUps.Piece<W> piece : minutes.pieces()) {
                to.add(RollUpLevel.MINUTE, kind, summation, piece);
                hours.add(piece.source(), piece.part());
            }
            minutes.clear();
        }

        void foldHour() {
            List<RollUps.Piece<W>> pieces = hours.pieces();
            hours.clear();
            pieces.forEach(piece -> hours.add(piece.source(), piece.part()));
        }

        void closeHour(StagedRollUps to) throws SQLException {
            for (RollUps.Piece<W> piece : hours.pieces()) {
                to.add(RollUpLevel.HOUR, kind, summation, piece);
            }
            hours.clear();
        }
    }

    /**
     * Adds all roll-ups of a day.
     *
     * @param connection a connection to the store, for this call only
     * @param file a closed day, pinned by the caller
     * @throws InterruptedException when the pace ended the work
     */
    void read(DuckDBConnection connection, DayFile file, StagedRollUps to)
            throws SQLException, InterruptedException {
        for (TimeRange part : parts(connection, file)) {
            long begun = System.nanoTime();
            read(connection, file, part, to);
            to.flush();
            pace.after(System.nanoTime() - begun);
        }
        closeMinute(to);
        closeHour(to);
        to.flush();
    }

    /** Returns ranges of whole minutes, in order of time. */
    private static List<TimeRange> parts(DuckDBConnection connection, DayFile file)
            throws SQLException {
        List<TimeRange> parts = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT min(instant), count(*) FROM "
                        + file.name() + ".rollups GROUP BY instant // "
                        + RollUpLevel.MINUTE.micros() + " ORDER BY 1")) {
            @Nullable Long from = null;
            long rows = 0;
            while (row.next()) {
                long first = RollUpLevel.MINUTE.startOf(row.getLong(1));
                if (from != null && rows + row.getLong(2) > PART_ROWS) {
                    parts.add(new TimeRange(from, first));
                    from = null;
                    rows = 0;
                }
                from = from == null ? (Long) first : from;
                rows += row.getLong(2);
            }
            if (from != null) {
                parts.add(new TimeRange(from, Long.MAX_VALUE));
            }
        }
        return parts;
    }

    private void read(DuckDBConnection connection, DayFile file, TimeRange part, StagedRollUps to)
            throws SQLException {
        SqlFilter filter = new SqlFilter().within("instant", part);
        String sql = "SELECT instant, covered, source, body FROM " + file.name() + ".rollups WHERE "
                + filter.sql() + " ORDER BY instant";
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            filter.bind(statement, 1);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    advance(RollUpLevel.MINUTE.startOf(row.getLong(1)), to);
                    TelemetryRecord record = decode(row.getBytes(4));
                    if (record != null) {
                        services.add(row.getString(3), record, row.getLong(2));
                        proxies.add(row.getString(3), record, row.getLong(2));
                    }
                }
            }
        }
    }

    /**
     * Decodes a window; null when it cannot be read. No query can read it either, and it must not
     * keep its day from being deleted for ever.
     */
    private @Nullable TelemetryRecord decode(byte[] body) {
        try {
            return RecordCodec.decode(body).orElse(null);
        } catch (MalformedBatchException e) {
            unreadable++;
            return null;
        }
    }

    /** Returns the number of windows that could not be read. */
    int unreadable() {
        return unreadable;
    }

    private void advance(long next, StagedRollUps to) throws SQLException {
        if (next == minute) {
            return;
        }
        closeMinute(to);
        if (RollUpLevel.HOUR.startOf(next) != RollUpLevel.HOUR.startOf(minute)) {
            closeHour(to);
        } else if (Math.floorDiv(next, FOLDED_MICROS) != Math.floorDiv(minute, FOLDED_MICROS)) {
            services.foldHour();
            proxies.foldHour();
        }
        minute = next;
    }

    private void closeMinute(StagedRollUps to) throws SQLException {
        services.closeMinute(to);
        proxies.closeMinute(to);
    }

    private void closeHour(StagedRollUps to) throws SQLException {
        services.closeHour(to);
        proxies.closeHour(to);
    }
}
