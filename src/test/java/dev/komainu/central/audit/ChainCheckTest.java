package dev.komainu.central.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.audit.ChainFault.Kind;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of the check against what somebody with access to the storage can do to the log. */
class ChainCheckTest {

    private final ForgedLog log = ForgedLog.of(9);

    private static void fault(ChainReport report, Kind kind, long sequence) {
        assertThat(report.fault()).isNotNull();
        assertThat(report.fault().kind()).as(report.fault().toString()).isEqualTo(kind);
        assertThat(report.fault().sequence()).isEqualTo(sequence);
    }

    @Test
    void log_untouched_isCompleteUpToItsHead() {
        ChainReport report = log.check(log.head(3), log.head(9));

        assertThat(report.complete()).isTrue();
        assertThat(report.head()).isEqualTo(log.head(9));
        assertThat(report.first()).isEqualTo(1);
        assertThat(report.headsCompared()).isEqualTo(2);
    }

    @Test
    void emptyLog_isComplete() {
        assertThat(ForgedLog.of(0).check().complete()).isTrue();
    }

    @Test
    void hash_coversEveryField() {
        AuditEntry row = log.rows.get(4);
        Instant at = row.at();
        assertThat(List.of(
                        row("a", "b", "c", "d", 1, "e", "f", "g", "h", at),
                        row("x", "b", "c", "d", 1, "e", "f", "g", "h", at),
                        row("a", "x", "c", "d", 1, "e", "f", "g", "h", at),
                        row("a", "b", "x", "d", 1, "e", "f", "g", "h", at),
                        row("a", "b", "c", "x", 1, "e", "f", "g", "h", at),
                        row("a", "b", "c", "d", 2, "e", "f", "g", "h", at),
                        row("a", "b", "c", "d", 1, "x", "f", "g", "h", at),
                        row("a", "b", "c", "d", 1, "e", "x", "g", "h", at),
                        row("a", "b", "c", "d", 1, "e", "f", "x", "h", at),
                        row("a", "b", "c", "d", 1, "e", "f", "g", "x", at),
                        row("a", "b", "c", "d", 1, "e", "f", "g", "h", at.plusNanos(1_000)),
                        // The same letters, divided otherwise.
                        row("ab", "", "c", "d", 1, "e", "f", "g", "h", at),
                        row("a", "b", "cd", "", 1, "e", "f", "g", "h", at)))
                .extracting(each -> AuditHash.of(AuditHash.NONE, each))
                .doesNotHaveDuplicates();
    }

    private static AuditEntry row(
            String actor,
            String action,
            String subject,
            String outcome,
            int attempts,
            String address,
            String agent,
            String before,
            String after,
            Instant at) {
        return new AuditEntry(
                7, at, actor, action, subject, outcome, attempts, address, agent, before, after,
                "");
    }

    @Test
    void rowChanged_isNamed() {
        log.rows.set(4, ForgedLog.changed(log.rows.get(4), "somebody-else"));

        fault(log.check(), Kind.CHANGED, 5);
    }

    @Test
    void newestRowChanged_isNamedWithoutAnyHead() {
        log.rows.set(8, ForgedLog.changed(log.rows.get(8), "somebody-else"));

        fault(log.check(), Kind.CHANGED, 9);
    }

    @Test
    void rowChangedAndItsOwnHashComputedAgain_breaksAtTheNextRow() {
        log.rows.set(4, ForgedLog.changed(log.rows.get(4), "somebody-else"));
        AuditEntry forged = log.rows.get(4);
        log.rows.set(4, forged.withHash(AuditHash.of(log.rows.get(3).hash(), forged)));

        fault(log.check(), Kind.CHANGED, 6);
    }

    @Test
    void rowRemoved_isNamed() {
        log.rows.remove(4);

        fault(log.check(), Kind.REMOVED, 5);
    }

    @Test
    void rowRemovedAndTheRestRenumbered_isFoundAtItsPlace() {
        log.rows.remove(4);
        log.renumber(4);

        fault(log.check(), Kind.CHANGED, 5);
    }

    @Test
    void oldestRowsRemoved_withoutARowThatSaysSo_isNamed() {
        log.rows.subList(0, 3).clear();

        fault(log.check(), Kind.REMOVED, 1);
    }

    @Test
    void rowInsertedAndTheRestRenumbered_isNamed() {
        log.rows.add(4, ForgedLog.changed(log.rows.get(4), "somebody-else"));
        log.renumber(4);

        fault(log.check(), Kind.INSERTED, 5);
    }

    @Test
    void rowInsertedWithAHashOfItsOwn_isNamed() {
        log.rows.add(4, ForgedLog.changed(log.rows.get(4), "somebody-else"));
        AuditEntry forged = log.rows.get(4);
        log.rows.set(4, forged.withHash(AuditHash.of(log.rows.get(3).hash(), forged)));
        log.renumber(4);

        fault(log.check(), Kind.INSERTED, 5);
    }

    @Test
    void rowTwice_isNamed() {
        log.rows.add(5, log.rows.get(4));

        fault(log.check(), Kind.INSERTED, 5);
    }

    @Test
    void rowsExchanged_withTheirNumbers_areNamed() {
        Collections.swap(log.rows, 4, 5);

        fault(log.check(), Kind.REORDERED, 5);
    }

    @Test
    void rowsExchanged_andRenumbered_areNamed() {
        // Each keeps its hash; only the numbers are exchanged.
        AuditEntry fifth = log.rows.get(4);
        AuditEntry sixth = log.rows.get(5);
        log.rows.set(4, ForgedLog.numbered(sixth, 5));
        log.rows.set(5, ForgedLog.numbered(fifth, 6));

        assertThat(log.check().fault()).isNotNull();
        assertThat(log.check().fault().sequence()).isEqualTo(5);
    }

    @Test
    void endCutOff_isFoundOnlyByAHeadFromOutside() {
        AuditHead outside = log.head(9);
        log.rows.subList(6, 9).clear();

        assertThat(log.check().complete()).as("the rows alone do not show it").isTrue();
        assertThat(log.check(log.head(6)).complete())
                .as("nor does an older head")
                .isTrue();
        fault(log.check(outside), Kind.CUT_OFF, 7);
    }

    @Test
    void everythingRemoved_isFoundByAHeadFromOutside() {
        AuditHead outside = log.head(9);
        log.rows.clear();

        fault(log.check(outside), Kind.CUT_OFF, 1);
    }

    @Test
    void endReplacedAndRehashed_isFoundOnlyByAHeadFromOutside() {
        AuditHead before = log.head(3);
        AuditHead after = log.head(7);
        log.rows.set(4, ForgedLog.changed(log.rows.get(4), "somebody-else"));
        log.rehash(4);

        assertThat(log.check(before).complete())
                .as("neither the rows nor an older head show it")
                .isTrue();
        ChainReport report = log.check(before, after);
        fault(report, Kind.REWRITTEN, 7);
        assertThat(report.fault().text()).contains("after #3");
    }

    @Test
    void headsOfTwoLogs_areAFaultAtOnce() {
        AuditHead outside = log.head(9);
        log.rows.set(4, ForgedLog.changed(log.rows.get(4), "somebody-else"));
        log.rehash(4);

        fault(log.check(outside, log.head(9)), Kind.REWRITTEN, 9);
    }

    @Test
    void oldestRowsRemovedByAge_areNamedByARow_andTheLogIsComplete() {
        log.append(AuditEntry.CUT, log.head(4).toString());
        AuditHead head = log.head(10);
        log.rows.subList(0, 4).clear();

        ChainReport report = log.check(head);

        assertThat(report.complete()).as(String.valueOf(report.fault())).isTrue();
        assertThat(report.first()).isEqualTo(5);
        assertThat(report.rows()).isEqualTo(6);
    }

    @Test
    void oldestRowsRemovedByAge_thenTheOldestLeftIsChanged_isNamed() {
        log.append(AuditEntry.CUT, log.head(4).toString());
        log.rows.subList(0, 4).clear();
        log.rows.set(0, ForgedLog.changed(log.rows.get(0), "somebody-else"));

        fault(log.check(), Kind.CHANGED, 5);
    }

    @Test
    void moreRemovedThanTheRowAboutItSays_isNamed() {
        log.append(AuditEntry.CUT, log.head(4).toString());
        log.rows.subList(0, 5).clear();

        fault(log.check(), Kind.REMOVED, 1);
    }

    @Test
    void everythingReplacedByALogThatClaimsARemovalByAge_isNotComplete() {
        AuditHead outside = log.head(9);
        ForgedLog other = ForgedLog.of(40);
        other.append(AuditEntry.CUT, other.head(20).toString());
        other.rows.subList(0, 20).clear();

        assertThat(other.check().complete()).isTrue();
        fault(other.check(outside), Kind.NOT_COMPARED, 9);
    }

    @Test
    void halfASurrogatePair_andLongTexts_areTheSameAfterUtf8() {
        AuditDraft draft = new AuditDraft(
                "x".repeat(78) + "😀😀", "a", "\ud800", "done", 1, null, null, null, null);

        assertThat(draft.actor()).hasSizeLessThanOrEqualTo(80);
        assertThat(draft.actor().chars().anyMatch(c -> c >= 0xd800 && c < 0xe000))
                .isFalse();
        assertThat(draft.subject()).isEqualTo("?");
    }
}
