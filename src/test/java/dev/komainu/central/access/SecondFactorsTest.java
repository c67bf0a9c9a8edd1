package dev.komainu.central.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.access.totp.Totp;
import dev.komainu.central.access.totp.TotpSecret;
import dev.komainu.central.control.ControlEngine;
import dev.komainu.central.secret.SecretCipher;
import dev.komainu.central.secret.SecretKeys;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Tests of the second factors with a clock that is set: drift, use, guesses, keys. */
@ParameterizedClass
@EnumSource
class SecondFactorsTest {

    private static final String FIRST_KEY = key(1);
    private static final String SECOND_KEY = key(2);

    @Parameter
    private ControlEngine engine;

    private Instant now = Instant.parse("2026-11-28T10:00:00Z");
    private final InstantSource source = () -> now;
    private final Clock clock = source.withZone(ZoneOffset.UTC);
    private JdbcClient jdbc;
    private TransactionTemplate transactions;
    private SecondFactors factors;

    private static String key(int fill) {
        byte[] bytes = new byte[32];
        java.util.Arrays.fill(bytes, (byte) fill);
        return Base64.getEncoder().encodeToString(bytes);
    }

    @BeforeEach
    void setUp() throws IOException {
        DataSource database = engine.fresh();
        jdbc = JdbcClient.create(database);
        transactions = new TransactionTemplate(new DataSourceTransactionManager(database));
        for (String name : List.of("ann", "bob")) {
            jdbc.sql("insert into users (name, role, password_hash, must_change_password)"
                            + " values (?, 'viewer', 'none', false)")
                    .param(name)
                    .update();
        }
        factors = withKeys(FIRST_KEY);
    }

    private SecondFactors withKeys(String keys) throws IOException {
        return new SecondFactors(
                jdbc,
                transactions,
                new SecretCipher(SecretKeys.read(keys, Path.of("unused"))),
                clock);
    }

    /** Returns the code of the present time step, moved by some steps. */
    private String code(TotpSecret secret, long moved) {
        return new TestAuthenticator(secret.text()).at(Totp.step(now) + moved);
    }

    /** Sets up a second factor and goes to a later time, at which no code was used yet. */
    private TotpSecret setUp(String user) {
        TotpSecret secret = factors.offer(user);
        assertThat(factors.confirm(user, code(secret, 0)))
                .isInstanceOf(SecondFactors.Confirmation.Done.class);
        now = now.plus(Duration.ofHours(1));
        return secret;
    }

    private List<String> recoveryCodes(String user) {
        return factors.renewRecoveryCodes(user).orElseThrow();
    }

    /** Returns a code that none of the accepted ones is equal to. */
    private String wrong(TotpSecret secret) {
        List<String> right = List.of(code(secret, -1), code(secret, 0), code(secret, 1));
        for (int i = 0; ; i++) {
            String code = String.format(Locale.ROOT, "%06d", i);
            if (!right.contains(code)) {
                return code;
            }
        }
    }

    @Test
    void offer_withoutItsFirstCode_hasNoEffect() {
        TotpSecret secret = factors.offer("ann");

        assertThat(factors.isSetUp("ann")).isFalse();
        assertThat(factors.check("ann", code(secret, 0))).isEqualTo(SecondFactors.Check.WRONG);
        assertThat(factors.confirm("ann", wrong(secret)))
                .isEqualTo(new SecondFactors.Confirmation.Wrong());
        assertThat(factors.confirm("bob", code(secret, 0)))
                .isEqualTo(new SecondFactors.Confirmation.NoOffer());
        assertThat(factors.isSetUp("ann")).isFalse();
    }

    @Test
    void offer_olderThanAQuarterOfAnHour_isWorthNothing() {
        TotpSecret secret = factors.offer("ann");
        now = now.plus(SecondFactors.OFFER_LIFE);

        assertThat(factors.confirm("ann", code(secret, 0)))
                .isEqualTo(new SecondFactors.Confirmation.NoOffer());
    }

    @Test
    void confirm_firstCode_givesTenRecoveryCodesAndUsesItUp() {
        TotpSecret secret = factors.offer("ann");

        assertThat(factors.confirm("ann", code(secret, 0)))
                .isInstanceOfSatisfying(
                        SecondFactors.Confirmation.Done.class,
                        done -> assertThat(done.recoveryCodes())
                                .hasSize(10)
                                .doesNotHaveDuplicates());
        assertThat(factors.since("ann")).contains(now);
        assertThat(factors.check("ann", code(secret, 0))).isEqualTo(SecondFactors.Check.USED);
        assertThat(factors.confirm("ann", code(secret, 1)))
                .as("an offer is confirmed once")
                .isEqualTo(new SecondFactors.Confirmation.NoOffer());
    }

    @Test
    void check_oneStepOfDrift_isAcceptedOnEitherSideAndNoMore() {
        TotpSecret secret = setUp("ann");
        assertThat(factors.check("ann", code(secret, -2))).isEqualTo(SecondFactors.Check.WRONG);
        assertThat(factors.check("ann", code(secret, 2))).isEqualTo(SecondFactors.Check.WRONG);

        assertThat(factors.check("ann", code(secret, -1))).isEqualTo(SecondFactors.Check.CODE);
        assertThat(factors.check("ann", code(secret, 0))).isEqualTo(SecondFactors.Check.CODE);
        assertThat(factors.check("ann", code(secret, 1))).isEqualTo(SecondFactors.Check.CODE);
    }

    @Test
    void check_usedCodeOrOlderOne_isRefused() {
        TotpSecret secret = setUp("ann");
        assertThat(factors.check("ann", code(secret, 1))).isEqualTo(SecondFactors.Check.CODE);

        assertThat(factors.check("ann", code(secret, 1))).isEqualTo(SecondFactors.Check.USED);
        assertThat(factors.check("ann", code(secret, 0))).isEqualTo(SecondFactors.Check.USED);
        assertThat(factors.check("ann", code(secret, -1))).isEqualTo(SecondFactors.Check.USED);
        now = now.plus(Totp.STEP.multipliedBy(2));
        assertThat(factors.check("ann", code(secret, 0))).isEqualTo(SecondFactors.Check.CODE);
    }

    @Test
    void check_codeOfAnotherUser_isRefused() {
        TotpSecret ann = setUp("ann");
        setUp("bob");

        assertThat(factors.check("bob", code(ann, 0))).isEqualTo(SecondFactors.Check.WRONG);
    }

    @Test
    void check_codeWithBlanks_isTheSame() {
        TotpSecret secret = setUp("ann");
        String code = code(secret, 0);

        assertThat(factors.check("ann", " " + code.substring(0, 3) + " " + code.substring(3)))
                .isEqualTo(SecondFactors.Check.CODE);
    }

    @Test
    void check_sameCodeAtTheSameTime_isAcceptedOnce() throws Exception {
        TotpSecret secret = setUp("ann");
        int threads = 8;
        CyclicBarrier start = new CyclicBarrier(threads);
        List<SecondFactors.Check> outcomes = new ArrayList<>();
        String code = code(secret, 0);
        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            List<Future<SecondFactors.Check>> running = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                running.add(pool.submit(() -> {
                    start.await();
                    return factors.check("ann", code);
                }));
            }
            for (Future<SecondFactors.Check> each : running) {
                outcomes.add(each.get());
            }
        }

        assertThat(outcomes).containsOnly(SecondFactors.Check.CODE, SecondFactors.Check.USED);
        assertThat(outcomes).filteredOn(SecondFactors.Check::isRight).hasSize(1);
    }

    @Test
    void check_serverClockWrongByADay_refusesCodesAndAcceptsARecoveryCode() {
        TotpSecret secret = setUp("ann");
        List<String> codes = recoveryCodes("ann");
        String right = code(secret, 0);
        now = now.plus(Duration.ofDays(1));
        assertThat(factors.check("ann", right)).isEqualTo(SecondFactors.Check.WRONG);
        assertThat(factors.check("ann", codes.get(0))).isEqualTo(SecondFactors.Check.RECOVERY_CODE);

        now = now.minus(Duration.ofDays(1));
        assertThat(factors.check("ann", right))
                .as("nothing is left of the wrong time")
                .isEqualTo(SecondFactors.Check.CODE);
    }

    @Test
    void recoveryCode_worksOnceAndInAnyWriting() {
        setUp("ann");
        setUp("bob");
        List<String> codes = recoveryCodes("ann");
        String first = codes.get(0);

        assertThat(factors.check("bob", first)).isEqualTo(SecondFactors.Check.WRONG);
        assertThat(factors.check("ann", first.toUpperCase(Locale.ROOT).replace("-", " ")))
                .isEqualTo(SecondFactors.Check.RECOVERY_CODE);
        assertThat(factors.check("ann", first)).isEqualTo(SecondFactors.Check.WRONG);
        assertThat(factors.recoveryCodesLeft("ann")).isEqualTo(9);
    }

    @Test
    void recoveryCodes_renewed_replaceTheOldOnes() {
        setUp("ann");
        String old = recoveryCodes("ann").get(0);

        String fresh = recoveryCodes("ann").get(0);

        assertThat(factors.check("ann", old)).isEqualTo(SecondFactors.Check.WRONG);
        assertThat(factors.check("ann", fresh)).isEqualTo(SecondFactors.Check.RECOVERY_CODE);
        assertThat(factors.renewRecoveryCodes("bob")).isEmpty();
    }

    @Test
    void guesses_aHundredInARow_leaveOnlyRecoveryCodes() {
        TotpSecret secret = setUp("ann");
        List<String> codes = recoveryCodes("ann");
        for (int i = 0; i < SecondFactors.MOST_WRONG; i++) {
            assertThat(factors.check("ann", wrong(secret))).isEqualTo(SecondFactors.Check.WRONG);
        }
        assertThat(factors.check("ann", code(secret, 0)))
                .as("even the right one")
                .isEqualTo(SecondFactors.Check.EXHAUSTED);

        assertThat(factors.check("ann", codes.get(0))).isEqualTo(SecondFactors.Check.RECOVERY_CODE);
        assertThat(factors.check("ann", code(secret, 0))).isEqualTo(SecondFactors.Check.CODE);
    }

    @Test
    void guesses_fewerThanAHundred_areForgottenByTheRightCode() {
        TotpSecret secret = setUp("ann");
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < SecondFactors.MOST_WRONG - 1; i++) {
                assertThat(factors.check("ann", wrong(secret)))
                        .isEqualTo(SecondFactors.Check.WRONG);
            }
            assertThat(factors.check("ann", code(secret, 0))).isEqualTo(SecondFactors.Check.CODE);
            now = now.plus(Totp.STEP);
        }
    }

    @Test
    void replacement_endsTheSecretBefore() {
        TotpSecret old = setUp("ann");

        TotpSecret fresh = setUp("ann");

        assertThat(factors.check("ann", code(old, 0))).isEqualTo(SecondFactors.Check.WRONG);
        assertThat(factors.check("ann", code(fresh, 0))).isEqualTo(SecondFactors.Check.CODE);
    }

    @Test
    void replacement_offered_leavesTheSecretBeforeInForce() {
        TotpSecret old = setUp("ann");

        factors.offer("ann");

        assertThat(factors.isSetUp("ann")).isTrue();
        assertThat(factors.check("ann", code(old, 0))).isEqualTo(SecondFactors.Check.CODE);
    }

    @Test
    void removal_leavesNeitherSecretNorRecoveryCodes() {
        TotpSecret secret = setUp("ann");
        String code = recoveryCodes("ann").get(0);

        assertThat(factors.remove("ann")).isTrue();

        assertThat(factors.remove("ann")).isFalse();
        assertThat(factors.isSetUp("ann")).isFalse();
        assertThat(factors.check("ann", code(secret, 0))).isEqualTo(SecondFactors.Check.WRONG);
        assertThat(factors.check("ann", code)).isEqualTo(SecondFactors.Check.WRONG);
    }

    @Test
    void database_holdsNoSecretAndNoRecoveryCodeInClear() {
        TotpSecret secret = setUp("ann");
        List<String> codes = recoveryCodes("ann");
        factors.offer("bob");

        List<String> rows =
                new ArrayList<>(jdbc.sql("select coalesce(secret, offered) from second_factor")
                        .query(String.class)
                        .list());
        assertThat(rows).hasSize(2).allMatch(SecretCipher::isSealed);
        rows.addAll(
                jdbc.sql("select hash from recovery_code").query(String.class).list());
        assertThat(String.join("\n", rows))
                .doesNotContain(secret.stored(), secret.text())
                .doesNotContain(codes);
    }

    @Test
    void secret_copiedToAnotherUser_cannotBeRead() {
        TotpSecret secret = setUp("ann");
        setUp("bob");
        jdbc.sql("update second_factor set secret = (select secret from second_factor"
                        + " where user_name = 'ann') where user_name = 'bob'")
                .update();

        assertThat(factors.check("bob", code(secret, 0))).isEqualTo(SecondFactors.Check.UNREADABLE);
    }

    @Test
    void key_rotated_encryptsSecretsAnew() throws IOException {
        TotpSecret secret = setUp("ann");

        withKeys(SECOND_KEY + "," + FIRST_KEY);

        factors = withKeys(SECOND_KEY);
        assertThat(factors.check("ann", code(secret, 0))).isEqualTo(SecondFactors.Check.CODE);
    }

    @Test
    void key_lost_leavesRecoveryCodes() throws IOException {
        TotpSecret secret = setUp("ann");
        List<String> codes = recoveryCodes("ann");

        factors = withKeys(SECOND_KEY);

        assertThat(factors.check("ann", code(secret, 0))).isEqualTo(SecondFactors.Check.UNREADABLE);
        assertThat(factors.check("ann", codes.get(0))).isEqualTo(SecondFactors.Check.RECOVERY_CODE);
        factors = withKeys(FIRST_KEY);
        assertThat(factors.check("ann", code(secret, 0))).isEqualTo(SecondFactors.Check.CODE);
    }
}
