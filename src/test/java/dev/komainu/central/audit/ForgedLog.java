package dev.komainu.central.audit;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An audit log in memory, and what somebody with access to its storage can do to it. */
final class ForgedLog {

    private static final Instant START = Instant.parse("2026-11-26T07:00:00.123456Z");

    final List<AuditEntry> rows = new ArrayList<>();

    /** Returns a log with rows 1 to {@code size}. */
    static ForgedLog of(int size) {
        ForgedLog log = new ForgedLog();
        for (int i = 1; i <= size; i++) {
            log.append("action." + i, null);
        }
        return log;
    }

    /** Appends a row as the service does. */
    void append(String action, @Nullable String before) {
        AuditHead head = rows.isEmpty() ? AuditHead.EMPTY : rows.getLast().head();
        rows.add(draft(action, before).after(head, START.plusSeconds(head.sequence())));
    }

    AuditHead head(int sequence) {
        return rows.stream()
                .filter(row -> row.sequence() == sequence)
                .findFirst()
                .orElseThrow()
                .head();
    }

    static AuditEntry changed(AuditEntry row, String actor) {
        return new AuditEntry(
                row.sequence(),
                row.at(),
                actor,
                row.action(),
                row.subject(),
                row.outcome(),
                row.attempts(),
                row.address(),
                row.agent(),
                row.before(),
                row.after(),
                row.hash());
    }

    static AuditEntry numbered(AuditEntry row, long sequence) {
        return new AuditEntry(
                sequence,
                row.at(),
                row.actor(),
                row.action(),
                row.subject(),
                row.outcome(),
                row.attempts(),
                row.address(),
                row.agent(),
                row.before(),
                row.after(),
                row.hash());
    }

    /** Numbers all rows from {@code index} on without gaps, and leaves their hashes. */
    void renumber(int index) {
        for (int i = Math.max(1, index); i < rows.size(); i++) {
            rows.set(i, numbered(rows.get(i), rows.get(i - 1).sequence() + 1));
        }
    }

    /** Computes the hashes of all rows from {@code index} on again. */
    void rehash(int index) {
        for (int i = index; i < rows.size(); i++) {
            String before = i == 0 ? AuditHash.NONE : rows.get(i - 1).hash();
            rows.set(i, rows.get(i).withHash(AuditHash.of(before, rows.get(i))));
        }
    }

    ChainReport check(AuditHead... known) {
        Collection<AuditHead> cuts = rows.stream()
                .filter(row -> row.action().equals(AuditEntry.CUT) && row.before() != null)
                .flatMap(row -> AuditHead.of(row.before()).stream())
                .toList();
        return new ChainCheck(List.of(known)).run(rows.iterator(), cuts);
    }

    private static AuditDraft draft(String action, @Nullable String before) {
        return new AuditDraft(
                "admin", action, "web-01:80", "done", 1, "192.0.2.7", "browser", before, "after");
    }
}
