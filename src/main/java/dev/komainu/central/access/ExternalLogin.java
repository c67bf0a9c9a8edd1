package dev.komainu.central.access;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * The sessions of users that an OpenID provider has authenticated: takes an identity that was
 * checked, returns a session. Writes the audit entries. Any thread.
 */
@Component
public class ExternalLogin {

    /** Failures of one network until the next attempt must wait. */
    private static final int FREE_FAILURES = 20;

    private static final String PROVIDER = "openid-provider";

    private final ExternalUsers external;
    private final Users users;
    private final Sessions sessions;
    private final UsedLogoutTokens logoutTokens;
    private final Audit audit;
    private final Clock clock;

    /** Failed attempts of networks. Guarded by itself. */
    private final FailureCounts failures = new FailureCounts(LoginThrottle.MOST_COUNTS);

    public ExternalLogin(
            ExternalUsers external,
            Users users,
            Sessions sessions,
            UsedLogoutTokens logoutTokens,
            Audit audit,
            Clock clock) {
        this.external = external;
        this.users = users;
        this.sessions = sessions;
        this.logoutTokens = logoutTokens;
        this.audit = audit;
        this.clock = clock;
    }

    /**
     * Admits an attempt, for which the provider will be asked. It counts as a failure from now on;
     * a success and {@link #cancelled} take it back.
     *
     * @return false when the network must wait
     */
    public boolean admit(AuditOrigin origin) {
        String network = ClientNetwork.of(origin.address());
        Instant now = clock.instant();
        synchronized (failures) {
            Duration wait = failures.remaining(network, FREE_FAILURES, now);
            if (wait.isPositive()) {
                return false;
            }
            failures.add(network, now);
            return true;
        }
    }

    /** Takes the failure of an attempt back: it was not the user's. */
    public void cancelled(AuditOrigin origin) {
        synchronized (failures) {
            failures.takeBack(ClientNetwork.of(origin.address()));
        }
    }

    /**
     * Opens a session.
     *
     * @param group label selector of the services that the user may change; absent: all
     * @param providerSession id of the user's session at the provider; absent: not known
     * @return empty when the name belongs to another user
     */
    public Optional<Sessions.Opened> open(
            ExternalIdentity identity,
            Role role,
            @Nullable String group,
            @Nullable String providerSession,
            AuditOrigin origin) {
        Optional<ExternalUsers.Stored> stored = external.store(identity, role, group);
        if (stored.isEmpty()) {
            return Optional.empty();
        }
        cancelled(origin);
        User user = stored.get().user();
        tellChange(user, stored.get().before(), origin);
        users.loggedIn(user.name());
        audit.write(origin, user.name(), "login", null, "done", null, PROVIDER);
        return Optional.of(sessions.openExternal(user, origin, providerSession));
    }

    private void tellChange(User user, @Nullable User before, AuditOrigin origin) {
        String now = rights(user);
        if (before == null) {
            audit.write(origin, PROVIDER, "user.create", user.name(), "done", null, now);
        } else if (!now.equals(rights(before))) {
            String action = Objects.equals(user.role(), before.role()) ? "user.group" : "user.role";
            audit.write(origin, PROVIDER, action, user.name(), "done", rights(before), now);
        }
    }

    private static String rights(User user) {
        return user.group() == null
                ? user.role().text()
                : user.role().text() + " of " + user.group();
    }

    /**
     * Notes that a session's user logged in at the provider again. The session is then confirmed
     * for five minutes.
     *
     * @return false when the session has ended or is another user's
     */
    public boolean confirm(String sessionKey, ExternalIdentity identity, AuditOrigin origin) {
        boolean same = sessions.confirmed(sessionKey, identity);
        if (same) {
            cancelled(origin);
            audit.write(origin, name(identity), "session.confirm", null, "done", null, PROVIDER);
        }
        return same;
    }

    /**
     * Writes the audit entry of a refused login.
     *
     * @param identity the user; absent: not known
     */
    public void refused(@Nullable ExternalIdentity identity, String reason, AuditOrigin origin) {
        String name = identity == null ? "(not known)" : name(identity);
        audit.write(origin, name, "login", null, "refused", null, PROVIDER + ": " + reason);
    }

    private static String name(ExternalIdentity identity) {
        return identity.isUsable() ? identity.name() : "(not a name)";
    }

    /**
     * Ends the sessions that the provider ended.
     *
     * @param subject the user at the provider; absent: {@code providerSession} is present
     * @param providerSession id of the session at the provider; absent: all of the user
     * @param tokenId id of the provider's token
     * @param until instant from which on the token is refused for its age
     * @return false when the token was carried out before
     */
    public boolean end(
            String issuer,
            @Nullable String subject,
            @Nullable String providerSession,
            String tokenId,
            Instant until,
            AuditOrigin origin) {
        if (!logoutTokens.use(issuer, tokenId, until)) {
            return false;
        }
        List<String> owners = sessions.endExternal(issuer, subject, providerSession);
        for (String owner : owners.stream().distinct().toList()) {
            long ended = owners.stream().filter(owner::equals).count();
            audit.write(origin, PROVIDER, "session.end", owner, "done", null, ended + " sessions");
        }
        return true;
    }
}
