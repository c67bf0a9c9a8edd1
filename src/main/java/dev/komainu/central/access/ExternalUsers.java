package dev.komainu.central.access;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionOperations;

/**
 * The users of an OpenID provider. A user is stored at the first login and recognized by issuer and
 * subject from then on; the name is never taken over from another user, and is kept when the
 * provider changes it. Role and group are those of the newest login. Any thread.
 */
@Component
public class ExternalUsers {

    private final JdbcClient jdbc;
    private final Users users;
    private final TransactionOperations transactions;

    public ExternalUsers(JdbcClient jdbc, Users users, TransactionOperations transactions) {
        this.jdbc = jdbc;
        this.users = users;
        this.transactions = transactions;
    }

    /**
     * A stored user.
     *
     * @param before the user before this login; absent: this is the first one
     */
    record Stored(User user, @Nullable User before) {}

    /**
     * Stores a user with the rights of this login. When the user loses rights by it, the other
     * sessions and the tokens end.
     *
     * @return empty when the name belongs to another user
     */
    public Optional<Stored> store(ExternalIdentity identity, Role role, @Nullable String group) {
        try {
            return storeOnce(identity, role, group);
        } catch (DuplicateKeyException e) {
            // The same user logs in twice at the same time, or another user took the name
            // meanwhile. The failed transaction is over: PostgreSQL continues none after a mistake.
            return storeOnce(identity, role, group);
        }
    }

    private Optional<Stored> storeOnce(
            ExternalIdentity identity, Role role, @Nullable String group) {
        Optional<Stored> stored = transactions.execute(status -> {
            Optional<User> before = find(identity);
            if (before.isEmpty()) {
                if (users.find(identity.name()).isEmpty()) {
                    return insert(identity, role, group);
                }
                // The name is another user's, or the same user's who logged in just now.
                before = find(identity);
            }
            return before.map(user -> update(user, identity, role, group));
        });
        return stored == null ? Optional.empty() : stored;
    }

    private Optional<Stored> insert(ExternalIdentity identity, Role role, @Nullable String group) {
        jdbc.sql("insert into users (name, role, must_change_password, service_group,"
                        + " external_issuer, external_subject) values (?, ?, false, ?, ?, ?)")
                .param(identity.name())
                .param(role.text())
                .param(group)
                .param(identity.issuer())
                .param(identity.subject())
                .update();
        return find(identity).map(user -> new Stored(user, null));
    }

    private Stored update(
            User before, ExternalIdentity identity, Role role, @Nullable String group) {
        boolean loses = !role.scopes().containsAll(before.role().scopes())
                || (group != null && !group.equals(before.group()));
        jdbc.sql("update users set role = ?, service_group = ? where name = ?")
                .param(role.text())
                .param(group)
                .param(before.name())
                .update();
        if (loses) {
            users.disconnect(before.name());
        }
        return new Stored(find(identity).orElse(before), before);
    }

    private Optional<User> find(ExternalIdentity identity) {
        return jdbc.sql("select " + Users.COLUMNS + " from users"
                        + " where external_issuer = ? and external_subject = ?")
                .params(identity.issuer(), identity.subject())
                .query((row, n) -> Users.user(row))
                .optional();
    }
}
