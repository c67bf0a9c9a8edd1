package dev.komainu.central.audit.outside;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.access.AccessSettings;
import dev.komainu.central.access.Audit;
import dev.komainu.central.audit.AuditDatabase;
import dev.komainu.central.audit.AuditDraft;
import dev.komainu.central.audit.AuditLog;
import dev.komainu.central.audit.AuditSettings;
import dev.komainu.central.audit.ChainFault;
import dev.komainu.central.audit.HeadFile;
import dev.komainu.central.audit.SignedHead;
import dev.komainu.central.order.OrderKeys;
import dev.komainu.central.order.OrderSettings;
import dev.komainu.settings.SettingReader;
import dev.komainu.telemetry.wire.SignedOrder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the upkeep: the head file, and a cut that happened while the service was stopped. */
class AuditKeeperTest {

    @TempDir
    private Path data;

    private Instant now = Instant.parse("2026-11-26T07:00:00Z");
    private final InstantSource source = () -> now;
    private final Clock clock = source.withZone(ZoneOffset.UTC);
    private AuditDatabase database;
    private AuditLog log;
    private OrderKeys keys;
    private Path file;

    @BeforeEach
    void setUp() {
        file = data.resolve("audit-head.log");
        database = new AuditDatabase().migrated();
        keys = new OrderKeys(
                new OrderSettings(Duration.ofMinutes(5), data.resolve("order-key"), 0));
        log = database.log(settings(), clock);
    }

    @AfterEach
    void tearDown() {
        database.close();
    }

    private AuditSettings settings() {
        return AuditDatabase.settings(10_000, 10, file);
    }

    private AuditKeeper keeper() {
        Audit audit = new Audit(log, AccessSettings.read(SettingReader.ofDefaults(), data));
        return new AuditKeeper(log, audit, settings(), keys, clock, List.of());
    }

    private void append(int rows) {
        for (int i = 0; i < rows; i++) {
            log.append(AuditDatabase.draft("admin", "action"));
        }
    }

    private List<SignedHead> heads() throws IOException {
        return new HeadFile(file).read().heads();
    }

    @Test
    void headFile_getsALineAnHourAndAfterAHundredEntries_mode600_signed() throws IOException {
        AuditKeeper keeper = keeper();
        append(1);
        keeper.runDue();
        append(99);
        keeper.runDue();
        assertThat(heads()).extracting(each -> each.head().sequence()).containsExactly(1L);
        append(1);
        keeper.runDue();
        now = now.plus(Duration.ofHours(1));
        keeper.runDue();
        append(1);
        keeper.runDue();

        assertThat(heads())
                .as("the first, after 100 entries, and after an hour with one; none without any")
                .extracting(each -> each.head().sequence())
                .containsExactly(1L, 101L, 102L);
        assertThat(heads()).allMatch(each -> each.isSignedBy(SignedOrder.key(keys.publicText())));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void stop_writesALastHeadAndTheCountedRefusals() throws IOException {
        AuditKeeper keeper = keeper();
        append(2);
        AuditDraft refused =
                new AuditDraft("admin", "login", null, "refused", 1, "192.0.2.7", null, null, null);
        log.append(refused);
        log.append(refused);

        keeper.stop();

        assertThat(heads().getLast().head().sequence()).isEqualTo(4);
    }

    @Test
    void attack_endCutOffWhileTheServiceWasStopped_isFoundAtTheStart_andStaysFound()
            throws IOException {
        append(9);
        keeper().stop();
        String hash = log.rows().following(4, 1).getFirst().hash();
        database.jdbc.sql("delete from audit where sequence > 5").update();
        database.jdbc
                .sql("update audit_chain set sequence = 5, hash = ?")
                .param(hash)
                .update();

        AuditKeeper started = keeper();
        started.runDue();

        ChainFault fault = started.newestCheck().orElseThrow().report().fault();
        assertThat(fault).isNotNull();
        assertThat(fault.kind()).isEqualTo(ChainFault.Kind.CUT_OFF);
        assertThat(fault.sequence()).isEqualTo(6);
        assertThat(log.rows().newest(Long.MAX_VALUE, 1).getFirst().action())
                .as("the row about it is sent outside like each other")
                .isEqualTo("audit.fault");

        now = now.plus(Duration.ofDays(2));
        append(20);
        started.runDue();
        fault = started.newestCheck().orElseThrow().report().fault();
        assertThat(fault).as("the log has grown beyond the head again").isNotNull();
        assertThat(fault.kind()).isEqualTo(ChainFault.Kind.REWRITTEN);
        assertThat(heads()).as("nothing was taken from the file").hasSizeGreaterThan(1);
    }

    @Test
    void headFile_withALineThatWasNotWrittenToItsEnd_isReadAsFarAsItGoes() throws IOException {
        append(1);
        keeper().stop();
        Files.writeString(file, Files.readString(file) + "2026-11-26T07:00:0\n");

        HeadFile.Heads read = new HeadFile(file).read();

        assertThat(read.heads()).hasSize(1);
        assertThat(read.unreadable()).isEqualTo(1);
    }
}
