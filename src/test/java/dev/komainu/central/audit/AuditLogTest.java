package dev.komainu.central.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.central.audit.ChainFault.Kind;
import dev.komainu.central.control.ControlEngine;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of the chain in the database: writing, migration, removal, and attacks on the table. */
@ParameterizedClass
@EnumSource
class AuditLogTest {

    @Parameter
    private ControlEngine engine;

    private Instant now = Instant.parse("2026-11-26T07:00:00.123456789Z");
    private final InstantSource source = () -> now;
    private final Clock clock = source.withZone(ZoneOffset.UTC);
    private AuditDatabase database;
    private AuditLog log;

    @BeforeEach
    void setUp() {
        database = new AuditDatabase(engine).migrated();
        log = log(1_000, 10);
    }

    @AfterEach
    void tearDown() {
        database.close();
    }

    private AuditLog log(int most, int refusedADay) {
        return database.log(AuditDatabase.settings(most, refusedADay, Path.of("unused")), clock);
    }

    private void append(int rows) {
        for (int i = 0; i < rows; i++) {
            log.append(AuditDatabase.draft("admin", "action." + i));
        }
    }

    private void refuse(String name, String address) {
        log.append(
                new AuditDraft(name, "login", null, "refused", 1, address, "browser", null, null));
    }

    private int sql(String statement) {
        return database.jdbc.sql(statement).update();
    }

    private void fault(Kind kind, long sequence) {
        ChainFault fault = log.check(List.of()).fault();
        assertThat(fault).isNotNull();
        assertThat(fault.kind()).as(fault.toString()).isEqualTo(kind);
        assertThat(fault.sequence()).isEqualTo(sequence);
    }

    @Test
    void append_rowsOfADatabase_areTheSameAsWritten() {
        append(20);

        ChainReport report = log.check(List.of());

        assertThat(report.complete()).as(String.valueOf(report.fault())).isTrue();
        assertThat(report.rows()).isEqualTo(20);
        assertThat(report.head()).isEqualTo(log.rows().head());
    }

    @Test
    void append_byManyThreadsAtOnce_numbersWithoutGaps() throws Exception {
        int threads = 8;
        CyclicBarrier together = new CyclicBarrier(threads);
        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                all.add(pool.submit(() -> {
                    together.await();
                    append(25);
                    return null;
                }));
            }
            for (Future<?> each : all) {
                each.get();
            }
        }

        assertThat(log.rows().following(0, 1_000))
                .extracting(AuditEntry::sequence)
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(1, 200).boxed().toList());
        assertThat(log.check(List.of()).complete()).isTrue();
    }

    @Test
    void append_inATransactionThatFails_leavesNeitherRowNorGap() {
        append(1);
        AtomicInteger told = new AtomicInteger();
        log.onAppend(told::incrementAndGet);

        assertThatThrownBy(() -> database.transaction().executeWithoutResult(status -> {
                    append(1);
                    throw new IllegalStateException("the change failed");
                }))
                .isInstanceOf(IllegalStateException.class);
        assertThat(told).hasValue(0);
        append(1);

        assertThat(told).hasValue(1);
        assertThat(log.rows().following(0, 10))
                .extracting(AuditEntry::sequence)
                .containsExactly(1L, 2L);
        assertThat(log.check(List.of()).complete()).isTrue();
    }

    @Test
    void migration_rowsOfAnEarlierVersion_areChainedAtTheFirstStart() {
        try (AuditDatabase old = new AuditDatabase(engine)) {
            for (int i = 0; i < 1_203; i++) {
                old.jdbc
                        .sql(
                                "insert into audit (at, actor, action, outcome) values (?, 'ann', 'login', 'done')")
                        .param(now.atOffset(ZoneOffset.UTC))
                        .update();
            }
            old.jdbc.sql("delete from audit where id in (3, 4, 700)").update();
            old.migrated();

            AuditLog first = old.log(AuditDatabase.settings(100_000, 10, Path.of("x")), clock);
            AuditLog second = old.log(AuditDatabase.settings(100_000, 10, Path.of("x")), clock);

            assertThat(first.check(List.of()).complete()).isTrue();
            assertThat(second.rows().head().sequence())
                    .as("1,200 rows, and one about them; nothing more at the second start")
                    .isEqualTo(1_201);
            assertThat(second.rows().newest(Long.MAX_VALUE, 1).getFirst().subject())
                    .isEqualTo("rows up to #1200");
        }
    }

    @Test
    void attack_updateOfARow_isNamed() {
        append(10);
        sql("update audit set actor = 'somebody-else' where sequence = 4");
        fault(Kind.CHANGED, 4);
    }

    @Test
    void attack_deleteOfARow_isNamed() {
        append(10);
        sql("delete from audit where sequence = 4");
        fault(Kind.REMOVED, 4);
    }

    @Test
    void attack_deleteOfTheNewestRows_isFoundByTheDatabasesOwnHead() {
        append(10);
        sql("delete from audit where sequence > 7");
        fault(Kind.CUT_OFF, 8);
    }

    @Test
    void attack_deleteOfTheNewestRowsAndTheOwnHead_isFoundOnlyFromOutside() {
        append(10);
        AuditHead outside = log.rows().head();
        String hash = log.rows().following(6, 1).getFirst().hash();
        sql("delete from audit where sequence > 7");
        sql("update audit_chain set sequence = 7, hash = '" + hash + "'");

        assertThat(log.check(List.of()).complete()).isTrue();
        ChainFault fault = log.check(List.of(outside)).fault();
        assertThat(fault).isNotNull();
        assertThat(fault.kind()).isEqualTo(Kind.CUT_OFF);

        append(5);
        fault = log.check(List.of(outside)).fault();
        assertThat(fault).as("also when the log has grown beyond it again").isNotNull();
        assertThat(fault.kind()).isEqualTo(Kind.REWRITTEN);
    }

    @Test
    void attack_rowAfterTheOwnHead_isNamed() {
        append(3);
        sql(
                "insert into audit (sequence, at, actor, action, outcome, hash) values (4, now(), 'x', 'y', 'done', '"
                        + "0".repeat(64) + "')");
        fault(Kind.INSERTED, 4);
    }

    @Test
    void attack_oldestRowsRemoved_andAClaimOfItThatIsNotInTheChain_isNamed() {
        append(10);
        String hash = log.rows().following(2, 1).getFirst().hash();
        sql("delete from audit where sequence <= 3");
        sql(
                "insert into audit (at, actor, action, outcome, before) values (now(), 'system', 'audit.cut', 'done', '3:"
                        + hash + "')");
        fault(Kind.REMOVED, 1);
    }

    @Test
    void removeOld_byAge_leavesACompleteLogThatNamesTheRemovedRows() {
        append(5);
        now = now.plus(Duration.ofDays(40));
        append(3);

        log.removeOld(30);
        log.removeOld(30);

        ChainReport report = log.check(List.of());
        assertThat(report.complete()).as(String.valueOf(report.fault())).isTrue();
        assertThat(report.first()).isEqualTo(6);
        assertThat(report.rows()).as("three rows, and one about the removal").isEqualTo(4);

        now = now.plus(Duration.ofDays(40));
        append(1);
        log.removeOld(30);
        assertThat(log.check(List.of()).complete())
                .as("the first row about a removal may be removed itself")
                .isTrue();
    }

    @Test
    void removeOld_byNumber_keepsTheNewest() {
        log = log(1_000, 10);
        append(1_001);

        log.removeOld(30);

        assertThat(log.rows().count()).isEqualTo(951);
        assertThat(log.check(List.of()).complete()).isTrue();
    }

    @Test
    void attack_wrongLoginsOfOneName_becomeTwoRowsAMinute() {
        for (int i = 0; i < 5_000; i++) {
            refuse("admin", "198.51.100.9");
        }
        now = now.plusSeconds(60);
        log.writeRefused(false);

        assertThat(log.rows().following(0, 10))
                .extracting(AuditEntry::attempts)
                .containsExactly(1, 4_999);
        assertThat(log.check(List.of()).complete()).isTrue();
    }

    @Test
    void attack_wrongLoginsFromAWholeIpv6Network_areOneNetwork() {
        for (int i = 1; i < 500; i++) {
            refuse("admin", "2001:db8::" + Integer.toHexString(i));
        }
        refuse("admin", "2001:db8:0:1::1");

        assertThat(log.rows().count()).isEqualTo(2);
    }

    @Test
    void attack_wrongLoginsWithEveryNameForAMonth_keepWithinTheirShare() {
        for (int day = 0; day < 30; day++) {
            for (int minute = 0; minute < 48; minute++) {
                now = now.plus(Duration.ofMinutes(30));
                log.writeRefused(false);
                for (int i = 0; i < 40; i++) {
                    refuse("name" + day + "." + minute + "." + i, "203.0.113." + i);
                    refuse("name" + day + "." + minute + "." + i, "203.0.113." + i);
                }
            }
        }
        log.writeRefused(true);

        long rows = log.rows().count();
        assertThat(rows).as("10 rows a day and one an hour").isBetween(300L, 31L * (10 + 24));
        assertThat(log.rows().following(0, 10_000))
                .as("no attempt is lost")
                .extracting(AuditEntry::attempts)
                .satisfies(all -> assertThat(
                                all.stream().mapToInt(Integer::intValue).sum())
                        .isEqualTo(30 * 48 * 80));
    }

    @Test
    void refusedShare_usedUp_doesNotConcernActionsThatWereDone() {
        for (int i = 0; i < 100; i++) {
            refuse("name" + i, "203.0.113." + i);
        }
        long before = log.rows().count();
        append(50);

        assertThat(log.rows().count()).isEqualTo(before + 50);
    }
}
