package dev.komainu.central.access;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * The second step of a login: takes the code of a pending login, returns a session. Any thread. A
 * wrong code counts as a failed login; five of them end the pending login.
 */
@Component
public class SecondStep {

    private final PendingLogins pending;
    private final SecondFactors factors;
    private final Users users;
    private final Sessions sessions;
    private final LoginThrottle throttle;
    private final KnownBrowsers browsers;
    private final Audit audit;

    public SecondStep(
            PendingLogins pending,
            SecondFactors factors,
            Users users,
            Sessions sessions,
            LoginThrottle throttle,
            KnownBrowsers browsers,
            Audit audit) {
        this.pending = pending;
        this.factors = factors;
        this.users = users;
        this.sessions = sessions;
        this.throttle = throttle;
        this.browsers = browsers;
        this.audit = audit;
    }

    /** The outcome of a code. */
    public sealed interface Outcome {
        /**
         * The session is open.
         *
         * @param mark value by which the browser is known from now on
         */
        record LoggedIn(Sessions.Opened opened, String mark) implements Outcome {}

        /**
         * The code was not accepted.
         *
         * @param left codes that may still be given in this login
         */
        record Refused(SecondFactors.Check check, int left) implements Outcome {}

        /** The pending login has ended, or there was none. */
        record Ended() implements Outcome {}
    }

    /**
     * Checks a code and opens a session. Writes an audit entry.
     *
     * @param secret secret of the pending login; absent without a cookie
     * @param mark the browser's mark of an earlier login
     */
    public Outcome attempt(
            @Nullable String secret, String code, AuditOrigin origin, @Nullable String mark) {
        Optional<PendingLogins.Pending> found =
                secret == null ? Optional.empty() : pending.find(secret);
        if (found.isEmpty()) {
            return new Outcome.Ended();
        }
        PendingLogins.Pending login = found.get();
        Optional<Integer> left = pending.count(login);
        if (left.isEmpty()) {
            return new Outcome.Ended();
        }
        String browser = browsers.find(login.user(), mark).orElse(null);
        SecondFactors.Check check = factors.check(login.user(), code);
        if (!check.isRight()) {
            return refused(login, check, left.get(), origin, browser);
        }
        throttle.rightCode(login.user(), origin.address(), browser);
        return pending.end(login) ? opened(login.user(), check, origin) : new Outcome.Ended();
    }

    private Outcome refused(
            PendingLogins.Pending login,
            SecondFactors.Check check,
            int left,
            AuditOrigin origin,
            @Nullable String browser) {
        throttle.wrongCode(login.user(), origin.address(), browser);
        if (left == 0) {
            pending.end(login);
        }
        audit.write(
                origin, login.user(), "login.code", null, "refused", null, auditText(check, left));
        return new Outcome.Refused(check, left);
    }

    private static String auditText(SecondFactors.Check check, int left) {
        String text = check.text();
        return left == 0 ? text + "; the login has ended" : text;
    }

    private Outcome opened(String name, SecondFactors.Check check, AuditOrigin origin) {
        Optional<User> user = users.find(name);
        if (user.isEmpty()) {
            return new Outcome.Ended();
        }
        users.loggedIn(name);
        String with = check == SecondFactors.Check.RECOVERY_CODE
                ? check.text() + ", " + factors.recoveryCodesLeft(name) + " left"
                : check.text();
        audit.write(origin, name, "login", null, "done", null, with);
        return new Outcome.LoggedIn(sessions.open(user.get(), origin), browsers.issue(name));
    }
}
