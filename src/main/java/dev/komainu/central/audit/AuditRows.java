package dev.komainu.central.audit;

import dev.komainu.central.audit.ChainFault.Kind;
import java.time.OffsetDateTime;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Queue;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The rows of the audit log in a database, for reading only. Any thread. */
public final class AuditRows {

    private static final int PAGE = 500;

    private static final RowMapper<AuditEntry> ROW = (row, n) -> new AuditEntry(
            row.getLong("sequence"),
            row.getObject("at", OffsetDateTime.class).toInstant(),
            row.getString("actor"),
            row.getString("action"),
            row.getString("subject"),
            row.getString("outcome"),
            row.getInt("attempts"),
            row.getString("address"),
            row.getString("agent"),
            row.getString("before"),
            row.getString("after"),
            row.getString("hash"));

    private final JdbcClient jdbc;

    public AuditRows(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Returns rows, newest first, only those with a number below {@code before}. */
    public List<AuditEntry> newest(long before, int limit) {
        return jdbc.sql(
                        "select * from audit where sequence < ? order by sequence desc fetch first ? rows only")
                .params(before, limit)
                .query(ROW)
                .list();
    }

    /** Returns rows, oldest first, only those with a number above {@code after}. */
    public List<AuditEntry> following(long after, int limit) {
        return jdbc.sql(
                        "select * from audit where sequence > ? order by sequence fetch first ? rows only")
                .params(after, limit)
                .query(ROW)
                .list();
    }

    /** Returns all rows, oldest first, read page by page. Rows that are added meanwhile follow. */
    public Iterator<AuditEntry> all() {
        return upTo(Long.MAX_VALUE);
    }

    private Iterator<AuditEntry> upTo(long most) {
        return new Iterator<>() {
            private final Queue<AuditEntry> page = new ArrayDeque<>();
            private long read = Long.MIN_VALUE;

            @Override
            public boolean hasNext() {
                if (page.isEmpty()) {
                    page.addAll(following(read, PAGE));
                }
                return !page.isEmpty() && page.element().sequence() <= most;
            }

            @Override
            public AuditEntry next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                AuditEntry row = page.remove();
                read = row.sequence();
                return row;
            }
        };
    }

    /** Returns what the rows about removal by age name. */
    public List<AuditHead> cuts() {
        return jdbc
                .sql("select before from audit where action = ? and before is not null")
                .param(AuditEntry.CUT)
                .query(String.class)
                .list()
                .stream()
                .map(AuditHead::of)
                .flatMap(Optional::stream)
                .toList();
    }

    /** Returns the head that the database itself keeps. */
    public AuditHead head() {
        return jdbc.sql("select sequence, hash from audit_chain")
                .query((row, n) -> new AuditHead(row.getLong(1), row.getString(2)))
                .optional()
                .orElse(AuditHead.EMPTY);
    }

    /** Returns the number of rows. */
    public long count() {
        return jdbc.sql("select count(*) from audit").query(Long.class).single();
    }

    /**
     * Checks all rows that are there now, against the database's own head and against heads from
     * outside.
     */
    public ChainReport check(Collection<AuditHead> known) {
        AuditHead own = head();
        ChainReport report = new ChainCheck(known).run(upTo(own.sequence()), cuts());
        if (!report.complete()) {
            return report;
        }
        AuditHead last = report.head();
        ChainFault fault = null;
        if (last.sequence() < own.sequence()) {
            fault = new ChainFault(
                    Kind.CUT_OFF,
                    last.sequence() + 1,
                    "the database's own head names row #" + own.sequence()
                            + "; the log ends with row #" + last.sequence());
        } else if (!last.equals(own)) {
            fault = new ChainFault(
                    Kind.REWRITTEN,
                    own.sequence(),
                    "the database's own head names another row here");
        } else if (!following(own.sequence(), 1).isEmpty() && head().equals(own)) {
            fault = new ChainFault(
                    Kind.INSERTED,
                    own.sequence() + 1,
                    "it follows the row that the database's own head names");
        }
        return fault == null
                ? report
                : new ChainReport(
                        report.first(),
                        report.rows(),
                        last,
                        report.headsCompared(),
                        report.newestCompared(),
                        fault);
    }
}
