package dev.komainu.central.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.central.control.ControlDataFailure;
import dev.komainu.central.control.ControlEngine;
import dev.komainu.central.control.RememberedAnswers;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Tests of tokens and sessions that would begin to rest, or end, while the database of control data
 * is away: what is not known is refused as an outage, neither accepted nor called invalid.
 */
class AccessOutageTest {

    /** Time before the end of what a test watches. */
    private static final Duration SHORTLY = Duration.ofMinutes(5);

    private static final AccessSettings SETTINGS = WrongClockTest.SETTINGS;

    private Instant now = Instant.parse("2026-11-21T00:00:00Z");
    private final InstantSource source = () -> now;
    private final Clock clock = source.withZone(ZoneOffset.UTC);
    private boolean away;
    private JdbcClient database;
    private ApiTokens tokens;
    private Sessions sessions;

    @BeforeEach
    void open() {
        DataSource stored = ControlEngine.ofThisRun().fresh();
        database = JdbcClient.create(stored);
        JdbcClient jdbc = JdbcClient.create(new DelegatingDataSource(stored) {
            @Override
            public Connection getConnection() throws SQLException {
                if (away) {
                    throw new SQLException("no connection", "08001");
                }
                return super.getConnection();
            }
        });
        tokens = new ApiTokens(jdbc, SETTINGS, clock);
        sessions = new Sessions(jdbc, SETTINGS, clock);
        database.sql(
                        "insert into users (name, role, must_change_password, last_login, external_issuer,"
                                + " external_subject) values ('cyd', 'viewer', false, ?, 'https://a', '1')")
                .param(now.atOffset(ZoneOffset.UTC))
                .update();
    }

    private static void isOutage(ThrowingCallable question) {
        assertThatThrownBy(question)
                .satisfies(e -> assertThat(ControlDataFailure.of(e).isOutage()).isTrue());
    }

    /** Returns a token of the user of a provider that begins to rest {@link #SHORTLY} from now. */
    private String tokenThatSoonRests() {
        String secret = tokens.create("cyd's", List.of(Scope.INGEST), Duration.ofDays(999), "cyd")
                .secret();
        now = now.plus(SETTINGS.externalTokenIdle()).minus(SHORTLY);
        assertThat(tokens.find(secret)).isPresent();
        return secret;
    }

    @Test
    void token_beginsToRestWhileTheDatabaseIsAway_isNeitherAcceptedNorCalledInvalid() {
        String secret = tokenThatSoonRests();
        away = true;
        assertThat(tokens.find(secret)).as("it does not rest yet").isPresent();

        now = now.plus(SHORTLY);
        isOutage(() -> tokens.find(secret));
        isOutage(() -> tokens.resting(secret));

        away = false;
        assertThat(tokens.find(secret)).isEmpty();
        assertThat(tokens.resting(secret)).isPresent();
    }

    @Test
    void token_ownerLoggedInBeforeTheOutage_isNeverCalledInvalid() {
        String secret = tokenThatSoonRests();
        database.sql("update users set last_login = ? where name = 'cyd'")
                .param(now.atOffset(ZoneOffset.UTC))
                .update();
        away = true;
        now = now.plus(SHORTLY);
        isOutage(() -> tokens.find(secret));

        away = false;
        assertThat(tokens.find(secret)).isPresent();
    }

    @Test
    void token_restedBeforeTheOutage_isNotAcceptedDuringIt() {
        String secret = tokenThatSoonRests();
        now = now.plus(SHORTLY);
        assertThat(tokens.find(secret)).isEmpty();

        away = true;
        isOutage(() -> tokens.find(secret));
        isOutage(() -> tokens.resting(secret));
    }

    @Test
    void token_awayForLongerThanAnswersAreRemembered_isTheOutage() {
        String secret = tokens.create("cyd's", List.of(Scope.INGEST), Duration.ofDays(999), "cyd")
                .secret();
        assertThat(tokens.find(secret)).isPresent();
        away = true;
        now = now.plus(RememberedAnswers.LIFE);
        assertThat(tokens.find(secret)).isPresent();

        now = now.plusMillis(1);
        isOutage(() -> tokens.find(secret));
    }

    @Test
    void session_reachesItsLengthWhileTheDatabaseIsAway_isNotAccepted() {
        User user = new User("cyd", Role.VIEWER, false, null);
        Sessions.Opened opened = sessions.open(user, AuditOrigin.SELF);
        Instant end = now.plus(SETTINGS.sessionLength());
        while (now.isBefore(end.minus(SHORTLY))) {
            now = now.plus(Duration.ofHours(1)).isBefore(end.minus(SHORTLY))
                    ? now.plus(Duration.ofHours(1))
                    : end.minus(SHORTLY);
            assertThat(sessions.find(opened.secret(), null)).isPresent();
        }

        away = true;
        now = end;
        assertThat(sessions.find(opened.secret(), null)).isPresent();
        now = end.plusMillis(1);
        isOutage(() -> sessions.find(opened.secret(), null));

        away = false;
        assertThat(sessions.find(opened.secret(), null)).isEmpty();
    }
}
