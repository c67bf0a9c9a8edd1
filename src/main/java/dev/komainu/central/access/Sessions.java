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
 * The sessions of browsers. They are stored in the database, so that they survive a restart of the
 * service. Any thread.
 */
@Component
public class Sessions {

    /** Shortest time between two writes of {@code last_used}. */
    private static final Duration GRAIN = Duration.ofMinutes(1);

    /** Tolerance for a session's begin in the future. Above it, the clock was set back since. */
    private static final Duration AHEAD = Duration.ofMinutes(1);

    private final JdbcClient jdbc;
    private final AccessSettings settings;
    private final Clock clock;

    public Sessions(JdbcClient jdbc, AccessSettings settings, Clock clock) {
        this.jdbc = jdbc;
        this.settings = settings;
        this.clock = clock;
    }

    /** A new session; {@code secret} is sent in the cookie and is not stored. */
    public record Opened(Session session, String secret) {}

    /** Opens a session for an authenticated user. */
    public Opened open(User user) {
        OffsetDateTime now = now();
        jdbc.sql("delete from sessions where last_used < ? or created < ? or created > ?")
                .params(
                        now.minus(settings.sessionIdle()),
                        now.minus(settings.sessionLength()),
                        now.plus(AHEAD))
                .update();
        String secret = Secrets.random();
        Session session = new Session(Secrets.hash(secret), user, Secrets.random());
        jdbc.sql(
                        "insert into sessions (key_hash, user_name, csrf_token, created, last_used) values (?, ?, ?, ?, ?)")
                .params(session.key(), user.name(), session.csrfToken(), now, now)
                .update();
        return new Opened(session, secret);
    }

    /** Returns the session of a cookie; empty when it has ended. */
    public Optional<Session> find(String secret) {
        return byKey(Secrets.hash(secret));
    }

    /**
     * Reports whether a session is still open. Long responses such as the stream check this
     * periodically.
     */
    public boolean runs(Session session) {
        return byKey(session.key()).isPresent();
    }

    public void close(Session session) {
        jdbc.sql("delete from sessions where key_hash = ?").param(session.key()).update();
    }

    /** Closes every other session of the same user. */
    public void closeOthers(Session session) {
        jdbc.sql("delete from sessions where user_name = ? and key_hash <> ?")
                .params(session.user().name(), session.key())
                .update();
    }

    private Optional<Session> byKey(String key) {
        OffsetDateTime now = now();
        record Row(Session session, Instant lastUsed) {}
        Optional<Row> stored = jdbc.sql("""
                        select s.csrf_token, s.last_used, u.name, u.role, u.must_change_password, u.last_login
                        from sessions s join users u on u.name = s.user_name
                        where s.key_hash = ? and s.last_used >= ? and s.created >= ? and s.created <= ?""")
                .params(
                        key,
                        now.minus(settings.sessionIdle()),
                        now.minus(settings.sessionLength()),
                        // Otherwise it would last until the clock reaches its begin again, plus its
                        // length.
                        now.plus(AHEAD))
                .query((row, n) -> new Row(
                        new Session(key, Users.user(row), row.getString("csrf_token")),
                        row.getObject("last_used", OffsetDateTime.class).toInstant()))
                .optional();
        stored.filter(row -> row.lastUsed().isBefore(now.minus(GRAIN).toInstant())
                        || row.lastUsed().isAfter(now.toInstant()))
                .ifPresent(row -> jdbc.sql("update sessions set last_used = ? where key_hash = ?")
                        .params(now, key)
                        .update());
        return stored.map(Row::session);
    }

    private OffsetDateTime now() {
        return clock.instant().atOffset(ZoneOffset.UTC);
    }
}
