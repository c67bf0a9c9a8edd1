package dev.komainu.central.audit;

import dev.komainu.central.audit.ChainFault.Kind;
import java.util.Collection;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The check of an audit log: reads the rows in order and names the first fault. One use; one
 * thread.
 *
 * <p>The hashes alone show a row that was changed, removed, inserted or moved. A cut at the end,
 * and an end that was replaced with new hashes, show only by a head that is known from elsewhere.
 * When rows were removed by age, the newest {@code audit.cut} row names the last of them; it is
 * itself a row of the chain.
 *
 * <p>Holds four rows at a time, whatever the size of the log.
 */
public final class ChainCheck {

    private final NavigableMap<Long, String> heads = new TreeMap<>();
    private @Nullable ChainFault fault;

    private long first;
    private long rows;
    /** The newest good row. */
    private AuditHead last = AuditHead.EMPTY;
    /** Hash of the good row before {@link #last}. */
    private String beforeLast = AuditHash.NONE;

    private int compared;
    private @Nullable AuditHead newestCompared;

    /**
     * The anchor that the oldest row needs: number and hash of the row before it; absent when the
     * log begins with row 1.
     */
    private @Nullable AuditHead anchor;

    private boolean anchorSeen;

    /** Creates a check against heads that are known from outside; may be none. */
    public ChainCheck(Collection<AuditHead> known) {
        for (AuditHead head : known) {
            String other = heads.putIfAbsent(head.sequence(), head.hash());
            if (other != null && !other.equals(head.hash())) {
                fault = new ChainFault(
                        Kind.REWRITTEN,
                        head.sequence(),
                        "two heads from outside name different rows here; one of them is of a replaced log");
            }
        }
    }

    /**
     * Checks all rows, oldest first.
     *
     * @param cuts what the log's {@code audit.cut} rows name, any order; needed before the first
     *     row when the log does not begin with row 1
     */
    public ChainReport run(Iterator<AuditEntry> log, Collection<AuditHead> cuts) {
        AuditEntry row = log.hasNext() ? log.next() : null;
        if (row != null && fault == null) {
            begin(row, cuts);
        }
        while (row != null && fault == null) {
            AuditEntry next = log.hasNext() ? log.next() : null;
            fault = look(row, next);
            if (fault == null) {
                accept(row);
            }
            row = next;
        }
        if (fault == null) {
            fault = end();
        }
        return new ChainReport(first, rows, last, compared, newestCompared, fault);
    }

    private void begin(AuditEntry row, Collection<AuditHead> cuts) {
        first = row.sequence();
        if (first <= 1) {
            return;
        }
        anchor = cuts.stream()
                .filter(cut -> cut.sequence() == first - 1)
                .findFirst()
                .orElse(null);
        if (anchor == null) {
            fault = new ChainFault(
                    Kind.REMOVED,
                    1,
                    "the log begins with row #" + first
                            + ", and no audit.cut row says that the rows before were removed by age");
            return;
        }
        last = anchor;
    }

    private @Nullable ChainFault look(AuditEntry row, @Nullable AuditEntry next) {
        long expected = last.sequence() + 1;
        if (row.sequence() < expected) {
            return new ChainFault(
                    Kind.INSERTED,
                    row.sequence(),
                    "a second row with this number follows row #" + last.sequence());
        }
        if (row.sequence() > expected) {
            return next != null && next.sequence() == expected
                    ? new ChainFault(Kind.REORDERED, expected, "it follows row #" + row.sequence())
                    : new ChainFault(
                            Kind.REMOVED,
                            expected,
                            "row #" + last.sequence() + " is followed by row #" + row.sequence());
        }
        if (!AuditHash.of(last.hash(), row).equals(row.hash())) {
            return mismatch(row, next);
        }
        String known = heads.get(row.sequence());
        return known == null || known.equals(row.hash()) ? null : rewritten(row.sequence());
    }

    /** Returns the likeliest explanation of a row whose hash does not follow. */
    private ChainFault mismatch(AuditEntry row, @Nullable AuditEntry next) {
        long here = row.sequence();
        if (rows > 0 && AuditHash.of(beforeLast, here - 1, row).equals(row.hash())) {
            return new ChainFault(
                    Kind.INSERTED,
                    here - 1,
                    "row #" + here + " was written at its place, and renumbered since");
        }
        if (next != null && AuditHash.of(last.hash(), here, next).equals(next.hash())) {
            return AuditHash.of(next.hash(), here + 1, row).equals(row.hash())
                    ? new ChainFault(
                            Kind.REORDERED, here, "it changed places with row #" + (here + 1))
                    : new ChainFault(
                            Kind.INSERTED,
                            here,
                            "row #" + (here + 1)
                                    + " was written at its place, and renumbered since");
        }
        return new ChainFault(
                Kind.CHANGED,
                here,
                "its hash does not follow from its contents and the row before. Either it was changed, or rows before it were removed and it was renumbered");
    }

    private ChainFault rewritten(long sequence) {
        return new ChainFault(
                Kind.REWRITTEN,
                sequence,
                "the hashes follow from each other, but a head from outside names another row here: rows after #"
                        + (newestCompared == null ? first - 1 : newestCompared.sequence())
                        + " were replaced and their hashes computed again");
    }

    private void accept(AuditEntry row) {
        if (heads.containsKey(row.sequence())) {
            compared++;
            newestCompared = row.head();
        }
        if (anchor != null
                && row.action().equals(AuditEntry.CUT)
                && anchor.toString().equals(row.before())) {
            anchorSeen = true;
        }
        rows++;
        beforeLast = last.hash();
        last = row.head();
    }

    private @Nullable ChainFault end() {
        if (anchor != null && !anchorSeen) {
            return new ChainFault(
                    Kind.REMOVED,
                    1,
                    "no audit.cut row of the chain says that the rows before #" + first
                            + " were removed by age");
        }
        if (heads.isEmpty()) {
            return null;
        }
        Map.Entry<Long, String> newest = heads.lastEntry();
        if (newest.getKey() > last.sequence()) {
            return new ChainFault(
                    Kind.CUT_OFF,
                    last.sequence() + 1,
                    "a head from outside names row #" + newest.getKey()
                            + "; the log ends with row #" + last.sequence());
        }
        AuditHead removed = anchor;
        if (newest.getKey() == 0) {
            return null;
        }
        if (removed != null && newest.getKey() == removed.sequence()) {
            return removed.hash().equals(newest.getValue()) ? null : rewritten(newest.getKey());
        }
        return newestCompared == null
                ? new ChainFault(
                        Kind.NOT_COMPARED,
                        newest.getKey(),
                        "the newest head from outside names this row, which is older than the oldest row #"
                                + first + ". Use a newer head")
                : null;
    }
}
