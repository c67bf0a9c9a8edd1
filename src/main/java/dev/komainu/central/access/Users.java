package dev.komainu.central.access;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/** The user accounts. At least one administrator always remains. Any thread. */
@Component
public class Users {

    /** Pattern of a user name. */
    public static final String NAME = "^[a-z][a-z0-9._-]{0,31}$";

    /**
     * Longest password, in bytes of UTF-8: BCrypt reads no more. Longer passwords are refused
     * rather than truncated.
     */
    public static final int MOST_PASSWORD_BYTES = 72;

    private static final String COLUMNS = "name, role, must_change_password, last_login";

    private final JdbcClient jdbc;
    private final PasswordEncoder encoder;
    private final Clock clock;

    public Users(JdbcClient jdbc, PasswordEncoder encoder, Clock clock) {
        this.jdbc = jdbc;
        this.encoder = encoder;
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
        String password = Secrets.oneTimePassword();
        try {
            jdbc.sql(
                            "insert into users (name, role, password_hash, must_change_password) values (?, ?, ?, true)")
                    .params(name, role.text(), encoder.encode(password))
                    .update();
        } catch (DuplicateKeyException e) {
            return Optional.empty();
        }
        return Optional.of(new Created(new User(name, role, true, null), password));
    }

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
        return Outcome.DONE;
    }

    /**
     * Sets and returns a new one-time password and ends the user's sessions; empty when the user
     * does not exist.
     */
    @Transactional
    public Optional<String> resetPassword(String name) {
        String password = Secrets.oneTimePassword();
        int changed = jdbc.sql(
                        "update users set password_hash = ?, must_change_password = true where name = ?")
                .params(encoder.encode(password), name)
                .update();
        jdbc.sql("delete from sessions where user_name = ?").param(name).update();
        return changed == 0 ? Optional.empty() : Optional.of(password);
    }

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
        jdbc.sql("delete from users where name = ?").param(name).update();
        return Outcome.DONE;
    }

    /** Returns the hash of a password; empty when the user does not exist. */
    Optional<String> passwordHash(String name) {
        return jdbc.sql("select password_hash from users where name = ?")
                .param(name)
                .query(String.class)
                .optional();
    }

    void setPassword(String name, String password) {
        jdbc.sql("update users set password_hash = ?, must_change_password = false where name = ?")
                .params(encoder.encode(password), name)
                .update();
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
                instant(row, "last_login"));
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
                && jdbc.sql("select count(*) from users where role = 'administrator'")
                                .query(Long.class)
                                .single()
                        <= 1;
    }
}
