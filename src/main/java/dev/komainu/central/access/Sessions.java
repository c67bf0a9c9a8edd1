package dev.komainu.central.access;

import dev.komainu.central.control.ControlDataFailure;
import dev.komainu.central.control.RememberedAnswers;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
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

    /** Time after a check of the password in which it need not be given again. */
    static final Duration CONFIRMED_FOR = Duration.ofMinutes(5);

    /** Length of the part of a key that is a session's public id. */
    private static final int ID_LENGTH = 16;

    private final JdbcClient jdbc;
    private final AccessSettings settings;
    private final Clock clock;
    /** Sessions by their key. */
    private final RememberedAnswers<Stored> remembered;

    public Sessions(JdbcClient jdbc, AccessSettings settings, Clock clock) {
        this.jdbc = jdbc;
        this.settings = settings;
        this.clock = clock;
        this.remembered = new RememberedAnswers<>(clock);
    }

    /** Forgets what is remembered of sessions, because some were ended. */
    public void forget() {
        remembered.clear();
    }

    /** A session and what its end depends on. */
    private record Stored(
            Session session,
            Instant created,
            Instant lastUsed,
            @Nullable String address) {}

    /** A new session; {@code secret} is sent in the cookie and is not stored. */
    public record Opened(Session session, String secret) {}

    /**
     * A session in a list.
     *
     * @param id first part of the key; it opens nothing
     * @param address the newest address of the browser
     * @param agent the browser's User-Agent at the login
     */
    public record Listed(
            String id,
            Instant created,
            Instant lastUsed,
            @Nullable String address,
            @Nullable String agent) {}

    /** Opens a session for a user whose password was checked just now. */
    public Opened open(User user, AuditOrigin origin) {
        return open(user, origin, now(), null);
    }

    /**
     * Opens a session for a user that an OpenID provider authenticated, maybe long ago. So it does
     * not count as a check of the password.
     *
     * @param providerSession id of the user's session at the provider; absent: not known
     */
    Opened openExternal(User user, AuditOrigin origin, @Nullable String providerSession) {
        return open(user, origin, null, providerSession);
    }

    private Opened open(
            User user,
            AuditOrigin origin,
            @Nullable OffsetDateTime confirmed,
            @Nullable String providerSession) {
        OffsetDateTime now = now();
        jdbc.sql("delete from sessions where last_used < ? or created < ? or created > ?")
                .params(
                        now.minus(settings.sessionIdle()),
                        now.minus(settings.sessionLength()),
                        now.plus(AHEAD))
                .update();
        String secret = Secrets.random();
        Session session = new Session(Secrets.hash(secret), user, Secrets.random());
        jdbc.sql("insert into sessions"
                        + " (key_hash, user_name, csrf_token, created, last_used, confirmed, address, agent,"
                        + " provider_session) values (?, ?, ?, ?, ?, ?, ?, ?, ?)")
                .param(session.key())
                .param(user.name())
                .param(session.csrfToken())
                .param(now)
                .param(now)
                .param(confirmed)
                .param(origin.address())
                .param(origin.agent())
                .param(providerSession)
                .update();
        return new Opened(session, secret);
    }

    /**
     * Returns the session of a cookie; empty when it has ended. While the database is away,
     * sessions that were used shortly before are found ({@link RememberedAnswers#LIFE}).
     *
     * @param address the browser's address, for the list of sessions
     */
    public Optional<Session> find(String secret, @Nullable String address) {
        return byKey(Secrets.hash(secret), address);
    }

    /**
     * Reports whether a session is still open. Long responses such as the stream check this
     * periodically.
     */
    public boolean runs(Session session) {
        return byKey(session.key(), null).isPresent();
    }

    /** Returns the open sessions of a user, the newest first. */
    public List<Listed> list(String user) {
        OffsetDateTime now = now();
        return jdbc.sql("select * from sessions where user_name = ? and last_used >= ?"
                        + " and created >= ? and created <= ? order by created desc, key_hash")
                .params(
                        user,
                        now.minus(settings.sessionIdle()),
                        now.minus(settings.sessionLength()),
                        now.plus(AHEAD))
                .query((row, n) -> new Listed(
                        row.getString("key_hash").substring(0, ID_LENGTH),
                        row.getObject("created", OffsetDateTime.class).toInstant(),
                        row.getObject("last_used", OffsetDateTime.class).toInstant(),
                        row.getString("address"),
                        row.getString("agent")))
                .list();
    }

    /** Returns the id under which a session is listed. */
    public static String id(Session session) {
        return session.key().substring(0, ID_LENGTH);
    }

    /** Ends a session of a user by its id. Returns false when the user has none with it. */
    public boolean end(String user, String id) {
        if (!id.matches("[0-9a-f]{" + ID_LENGTH + "}")) {
            return false;
        }
        return ended(jdbc.sql("delete from sessions where user_name = ? and key_hash like ?")
                        .params(user, id + "%"))
                > 0;
    }

    /** Ends all sessions of a user and returns their number. */
    public int endAll(String user) {
        return ended(jdbc.sql("delete from sessions where user_name = ?").param(user));
    }

    /** Reports whether the session's user gave the password within the last five minutes. */
    public boolean isConfirmed(Session session) {
        OffsetDateTime now = now();
        return jdbc.sql(
                                "select count(*) from sessions where key_hash = ? and confirmed > ? and confirmed <= ?")
                        .params(session.key(), now.minus(CONFIRMED_FOR), now.plus(AHEAD))
                        .query(Long.class)
                        .single()
                > 0;
    }

    void confirmed(Session session) {
        jdbc.sql("update sessions set confirmed = ? where key_hash = ?")
                .params(now(), session.key())
                .update();
    }

    /**
     * Notes that a session's user logged in at the provider just now.
     *
     * @return false when the session has ended or is another user's
     */
    boolean confirmed(String key, ExternalIdentity identity) {
        return jdbc.sql(
                                "update sessions set confirmed = ? where key_hash = ? and user_name in"
                                        + " (select name from users where external_issuer = ? and external_subject = ?)")
                        .params(now(), key, identity.issuer(), identity.subject())
                        .update()
                > 0;
    }

    /**
     * Ends the sessions of a provider's user: those that belong to one session there, or all.
     *
     * @param subject the user at the provider; absent: any user that has {@code providerSession}
     * @param providerSession id of the session at the provider; absent: all sessions of the user
     * @return the owners of the ended sessions, one entry a session
     */
    List<String> endExternal(
            String issuer, @Nullable String subject, @Nullable String providerSession) {
        if (subject == null && providerSession == null) {
            throw new IllegalArgumentException(
                    "subject or providerSession (expected: one of them)");
        }
        String which = " where user_name in (select name from users where external_issuer = ?"
                + (subject == null ? ")" : " and external_subject = ?)")
                + (providerSession == null ? "" : " and provider_session = ?");
        List<String> values = Stream.of(issuer, subject, providerSession)
                .filter(Objects::nonNull)
                .map(String::valueOf)
                .toList();
        List<String> owners = jdbc.sql(
                        "select user_name from sessions" + which + " order by user_name")
                .params(values)
                .query(String.class)
                .list();
        ended(jdbc.sql("delete from sessions" + which).params(values));
        return owners;
    }

    public void close(Session session) {
        ended(jdbc.sql("delete from sessions where key_hash = ?").param(session.key()));
    }

    /** Closes every other session of the same user and returns their number. */
    public int closeOthers(Session session) {
        return ended(jdbc.sql("delete from sessions where user_name = ? and key_hash <> ?")
                .params(session.user().name(), session.key()));
    }

    /** Deletes sessions and returns their number. */
    private int ended(JdbcClient.StatementSpec deletion) {
        int rows = deletion.update();
        forget();
        return rows;
    }

    private Optional<Session> byKey(String key, @Nullable String address) {
        return remembered.ask(key, () -> stored(key, address), this::isOpen).map(Stored::session);
    }

    /**
     * Reports whether a session that was open when it was read has not reached its length since.
     */
    private boolean isOpen(Stored stored) {
        return !stored.created().isBefore(clock.instant().minus(settings.sessionLength()));
    }

    private Optional<Stored> stored(String key, @Nullable String address) {
        OffsetDateTime now = now();
        Optional<Stored> stored = jdbc.sql("""
                        select s.csrf_token, s.created, s.last_used, s.address, u.name, u.role, u.must_change_password, u.last_login, u.service_group,
                            exists (select 1 from second_factor f where f.user_name = u.name and f.secret is not null) as second_factor,
                            u.external_issuer
                        from sessions s join users u on u.name = s.user_name
                        where s.key_hash = ? and s.last_used >= ? and s.created >= ? and s.created <= ?""")
                .params(
                        key,
                        now.minus(settings.sessionIdle()),
                        now.minus(settings.sessionLength()),
                        // Otherwise it would last until the clock reaches its begin again, plus its
                        // length.
                        now.plus(AHEAD))
                .query((row, n) -> new Stored(
                        new Session(key, Users.user(row), row.getString("csrf_token")),
                        row.getObject("created", OffsetDateTime.class).toInstant(),
                        row.getObject("last_used", OffsetDateTime.class).toInstant(),
                        row.getString("address")))
                .optional();
        stored.filter(row -> row.lastUsed().isBefore(now.minus(GRAIN).toInstant())
                        || row.lastUsed().isAfter(now.toInstant())
                        || (address != null && !address.equals(row.address())))
                .ifPresent(row -> ControlDataFailure.unlessOutage(() -> jdbc.sql(
                                "update sessions set last_used = ?, address = ? where key_hash = ?")
                        .param(now)
                        .param(address == null ? row.address() : address)
                        .param(key)
                        .update()));
        return stored;
    }

    private OffsetDateTime now() {
        return clock.instant().atOffset(ZoneOffset.UTC);
    }
}
