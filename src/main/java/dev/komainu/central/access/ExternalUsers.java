package dev.komainu.central.access;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/**
 * The users of an OpenID provider. A user is stored at the first login and recognized by issuer and
 * subject from then on; the name is never taken over from another user, and is kept when the
 * provider changes it. Role and group are those of the newest login. Any thread.
 */
@Component
public class ExternalUsers {

    private final JdbcClient jdbc;
    private final Users users;

    public ExternalUsers(JdbcClient jdbc, Users users) {
        this.jdbc = jdbc;
        this.users = users;
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
    @Transactional
    public Optional<Stored> store(ExternalIdentity identity, Role role, @Nullable String group) {
        Optional<User> before = find(identity);
        if (before.isEmpty()) {
            try {
                jdbc.sql(
                                "insert into users (name, role, must_change_password, service_group,"
                                        + " external_issuer, external_subject) values (?, ?, false, ?, ?, ?)")
                        .param(identity.name())
                        .param(role.text())
                        .param(group)
                        .param(identity.issuer())
                        .param(identity.subject())
                        .update();
                return find(identity).map(user -> new Stored(user, null));
            } catch (DuplicateKeyException e) {
                // The name is another user's, or the same user logs in twice at the same time.
                before = find(identity);
            }
        }
        return before.map(user -> update(user, identity, role, group));
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
