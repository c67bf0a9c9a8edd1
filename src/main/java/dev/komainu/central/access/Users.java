package dev.komainu.central.access;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionOperations;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The user accounts. At least one local administrator always remains, for the time when an OpenID
 * provider is away. External users ({@link ExternalUsers}) are listed here, too, but have no
 * password. Any thread.
 */
@Component
public class Users {

    /** Pattern of a user name. */
    public static final String NAME = "^[a-z][a-z0-9._-]{0,31}$";

    /**
     * Longest password, in bytes of UTF-8: BCrypt reads no more. Longer passwords are refused
     * rather than truncated.
     */
    public static final int MOST_PASSWORD_BYTES = 72;

    static final String COLUMNS =
            "name, role, must_change_password, last_login, service_group, external_issuer, exists (select 1 from"
                    + " second_factor f where f.user_name = users.name and f.secret is not null) as second_factor";

    private final JdbcClient jdbc;
    private final PasswordHashing hashing;
    private final TransactionOperations transactions;
    private final AccessSettings settings;
    private final Clock clock;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

    public Users(
            JdbcClient jdbc,
            PasswordHashing hashing,
            TransactionOperations transactions,
            AccessSettings settings,
            Clock clock) {
        this.jdbc = jdbc;
        this.hashing = hashing;
        this.transactions = transactions;
        this.settings = settings;
        this.clock = clock;
    }

    /** A new user and the one-time password, which is not stored. */
    public record Created(User user, String oneTimePassword) {}

    /** The outcome of an update or deletion. */
    public enum Outcome {
        DONE,
        /** The user does not exist. */
        ABSENT,
        /** Refused: no administrator would remain. */
        LAST_ADMINISTRATOR
    }

    /** Returns all users, by name. */
    public List<User> list() {
        return jdbc.sql("select " + COLUMNS + " from users order by name")
                .query((row, n) -> user(row))
                .list();
    }

    public Optional<User> find(String name) {
        return jdbc.sql("select " + COLUMNS + " from users where name = ?")
                .param(name)
                .query((row, n) -> user(row))
                .optional();
    }

    /** Creates a user with a one-time password; empty when the name exists already. */
    public Optional<Created> create(String name, Role role) {
        return create(name, role, null);
    }

    /**
     * Creates a user with a one-time password; empty when the name exists already.
     *
     * @param group label selector of the services that the user may change; absent: all
     */
    public Optional<Created> create(String name, Role role, @Nullable String group) {
        String password = Secrets.oneTimePassword();
        String hash = hashing.encode(password); // before a connection is taken
        try {
            jdbc.sql(
                            "insert into users (name, role, password_hash, must_change_password, one_time_until, service_group)"
                                    + " values (?, ?, ?, true, ?, ?)")
                    .params(name, role.text(), hash, oneTimeUntil())
                    .param(group)
                    .update();
        } catch (DuplicateKeyException e) {
            return Optional.empty();
        }
        return Optional.of(
                new Created(new User(name, role, true, null, group, false, false), password));
    }

    /**
     * Changes a role. A user who loses scopes by it also loses all sessions and tokens, at once.
     */
    @Transactional
    public Outcome changeRole(String name, Role role) {
        lock();
        Optional<User> user = find(name);
        if (user.isEmpty()) {
            return Outcome.ABSENT;
        }
        if (role != Role.ADMINISTRATOR && isLastAdministrator(user.get())) {
            return Outcome.LAST_ADMINISTRATOR;
        }
        jdbc.sql("update users set role = ? where name = ?")
                .params(role.text(), name)
                .update();
        if (!role.scopes().containsAll(user.get().role().scopes())) {
            disconnect(name);
        }
        return Outcome.DONE;
    }

    /**
     * Binds a user to a group, or to none. The tokens and sessions of the user end at once: they
     * may have had rights that the user loses by it.
     *
     * @return false when the user does not exist
     */
    @Transactional
    public boolean bind(String name, @Nullable String group) {
        int rows = jdbc.sql("update users set service_group = ? where name = ?")
                .param(group)
                .param(name)
                .update();
        if (rows > 0) {
            disconnect(name);
        }
        return rows > 0;
    }

    /**
     * Sets and returns a new one-time password and ends the user's sessions and tokens; empty when
     * the user does not exist or is an external one.
     */
    public Optional<String> resetPassword(String name) {
        String password = Secrets.oneTimePassword();
        String hash = hashing.encode(password); // before a connection is taken
        Boolean changed = transactions.execute(status -> {
            int rows = jdbc.sql("update users set password_hash = ?, must_change_password = true,"
                            + " one_time_until = ? where name = ? and external_issuer is null")
                    .params(hash, oneTimeUntil(), name)
                    .update();
            if (rows > 0) {
                disconnect(name);
            }
            return rows > 0;
        });
        return Boolean.TRUE.equals(changed) ? Optional.of(password) : Optional.empty();
    }

    /**
     * Adds a listener.
     *
     * @param listener called when sessions and tokens of a user were ended; must return at once
     */
    void onDisconnect(Runnable listener) {
        listeners.add(listener);
    }

    /** Ends the sessions and revokes the tokens of a user, in the caller's transaction. */
    void disconnect(String name) {
        jdbc.sql("delete from sessions where user_name = ?").param(name).update();
        jdbc.sql("delete from pending_login where user_name = ?").param(name).update();
        jdbc.sql("delete from tokens where created_by = ?").param(name).update();
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationManager.registerSynchronization(
                    new TransactionSynchronization() {
                        @Override
                        public void afterCommit() {
                            listeners.forEach(Runnable::run);
                        }
                    });
        } else {
            listeners.forEach(Runnable::run);
        }
    }

    /** Deletes a user with all sessions and tokens. */
    @Transactional
    public Outcome delete(String name) {
        lock();
        Optional<User> user = find(name);
        if (user.isEmpty()) {
            return Outcome.ABSENT;
        }
        if (isLastAdministrator(user.get())) {
            return Outcome.LAST_ADMINISTRATOR;
        }
        disconnect(name);
        jdbc.sql("delete from users where name = ?").param(name).update();
        return Outcome.DONE;
    }

    /**
     * A stored password.
     *
     * @param until end of a one-time password; absent for one that the user set
     */
    record Password(String hash, @Nullable Instant until) {}

    /** Returns the password of a user; empty when the user does not exist or is an external one. */
    Optional<Password> password(String name) {
        return jdbc.sql("select password_hash, one_time_until from users"
                        + " where name = ? and password_hash is not null")
                .param(name)
                .query((row, n) -> new Password(
                        row.getString("password_hash"), instant(row, "one_time_until")))
                .optional();
    }

    void setPassword(String name, String password) {
        String hash = hashing.encode(password);
        jdbc.sql("update users set password_hash = ?, must_change_password = false,"
                        + " one_time_until = null where name = ? and external_issuer is null")
                .params(hash, name)
                .update();
        jdbc.sql("delete from pending_login where user_name = ?").param(name).update();
    }

    private OffsetDateTime oneTimeUntil() {
        return clock.instant().plus(settings.oneTimeLife()).atOffset(ZoneOffset.UTC);
    }

    void loggedIn(String name) {
        jdbc.sql("update users set last_login = ? where name = ?")
                .params(clock.instant().atOffset(ZoneOffset.UTC), name)
                .update();
    }

    static User user(ResultSet row) throws SQLException {
        return new User(
                row.getString("name"),
                Role.of(row.getString("role")).orElse(Role.VIEWER),
                row.getBoolean("must_change_password"),
                instant(row, "last_login"),
                row.getString("service_group"),
                row.getBoolean("second_factor"),
                row.getString("external_issuer") != null);
    }

    static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
        OffsetDateTime at = row.getObject(column, OffsetDateTime.class);
        return at == null ? null : at.toInstant();
    }

    /**
     * Locks the administrators' rows, so that two who demote each other concurrently are
     * serialized.
     */
    private void lock() {
        jdbc.sql("select name from users where role = 'administrator' order by name for update")
                .query(String.class)
                .list();
    }

    private boolean isLastAdministrator(User user) {
        return user.role() == Role.ADMINISTRATOR
                && !user.external()
                && jdbc.sql("select count(*) from users where role = 'administrator'"
                                        + " and external_issuer is null")
                                .query(Long.class)
                                .single()
                        <= 1;
    }
}
