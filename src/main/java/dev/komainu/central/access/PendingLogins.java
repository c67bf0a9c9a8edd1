package dev.komainu.central.access;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The logins whose password was right and that wait for a code. Each belongs to the browser that
 * has its secret in a cookie, and opens nothing by itself. Any thread.
 *
 * <table><caption>Limits</caption>
 * <tr><th>name</th><th>value</th><th>consequence</th></tr>
 * <tr><td>{@link #LIFE}</td><td>5 min</td><td>the login begins again</td></tr>
 * <tr><td>{@link #MOST_CODES}</td><td>5</td><td>the login begins again</td></tr>
 * <tr><td>{@link #MOST_OF_USER}</td><td>3</td><td>the oldest one ends</td></tr>
 * </table>
 */
@Component
public class PendingLogins {

    /** Time in which the code must be given. */
    public static final Duration LIFE = Duration.ofMinutes(5);

    /** Codes that may be given in one login. */
    public static final int MOST_CODES = 5;

    /** Logins of one user that may wait at a time, which bounds the guesses at the same time. */
    static final int MOST_OF_USER = 3;

    /** Tolerance for a begin in the future. Above it, the clock was set back since. */
    private static final Duration AHEAD = Duration.ofMinutes(1);

    private final JdbcClient jdbc;
    private final Clock clock;

    public PendingLogins(JdbcClient jdbc, Clock clock) {
        this.jdbc = jdbc;
        this.clock = clock;
    }

    /** A new pending login; {@code secret} is sent in the cookie and is not stored. */
    public record Opened(String secret, Instant until) {}

    /**
     * A login that waits.
     *
     * @param key hash of the cookie's secret
     * @param left codes that may still be given
     */
    public record Pending(String key, String user, Instant until, int left) {}

    /** Opens a pending login for a user whose password was checked just now. */
    Opened open(String user) {
        OffsetDateTime now = now();
        jdbc.sql("delete from pending_login where created <= ? or created > ?")
                .params(now.minus(LIFE), now.plus(AHEAD))
                .update();
        String secret = Secrets.random();
        jdbc.sql(
                        "insert into pending_login (key_hash, user_name, created, attempts) values (?, ?, ?, 0)")
                .params(Secrets.hash(secret), user, now)
                .update();
        jdbc.sql("delete from pending_login where user_name = ? and key_hash not in"
                        + " (select key_hash from pending_login where user_name = ?"
                        + " order by created desc, key_hash fetch first " + MOST_OF_USER
                        + " rows only)")
                .params(user, user)
                .update();
        return new Opened(secret, now.toInstant().plus(LIFE));
    }

    /** Returns the pending login of a cookie; empty when it has ended. */
    public Optional<Pending> find(String secret) {
        OffsetDateTime now = now();
        String key = Secrets.hash(secret);
        return jdbc.sql("select user_name, created, attempts from pending_login"
                        + " where key_hash = ? and created > ? and created <= ? and attempts < ?")
                .params(key, now.minus(LIFE), now.plus(AHEAD), MOST_CODES)
                .query((row, n) -> new Pending(
                        key,
                        row.getString("user_name"),
                        row.getObject("created", OffsetDateTime.class)
                                .toInstant()
                                .plus(LIFE),
                        MOST_CODES - row.getInt("attempts")))
                .optional();
    }

    /**
     * Counts an attempt, before its code is compared, so that attempts at the same time do not pass
     * together. Returns the number of codes that may still be given; empty when no further one is
     * allowed.
     */
    Optional<Integer> count(Pending pending) {
        int counted = jdbc.sql("update pending_login set attempts = attempts + 1"
                        + " where key_hash = ? and attempts < ?")
                .params(pending.key(), MOST_CODES)
                .update();
        return counted == 0
                ? Optional.empty()
                : jdbc.sql("select attempts from pending_login where key_hash = ?")
                        .param(pending.key())
                        .query(Integer.class)
                        .optional()
                        .map(attempts -> MOST_CODES - attempts);
    }

    /** Ends a pending login. Returns true for one of several calls at the same time only. */
    boolean end(Pending pending) {
        return jdbc.sql("delete from pending_login where key_hash = ?")
                        .param(pending.key())
                        .update()
                > 0;
    }

    /** Ends all pending logins of a user. */
    void endAll(String user) {
        jdbc.sql("delete from pending_login where user_name = ?").param(user).update();
    }

    private OffsetDateTime now() {
        return clock.instant().atOffset(ZoneOffset.UTC);
    }
}
