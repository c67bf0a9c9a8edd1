package dev.komainu.central.audit;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The writer of the audit log's chain. Any thread.
 *
 * <p>Row, number and head are written in one transaction, which first locks the head's row: numbers
 * have no gaps, rows become visible in their order, and a transaction that is rolled back leaves
 * nothing. Rows are only added, and removed from the oldest on by {@link #removeOld}.
 */
@Component
public class AuditLog {

    private static final int PAGE = 500;

    private final JdbcClient jdbc;
    private final AuditRows rows;
    private final TransactionTemplate transactions;
    private final AuditSettings settings;
    private final Clock clock;
    private final RefusedTally refused;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

    public AuditLog(
            JdbcClient jdbc,
            PlatformTransactionManager transactions,
            AuditSettings settings,
            Clock clock) {
        this.jdbc = jdbc;
        this.rows = new AuditRows(jdbc);
        this.transactions = new TransactionTemplate(transactions);
        this.settings = settings;
        this.clock = clock;
        this.refused = new RefusedTally(settings.refusedADay());
        chainOld();
    }

    public AuditRows rows() {
        return rows;
    }

    /** Adds a listener, called after rows became visible. It must not block. */
    public void onAppend(Runnable listener) {
        listeners.add(listener);
    }

    /**
     * Adds a row. A refused attempt that repeats one of the last minute is only counted; its row
     * follows when the minute is over ({@link #writeRefused}).
     */
    public void append(AuditDraft draft) {
        if (draft.outcome().equals(RefusedTally.REFUSED)
                && !refused.isWritten(draft, clock.instant(), this::refusedRows)) {
            return;
        }
        write(draft);
    }

    /**
     * Writes the rows of refused attempts whose minute or hour is over.
     *
     * @param all whether the others, too, are written, because the service stops
     */
    public void writeRefused(boolean all) {
        refused.due(clock.instant(), all).forEach(this::write);
    }

    /** Adds a row about a fault that a check found. */
    public void appendFault(String text) {
        write(AuditDraft.own("audit.fault", text, null));
    }

    private int refusedRows(Instant since) {
        return jdbc.sql("select count(*) from audit where outcome = ? and at > ? and actor <> ?")
                .params(RefusedTally.REFUSED, since.atOffset(ZoneOffset.UTC), RefusedTally.OTHERS)
                .query(Integer.class)
                .single();
    }

    private void write(AuditDraft draft) {
        transactions.executeWithoutResult(status -> {
            insert(draft);
            tellAfterCommit();
        });
    }

    /** Adds a row; within a transaction. */
    private void insert(AuditDraft draft) {
        AuditHead head = lockedHead();
        AuditEntry entry = draft.after(head, clock.instant());
        jdbc.sql("""
                        insert into audit (sequence, at, actor, action, subject, outcome, attempts, address, agent,
                                           before, after, hash)
                        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""")
                .param(entry.sequence())
                .param(entry.at().atOffset(ZoneOffset.UTC))
                .param(entry.actor())
                .param(entry.action())
                .param(entry.subject())
                .param(entry.outcome())
                .param(entry.attempts())
                .param(entry.address())
                .param(entry.agent())
                .param(entry.before())
                .param(entry.after())
                .param(entry.hash())
                .update();
        keep(entry.head());
    }

    private AuditHead lockedHead() {
        return jdbc.sql("select sequence, hash from audit_chain where one = 1 for update")
                .query((row, n) -> new AuditHead(row.getLong(1), row.getString(2)))
                .single();
    }

    private void keep(AuditHead head) {
        jdbc.sql("update audit_chain set sequence = ?, hash = ? where one = 1")
                .params(head.sequence(), head.hash())
                .update();
    }

    /** Calls the listeners after this transaction, or after the caller's if it runs in one. */
    private void tellAfterCommit() {
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationManager.registerSynchronization(
                    new TransactionSynchronization() {
                        @Override
                        public void afterCommit() {
                            listeners.forEach(Runnable::run);
                        }
                    });
        } else {
            listeners.forEach(Runnable::run);
        }
    }

    /**
     * Removes the oldest rows: those above this age, measured from the clock and from the newest
     * row, so that a clock that is a year ahead at a start removes nothing; and those above the
     * largest number of rows, together with a twentieth of the rest, so that this happens rarely.
     * The last removed row is named by a new row ({@link AuditEntry#CUT}).
     */
    public void removeOld(int days) {
        transactions.executeWithoutResult(status -> {
            lockedHead();
            long last = Math.max(aged(days), surplus());
            AuditHead cut = last < 1 ? null : find(last);
            if (cut != null) {
                insert(AuditDraft.own(
                        AuditEntry.CUT, "rows up to #" + cut.sequence(), cut.toString()));
                jdbc.sql("delete from audit where sequence <= ?")
                        .param(cut.sequence())
                        .update();
                tellAfterCommit();
            }
        });
    }

    /** Returns the row before the oldest one that is not too old; 0 for none. */
    private long aged(int days) {
        OffsetDateTime limit =
                clock.instant().minus(Duration.ofDays(days)).atOffset(ZoneOffset.UTC);
        return jdbc.sql("""
                        select min(sequence) - 1 from audit
                        where at >= ? or at >= (select max(at) from audit) - interval '1' day * cast(? as int)""").params(limit, days).query(Long.class).optional().orElse(0L);
    }

    private long surplus() {
        long count = rows.count();
        if (count <= settings.most()) {
            return 0;
        }
        long kept = settings.most() - settings.most() / 20L;
        return rows.head().sequence() - kept;
    }

    private @Nullable AuditHead find(long sequence) {
        return rows.following(sequence - 1, 1).stream()
                .filter(row -> row.sequence() == sequence)
                .map(AuditEntry::head)
                .findFirst()
                .orElse(null);
    }

    /** Checks the chain against the database's own head and these from outside. */
    public ChainReport check(Collection<AuditHead> known) {
        return rows.check(known);
    }

    /**
     * Gives rows of earlier versions a number and a hash, a page in a transaction, and adds a row
     * that says up to where they go.
     */
    private void chainOld() {
        long chained = 0;
        long page;
        do {
            page = Objects.requireNonNull(transactions.execute(status -> chainPage()));
            chained += page;
        } while (page > 0);
        if (chained > 0) {
            write(AuditDraft.own("audit.chain", "rows up to #" + rows.head().sequence(), null));
        }
    }

    private long chainPage() {
        record Old(long id, AuditDraft draft, Instant at) {}
        AuditHead head = lockedHead();
        List<Old> old = jdbc.sql(
                        "select * from audit where sequence is null order by id fetch first ? rows only")
                .param(PAGE)
                .query((row, n) -> new Old(
                        row.getLong("id"),
                        new AuditDraft(
                                row.getString("actor"),
                                row.getString("action"),
                                row.getString("subject"),
                                row.getString("outcome"),
                                row.getInt("attempts"),
                                row.getString("address"),
                                row.getString("agent"),
                                row.getString("before"),
                                row.getString("after")),
                        row.getObject("at", OffsetDateTime.class).toInstant()))
                .list();
        for (Old each : old) {
            AuditEntry entry = each.draft().after(head, each.at());
            jdbc.sql("update audit set sequence = ?, hash = ? where id = ?")
                    .params(entry.sequence(), entry.hash(), each.id())
                    .update();
            head = entry.head();
        }
        keep(head);
        return old.size();
    }
}
