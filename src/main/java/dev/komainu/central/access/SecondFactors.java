package dev.komainu.central.access;

import dev.komainu.central.access.totp.Totp;
import dev.komainu.central.access.totp.TotpSecret;
import dev.komainu.central.secret.SecretCipher;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionOperations;

/**
 * The second factors of users: their secrets, and the checks of their codes. Any thread.
 *
 * <p>A code is accepted once: the update that notes its time step succeeds for one of several
 * logins at the same time only, and no code of this or an older step afterwards (RFC 6238 section
 * 5.2). Guesses are counted before they are compared, for the same reason.
 *
 * <table><caption>Limits</caption>
 * <tr><th>name</th><th>value</th><th>consequence</th></tr>
 * <tr><td>{@link #MOST_WRONG}</td><td>100</td><td>only a recovery code is accepted</td></tr>
 * <tr><td>{@link #OFFER_LIFE}</td><td>15 min</td><td>the set-up begins again</td></tr>
 * </table>
 */
@Component
public class SecondFactors {

    /**
     * Wrong codes in a row after which no code is accepted. Each guess hits one of three codes in a
     * million, so a stranger who knows the password has one chance in 3,333.
     */
    public static final int MOST_WRONG = 100;

    /** Time in which an offered secret must be confirmed by its first code. */
    public static final Duration OFFER_LIFE = Duration.ofMinutes(15);

    private static final Logger LOG = LoggerFactory.getLogger(SecondFactors.class);
    private static final Pattern CODE = Pattern.compile("[0-9]{" + Totp.DIGITS + "}");

    private final JdbcClient jdbc;
    private final TransactionOperations transactions;
    private final SecretCipher cipher;
    private final Clock clock;
    private final RecoveryCodes recovery;

    public SecondFactors(
            JdbcClient jdbc, TransactionOperations transactions, SecretCipher cipher, Clock clock) {
        this.jdbc = jdbc;
        this.transactions = transactions;
        this.cipher = cipher;
        this.clock = clock;
        this.recovery = new RecoveryCodes(jdbc);
        sealAgain();
    }

    /** The outcome of the check of a code. */
    public enum Check {
        /** The code of the present time step, or of one beside it. */
        CODE("code"),
        /** A recovery code, which is used up now. */
        RECOVERY_CODE("recovery code"),
        /** Neither. */
        WRONG("wrong code"),
        /** A code whose time step, or a later one, was used before. */
        USED("used code"),
        /** Not compared: too many wrong codes in a row. */
        EXHAUSTED("code after " + MOST_WRONG + " wrong ones"),
        /** Not compared: the secret cannot be decrypted. */
        UNREADABLE("the secret cannot be read");

        private final String text;

        Check(String text) {
            this.text = text;
        }

        /** Returns the text of the outcome for the audit log. */
        String text() {
            return text;
        }

        /** Reports whether the check succeeded. */
        public boolean isRight() {
            return this == CODE || this == RECOVERY_CODE;
        }
    }

    /** The outcome of a set-up. */
    public sealed interface Confirmation {
        /**
         * The second factor is set up.
         *
         * @param recoveryCodes new ones; they are not stored
         */
        record Done(List<String> recoveryCodes) implements Confirmation {}

        /** The code does not belong to the offered secret and the present time. */
        record Wrong() implements Confirmation {}

        /** No secret was offered within {@link #OFFER_LIFE}. */
        record NoOffer() implements Confirmation {}
    }

    /**
     * Encrypts the secrets anew that were encrypted with an older key, and reports those that
     * cannot be decrypted.
     */
    private void sealAgain() {
        record Row(String user, String secret) {}
        List<String> unreadable = jdbc
                .sql("select user_name, secret from second_factor where secret is not null")
                .query((row, n) -> new Row(row.getString("user_name"), row.getString("secret")))
                .list()
                .stream()
                .filter(row -> {
                    String encrypted = cipher.seal(row.secret(), place(row.user()));
                    if (!encrypted.equals(row.secret())) {
                        jdbc.sql("update second_factor set secret = ? where user_name = ?")
                                .params(encrypted, row.user())
                                .update();
                    }
                    return opened(row.user(), encrypted).isEmpty();
                })
                .map(Row::user)
                .toList();
        if (!unreadable.isEmpty()) {
            LOG.error(
                    "The second factors of {} users cannot be read: {}. They were encrypted with a key that is not in {}. Restore the key, or remove the second factors; recovery codes work",
                    unreadable.size(),
                    unreadable,
                    cipher.place());
        }
    }

    /** Reports whether a user has set up a second factor. */
    public boolean isSetUp(String user) {
        return since(user).isPresent();
    }

    /** Returns the time at which a user set up the second factor; empty without one. */
    public Optional<Instant> since(String user) {
        return jdbc.sql(
                        "select since from second_factor where user_name = ? and secret is not null")
                .param(user)
                .query((row, n) -> Optional.ofNullable(Users.instant(row, "since")))
                .optional()
                .flatMap(since -> since);
    }

    /** Returns the number of recovery codes that a user has left. */
    public int recoveryCodesLeft(String user) {
        return recovery.left(user);
    }

    /**
     * Offers a new secret to a user. It replaces an earlier offer, and has no effect until it is
     * confirmed.
     */
    public TotpSecret offer(String user) {
        TotpSecret secret = TotpSecret.random();
        String encrypted = cipher.seal(secret.stored(), place(user));
        if (!replaceOffer(user, encrypted)) {
            try {
                jdbc.sql(
                                "insert into second_factor (user_name, last_step, wrong, offered, offered_at)"
                                        + " values (?, 0, 0, ?, ?)")
                        .params(user, encrypted, now().atOffset(ZoneOffset.UTC))
                        .update();
            } catch (DuplicateKeyException e) {
                replaceOffer(user, encrypted); // a second request at the same time
            }
        }
        return secret;
    }

    private boolean replaceOffer(String user, String encrypted) {
        return jdbc.sql("update second_factor set offered = ?, offered_at = ? where user_name = ?")
                        .params(encrypted, now().atOffset(ZoneOffset.UTC), user)
                        .update()
                > 0;
    }

    /**
     * Sets up the offered secret when the code belongs to it. It replaces an earlier one, and its
     * recovery codes.
     */
    public Confirmation confirm(String user, String code) {
        Instant now = now();
        Optional<String> offered = jdbc.sql(
                        "select offered from second_factor where user_name = ? and offered is not null and offered_at > ? and offered_at <= ?")
                .params(
                        user,
                        now.minus(OFFER_LIFE).atOffset(ZoneOffset.UTC),
                        now.plus(OFFER_LIFE).atOffset(ZoneOffset.UTC))
                .query(String.class)
                .optional();
        Optional<TotpSecret> secret = offered.flatMap(text -> opened(user, text));
        if (secret.isEmpty()) {
            return new Confirmation.NoOffer();
        }
        OptionalLong step = matching(secret.get(), plain(code), now);
        if (step.isEmpty()) {
            return new Confirmation.Wrong();
        }
        List<String> codes = transactions.execute(status -> jdbc.sql(
                                        "update second_factor set secret = offered, since = ?, last_step = ?, wrong = 0,"
                                                + " offered = null, offered_at = null where user_name = ? and offered = ?")
                                .params(
                                        now.atOffset(ZoneOffset.UTC),
                                        step.getAsLong(),
                                        user,
                                        offered.orElseThrow())
                                .update()
                        > 0
                ? recovery.replace(user)
                : List.<String>of());
        return codes == null || codes.isEmpty()
                ? new Confirmation.NoOffer()
                : new Confirmation.Done(codes);
    }

    /** Checks a code or a recovery code of a user. The right one is used up by it. */
    public Check check(String user, String code) {
        String plain = plain(code);
        return CODE.matcher(plain).matches() ? checkCode(user, plain) : checkRecovery(user, plain);
    }

    private Check checkCode(String user, String code) {
        int counted = jdbc.sql("update second_factor set wrong = wrong + 1"
                        + " where user_name = ? and secret is not null and wrong < ?")
                .params(user, MOST_WRONG)
                .update();
        if (counted == 0) {
            return isSetUp(user) ? Check.EXHAUSTED : Check.WRONG;
        }
        Optional<String> encrypted = stored(user);
        Optional<TotpSecret> secret = encrypted.flatMap(text -> opened(user, text));
        if (secret.isEmpty()) {
            return Check.UNREADABLE;
        }
        OptionalLong step = matching(secret.get(), code, now());
        if (step.isEmpty()) {
            return Check.WRONG;
        }
        int accepted = jdbc.sql("update second_factor set last_step = ?, wrong = 0"
                        + " where user_name = ? and secret = ? and last_step < ?")
                .params(step.getAsLong(), user, encrypted.orElseThrow(), step.getAsLong())
                .update();
        return accepted > 0 ? Check.CODE : Check.USED;
    }

    private Check checkRecovery(String user, String code) {
        if (!recovery.use(user, code)) {
            return Check.WRONG;
        }
        jdbc.sql("update second_factor set wrong = 0 where user_name = ?")
                .param(user)
                .update();
        return Check.RECOVERY_CODE;
    }

    /**
     * Replaces the recovery codes of a user and returns the new ones; empty without a second
     * factor.
     */
    public Optional<List<String>> renewRecoveryCodes(String user) {
        List<String> codes = transactions.execute(
                status -> isSetUp(user) ? recovery.replace(user) : List.<String>of());
        return Optional.ofNullable(codes).filter(each -> !each.isEmpty());
    }

    /** Removes the second factor of a user. Returns false when the user has none. */
    public boolean remove(String user) {
        return Boolean.TRUE.equals(transactions.execute(status -> {
            recovery.delete(user);
            boolean wasSetUp = isSetUp(user);
            jdbc.sql("delete from second_factor where user_name = ?")
                    .param(user)
                    .update();
            return wasSetUp;
        }));
    }

    private Optional<String> stored(String user) {
        return jdbc.sql(
                        "select secret from second_factor where user_name = ? and secret is not null")
                .param(user)
                .query(String.class)
                .optional();
    }

    private Optional<TotpSecret> opened(String user, String encrypted) {
        String text = cipher.open(encrypted, place(user));
        return SecretCipher.isSealed(text)
                ? Optional.empty()
                : Optional.of(TotpSecret.ofStored(text));
    }

    private static OptionalLong matching(TotpSecret secret, String code, Instant now) {
        return CODE.matcher(code).matches()
                ? Totp.matchingStep(secret, code, now)
                : OptionalLong.empty();
    }

    /** Returns a code without the blanks that authenticators show in it. */
    private static String plain(String code) {
        return code.replaceAll("\\s", "");
    }

    /** Returns the place of a secret; the offered one is moved, so it has the same. */
    private static String place(String user) {
        return "second_factor/" + user + "/secret";
    }

    private Instant now() {
        return clock.instant();
    }
}
