package dev.komainu.central.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.audit.AuditLog;
import dev.komainu.central.audit.AuditSettings;
import dev.komainu.central.control.ControlEngine;
import dev.komainu.settings.SettingReader;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/**
 * Tests of sessions, tokens and the audit log when the clock is set: by an hour, and by 400 days at
 * a start and back again.
 */
@ParameterizedClass
@EnumSource
class WrongClockTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration WRONG = Duration.ofDays(400);
    static final AccessSettings SETTINGS = new AccessSettings(
            Duration.ofHours(8),
            Duration.ofDays(7),
            3,
            120,
            Duration.ofDays(1),
            Duration.ofDays(90),
            SecondFactorMode.OPTIONAL,
            30,
            Path.of("unused"),
            Path.of("unused"),
            null,
            List.of());
    private static final User USER = new User("ann", Role.VIEWER, false, null);

    @Parameter
    private ControlEngine engine;

    private Instant now = Instant.parse("2026-11-21T00:00:00Z");
    private final InstantSource source = () -> now;
    private final Clock clock = source.withZone(ZoneOffset.UTC);
    private JdbcClient jdbc;
    private Sessions sessions;
    private ApiTokens tokens;
    private Audit audit;

    @BeforeEach
    void setUp() {
        DataSource database = engine.fresh();
        jdbc = JdbcClient.create(database);
        jdbc.sql("insert into users (name, role, password_hash, must_change_password)"
                        + " values ('ann', 'viewer', 'none', false)")
                .update();
        sessions = new Sessions(jdbc, SETTINGS, clock);
        tokens = new ApiTokens(jdbc, SETTINGS, clock);
        audit = new Audit(
                new AuditLog(
                        jdbc,
                        new DataSourceTransactionManager(database),
                        AuditSettings.read(SettingReader.ofDefaults(), Path.of("unused")),
                        clock),
                SETTINGS);
    }

    private boolean runs(Sessions.Opened opened) {
        return sessions.find(opened.secret(), null).isPresent();
    }

    @Test
    void session_openedByAClockAYearAhead_doesNotLastUntilThen() {
        now = now.plus(WRONG);
        Sessions.Opened opened = sessions.open(USER, AuditOrigin.SELF);
        assertThat(runs(opened)).isTrue();

        now = now.minus(WRONG);
        assertThat(runs(opened)).isFalse();
        sessions.open(USER, AuditOrigin.SELF);

        now = now.plus(WRONG);
        assertThat(runs(opened))
                .as("nor is it there again when that time comes")
                .isFalse();
    }

    @Test
    void session_openedBeforeTheClockWasSetBackByAnHour_continuesAndEndsByIdling() {
        Sessions.Opened opened = sessions.open(USER, AuditOrigin.SELF);
        now = now.plus(HOUR.multipliedBy(2));
        assertThat(runs(opened)).isTrue();
        now = now.minus(HOUR);
        assertThat(runs(opened)).isTrue();

        now = now.plus(SETTINGS.sessionIdle()).plusSeconds(1);

        assertThat(runs(opened))
                .as("idle counts from the last request by the clock as it is now")
                .isFalse();
    }

    @Test
    void session_openedJustBeforeTheClockWasSetBackByASecond_continues() {
        Sessions.Opened opened = sessions.open(USER, AuditOrigin.SELF);
        now = now.minusSeconds(1);
        assertThat(runs(opened)).isTrue();
    }

    @Test
    void session_clockSetForward_endsEarlierAndNoLater() {
        Sessions.Opened opened = sessions.open(USER, AuditOrigin.SELF);
        now = now.plus(HOUR);
        assertThat(runs(opened)).isTrue();
        now = now.plus(SETTINGS.sessionLength());
        assertThat(runs(opened)).isFalse();
    }

    @Test
    void pendingLogin_openedByAClockADayAhead_hasEndedWhenTheClockIsRight() {
        PendingLogins pending = new PendingLogins(jdbc, clock);
        now = now.plus(Duration.ofDays(1));
        PendingLogins.Opened opened = pending.open("ann");
        assertThat(pending.find(opened.secret())).isPresent();

        now = now.minus(Duration.ofDays(1));
        assertThat(pending.find(opened.secret())).isEmpty();
        pending.open("ann");

        now = now.plus(Duration.ofDays(1));
        assertThat(pending.find(opened.secret()))
                .as("nor is it there again when that time comes")
                .isEmpty();
    }

    @Test
    void token_expiresAtTheInstantThatIsShown_howeverTheClockWasSet() {
        ApiTokens.Created made =
                tokens.create("probe", List.of(Scope.INGEST), Duration.ofDays(30), "ann");
        now = now.minus(HOUR);
        assertThat(tokens.find(made.secret())).isPresent();
        now = made.token().expires();
        assertThat(tokens.find(made.secret())).isEmpty();
    }

    @Test
    void tokenOfAnExternalUser_whileTheClockIsAYearAhead_rests_andIsNotLost() {
        jdbc.sql("insert into users (name, role, must_change_password, last_login, external_issuer,"
                        + " external_subject) values ('cyd', 'viewer', false, ?, 'https://a', '1')")
                .param(now.atOffset(ZoneOffset.UTC))
                .update();
        String cyds = tokens.create("cyd's", List.of(Scope.INGEST), Duration.ofDays(999), "cyd")
                .secret();
        String anns = tokens.create("ann's", List.of(Scope.INGEST), Duration.ofDays(999), "ann")
                .secret();

        now = now.plus(WRONG);
        assertThat(tokens.find(cyds)).isEmpty();
        assertThat(tokens.resting(cyds)).isPresent();
        assertThat(tokens.find(anns)).as("of a local user").isPresent();
        now = now.minus(WRONG);

        assertThat(tokens.find(cyds)).isPresent();
        assertThat(tokens.resting(cyds)).isEmpty();
    }

    @Test
    void token_usedWhileTheClockWasAhead_isShownAsUsedNow() {
        ApiTokens.Created made =
                tokens.create("probe", List.of(Scope.INGEST), Duration.ofDays(999), "ann");
        now = now.plus(WRONG);
        tokens.find(made.secret());
        now = now.minus(WRONG);

        tokens.find(made.secret());

        assertThat(tokens.list().getFirst().lastUsed()).isEqualTo(now);
    }

    @Test
    void audit_startedByAClockAYearAhead_keepsEverything() {
        audit.write(AuditOrigin.SELF, "ann", "login", null, "done", null, null);
        now = now.plus(WRONG);
        audit.forgetOld();
        assertThat(entries()).isEqualTo(1);
    }

    @Test
    void audit_olderThanTheSettingAllows_isDeleted() {
        audit.write(AuditOrigin.SELF, "ann", "login", null, "done", null, null);
        now = now.plus(Duration.ofDays(31));
        audit.write(AuditOrigin.SELF, "ann", "login", null, "done", null, null);
        audit.forgetOld();
        assertThat(entries())
                .as("the kept entry, and the one about the removal")
                .isEqualTo(2);
    }

    private int entries() {
        return jdbc.sql("select count(*) from audit").query(Integer.class).single();
    }
}
