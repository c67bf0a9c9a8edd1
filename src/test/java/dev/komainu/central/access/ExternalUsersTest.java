package dev.komainu.central.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.central.control.ControlEngine;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;
import org.springframework.transaction.support.TransactionTemplate;

/** Tests of external users in a database that had local users before. */
@ParameterizedClass
@EnumSource
class ExternalUsersTest {

    private static final Instant NOW = Instant.parse("2026-11-28T10:00:00Z");
    private static final String ISSUER = "https://login.example";

    @Parameter
    private ControlEngine engine;

    private final InstantSource source = () -> NOW;
    private final Clock clock = source.withZone(ZoneOffset.UTC);
    private JdbcClient jdbc;
    private ExternalUsers users;

    @BeforeEach
    void setUp() {
        boolean staged = engine == ControlEngine.H2;
        DataSource database = staged ? engine.empty() : engine.fresh();
        if (staged) {
            run(database, "V1__access", "V3__login", "V52__access_groups");
        }
        jdbc = JdbcClient.create(database);
        jdbc.sql(
                        "insert into users (name, role, password_hash, must_change_password, last_login,"
                                + " service_group) values ('ann', 'operator', 'hash', true, ?, 'team=shop')")
                .param(NOW.atOffset(ZoneOffset.UTC))
                .update();
        jdbc.sql("insert into sessions (key_hash, user_name, csrf_token, created, last_used)"
                        + " values (?, 'ann', 'token', ?, ?)")
                .params("k".repeat(64), NOW.atOffset(ZoneOffset.UTC), NOW.atOffset(ZoneOffset.UTC))
                .update();
        if (staged) {
            run(
                    database,
                    "V61__external_users",
                    "V62__logout_tokens",
                    "V63__second_factor",
                    "V64__pending_logins");
        }
        TransactionTemplate transactions =
                new TransactionTemplate(new DataSourceTransactionManager(database));
        users = new ExternalUsers(
                jdbc,
                new Users(
                        jdbc,
                        new PasswordHashing(new BCryptPasswordEncoder(4)),
                        transactions,
                        WrongClockTest.SETTINGS,
                        clock),
                transactions);
    }

    private static void run(DataSource database, String... migrations) {
        for (String each : migrations) {
            new ResourceDatabasePopulator(new ClassPathResource("db/h2/" + each + ".sql"))
                    .execute(database);
        }
    }

    @Test
    void migration_existingUser_keepsAllColumns() {
        User ann = jdbc.sql("select " + Users.COLUMNS + " from users where name = 'ann'")
                .query((row, n) -> Users.user(row))
                .single();

        assertThat(ann)
                .isEqualTo(new User("ann", Role.OPERATOR, true, NOW, "team=shop", false, false));
        assertThat(jdbc.sql("select password_hash from users where name = 'ann'")
                        .query(String.class)
                        .single())
                .isEqualTo("hash");
        assertThat(jdbc.sql("select count(*) from sessions where user_name = 'ann'")
                        .query(Integer.class)
                        .single())
                .isEqualTo(1);
        jdbc.sql("delete from users where name = 'ann'").update();
        assertThat(jdbc.sql("select count(*) from sessions")
                        .query(Integer.class)
                        .single())
                .as("sessions still end with their user")
                .isZero();
    }

    @Test
    void database_externalUserWithAPassword_isRefused() {
        for (String values : List.of(
                "('x', 'viewer', 'hash', false, 'https://a', '1')",
                "('x', 'viewer', null, false, null, null)",
                "('x', 'viewer', null, false, 'https://a', null)")) {
            assertThatThrownBy(() -> jdbc.sql("insert into users (name, role, password_hash,"
                                    + " must_change_password, external_issuer, external_subject) values "
                                    + values)
                            .update())
                    .isInstanceOf(DataIntegrityViolationException.class);
        }
    }

    @Test
    void database_longName_fitsIntoUsersAndSessions() {
        String name = "a".repeat(64);
        external(name, "1");
        session(name, "s", "1");

        assertThat(jdbc.sql("select user_name from sessions where provider_session = 's'")
                        .query(String.class)
                        .single())
                .isEqualTo(name);
    }

    private void external(String name, String subject) {
        jdbc.sql("insert into users (name, role, must_change_password, external_issuer,"
                        + " external_subject) values (?, 'viewer', false, ?, ?)")
                .params(name, ISSUER, subject)
                .update();
    }

    private void session(String name, String providerSession, String key) {
        jdbc.sql("insert into sessions (key_hash, user_name, csrf_token, created, last_used,"
                        + " provider_session) values (?, ?, 'token', ?, ?, ?)")
                .params(
                        key.repeat(64),
                        name,
                        NOW.atOffset(ZoneOffset.UTC),
                        NOW.atOffset(ZoneOffset.UTC),
                        providerSession)
                .update();
    }

    @Test
    void endExternal_subjectOrSession_endsExactlyThese() {
        external("ben", "1");
        external("cyd", "2");
        session("ben", "s1", "a");
        session("ben", "s2", "b");
        session("cyd", "s3", "c");
        Sessions sessions = new Sessions(jdbc, WrongClockTest.SETTINGS, clock);

        assertThat(sessions.endExternal("https://other.example", "1", null)).isEmpty();
        assertThat(sessions.endExternal(ISSUER, "2", "s1"))
                .as("another user's session")
                .isEmpty();
        assertThat(sessions.endExternal(ISSUER, null, "s2")).containsExactly("ben");
        session("ben", "s4", "d");
        assertThat(sessions.endExternal(ISSUER, "1", null)).containsExactly("ben", "ben");
        assertThat(jdbc.sql("select user_name from sessions order by user_name")
                        .query(String.class)
                        .list())
                .containsExactly("ann", "cyd");
        assertThatThrownBy(() -> sessions.endExternal(ISSUER, null, null))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void store_twiceAtTheSameTime_isOneUser() throws Exception {
        for (int round = 0; round < 10; round++) {
            ExternalIdentity identity =
                    new ExternalIdentity(ISSUER, "subject" + round, "cat" + round);
            CyclicBarrier together = new CyclicBarrier(2);
            Callable<Optional<ExternalUsers.Stored>> login = () -> {
                together.await(10, TimeUnit.SECONDS);
                return users.store(identity, Role.VIEWER, null);
            };
            try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
                for (Future<Optional<ExternalUsers.Stored>> one :
                        threads.invokeAll(List.of(login, login))) {
                    assertThat(one.get(20, TimeUnit.SECONDS))
                            .get()
                            .extracting(stored -> stored.user().name())
                            .isEqualTo("cat" + round);
                }
            }
        }
        assertThat(jdbc.sql("select count(*) from users where external_issuer is not null")
                        .query(Integer.class)
                        .single())
                .isEqualTo(10);
    }

    @Test
    void store_nameOfAnotherUser_isRefusedAndChangesNothing() {
        assertThat(users.store(new ExternalIdentity(ISSUER, "1", "ann"), Role.VIEWER, null))
                .isEmpty();
        assertThat(jdbc.sql("select role from users where name = 'ann'")
                        .query(String.class)
                        .single())
                .isEqualTo("operator");
    }

    @Test
    void use_logoutToken_onceUntilItIsTooOld() {
        UsedLogoutTokens tokens = new UsedLogoutTokens(jdbc, clock);
        Instant until = NOW.plus(Duration.ofMinutes(10));

        assertThat(tokens.use(ISSUER, "1", until)).isTrue();
        assertThat(tokens.use(ISSUER, "1", until)).isFalse();
        assertThat(tokens.use("https://other.example", "1", until)).isTrue();
        assertThat(tokens.use(ISSUER, "2", NOW.minusSeconds(1))).isTrue();
        tokens.use(ISSUER, "3", until);
        assertThat(jdbc.sql("select count(*) from logout_token")
                        .query(Integer.class)
                        .single())
                .as("old ones are deleted")
                .isEqualTo(3);
    }
}
