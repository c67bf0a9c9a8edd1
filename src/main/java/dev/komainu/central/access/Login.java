package dev.komainu.central.access;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * The login of users: takes name and password, returns a session. Any thread; one attempt waits for
 * {@link PasswordHashing}, about 60 ms when no other does.
 */
@Component
public class Login {

    private static final Logger log = LoggerFactory.getLogger(Login.class);

    private final Users users;
    private final Sessions sessions;
    private final PasswordHashing hashing;
    private final LoginThrottle throttle;
    private final KnownBrowsers browsers;
    private final SecondFactors factors;
    private final PendingLogins pending;
    private final Audit audit;
    private final AccessSettings settings;
    private final LocalLogins localLogins;
    private final Clock clock;

    /**
     * Hash to compare with when the name is unknown, so that the response takes as long as for a
     * known name.
     */
    private final String dummyHash;

    public Login(
            Users users,
            Sessions sessions,
            PasswordHashing hashing,
            LoginThrottle throttle,
            KnownBrowsers browsers,
            SecondFactors factors,
            PendingLogins pending,
            Audit audit,
            AccessSettings settings,
            LocalLogins localLogins,
            Clock clock) {
        this.users = users;
        this.sessions = sessions;
        this.hashing = hashing;
        this.throttle = throttle;
        this.browsers = browsers;
        this.factors = factors;
        this.pending = pending;
        this.audit = audit;
        this.settings = settings;
        this.localLogins = localLogins;
        this.clock = clock;
        this.dummyHash = hashing.encode(Secrets.random());
    }

    /** The outcome of an attempt. */
    public sealed interface Outcome {
        /**
         * The session is open.
         *
         * @param mark value by which the browser is known from now on
         */
        record LoggedIn(Sessions.Opened opened, String mark) implements Outcome {}

        /** The password is right; {@link SecondStep} takes the code. */
        record CodeNeeded(PendingLogins.Opened pending) implements Outcome {}

        /** Wrong name or wrong password; the caller does not learn which. */
        record Refused() implements Outcome {}

        /** The right one-time password, too late. */
        record Expired() implements Outcome {}

        /** Too many failures; the password was not checked. */
        record Throttled(Duration after) implements Outcome {}
    }

    /** The outcome of a check of the password in a session. */
    public sealed interface Check {
        record Right() implements Check {}

        record Wrong() implements Check {}

        /** The password is right; the user has a second factor, and no code was given. */
        record CodeNeeded() implements Check {}

        /** The password is right, and the code was not accepted. */
        record CodeRefused(SecondFactors.Check check) implements Check {}

        /** Too many failures in this session; the password was not checked. */
        record Throttled(Duration after) implements Check {}
    }

    /**
     * Checks name and password and opens a session. Writes an audit entry.
     *
     * @param mark the browser's mark of an earlier login
     * @throws HashingBusyException when too many checks wait
     */
    public Outcome attempt(
            String name, String password, AuditOrigin origin, @Nullable String mark) {
        LoginThrottle.Admission admission =
                throttle.admit(name, origin.address(), browsers.find(name, mark).orElse(null));
        return switch (admission) {
            case LoginThrottle.Admission.Wait wait -> new Outcome.Throttled(wait.after());
            case LoginThrottle.Admission.Admitted admitted ->
                check(name, password, origin, admitted);
        };
    }

    private Outcome check(
            String name,
            String password,
            AuditOrigin origin,
            LoginThrottle.Admission.Admitted admitted) {
        Optional<Users.Password> stored = users.password(name);
        boolean same = matches(
                        admitted,
                        admitted.browser() == null
                                ? PasswordHashing.Party.STRANGER
                                : PasswordHashing.Party.KNOWN,
                        password,
                        stored)
                && stored.isPresent();
        if (!same) {
            audit.write(origin, auditName(name), "login", null, "refused", null, null);
            return new Outcome.Refused();
        }
        boolean codeNeeded = factors.isSetUp(name);
        if (codeNeeded) {
            // Earlier failures remain: otherwise the right password would allow any number of
            // codes.
            throttle.cancelled(admitted);
        } else {
            throttle.succeeded(admitted);
        }
        Instant until = stored.orElseThrow().until();
        if (until != null && !until.isAfter(clock.instant())) {
            audit.write(origin, name, "login", null, "refused", null, "one-time password expired");
            return new Outcome.Expired();
        }
        if (users.find(name).filter(localLogins::admit).isEmpty()) {
            audit.write(origin, name, "login", null, "refused", null, "local logins are off");
            return new Outcome.Refused();
        }
        if (codeNeeded) {
            audit.write(origin, name, "login.password", null, "done", null, "a code must follow");
            return new Outcome.CodeNeeded(pending.open(name));
        }
        users.loggedIn(name);
        audit.write(origin, name, "login", null, "done", null, null);
        return users.find(name)
                .<Outcome>map(user ->
                        new Outcome.LoggedIn(sessions.open(user, origin), browsers.issue(name)))
                .orElseGet(Outcome.Refused::new);
    }

    /**
     * Changes the password and ends all other sessions of the user.
     *
     * @throws HashingBusyException when too many checks wait
     */
    public Check changePassword(Session session, String current, String next, AuditOrigin origin) {
        Check check = check(session, current, Check.Right::new);
        if (check instanceof Check.Right) {
            users.setPassword(session.user().name(), next);
            sessions.closeOthers(session);
            deleteOneTimeFiles(session.user().name(), current);
        }
        write(session, "password.change", check, origin);
        return check;
    }

    /**
     * Checks the password of a session's user, and the code of a user with a second factor. The
     * session is then confirmed for five minutes.
     *
     * @throws HashingBusyException when too many checks wait
     */
    public Check confirm(
            Session session, String password, @Nullable String code, AuditOrigin origin) {
        Check check = check(session, password, () -> checkCode(session.user().name(), code));
        if (check instanceof Check.Right) {
            sessions.confirmed(session);
        }
        write(session, "session.confirm", check, origin);
        return check;
    }

    /**
     * Checks the password of a session's user, then what else is asked.
     *
     * @param further called when the password is right; its failure counts as a wrong password does
     */
    private Check check(Session session, String password, Supplier<Check> further) {
        return switch (throttle.admit(session)) {
            case LoginThrottle.Admission.Wait wait -> new Check.Throttled(wait.after());
            case LoginThrottle.Admission.Admitted admitted -> {
                Optional<Users.Password> stored = users.password(session.user().name());
                if (!matches(admitted, PasswordHashing.Party.KNOWN, password, stored)
                        || stored.isEmpty()) {
                    yield new Check.Wrong();
                }
                Check whole = further.get();
                if (whole instanceof Check.Right) {
                    throttle.succeeded(admitted);
                } else if (whole instanceof Check.CodeNeeded) {
                    throttle.cancelled(admitted);
                }
                yield whole;
            }
        };
    }

    private Check checkCode(String user, @Nullable String code) {
        if (!factors.isSetUp(user)) {
            return new Check.Right();
        }
        if (code == null || code.isBlank()) {
            return new Check.CodeNeeded();
        }
        SecondFactors.Check check = factors.check(user, code);
        return check.isRight() ? new Check.Right() : new Check.CodeRefused(check);
    }

    private boolean matches(
            LoginThrottle.Admission.Admitted admitted,
            PasswordHashing.Party party,
            String password,
            Optional<Users.Password> stored) {
        if (password.getBytes(StandardCharsets.UTF_8).length > Users.MOST_PASSWORD_BYTES) {
            return false;
        }
        try {
            return hashing.matches(
                    party, password, stored.map(Users.Password::hash).orElse(dummyHash));
        } catch (HashingBusyException e) {
            throttle.cancelled(admitted);
            throw e;
        }
    }

    private void write(Session session, String action, Check check, AuditOrigin origin) {
        if (!(check instanceof Check.Throttled || check instanceof Check.CodeNeeded)) {
            String name = session.user().name();
            String outcome = check instanceof Check.Right ? "done" : "refused";
            String after =
                    check instanceof Check.CodeRefused refused ? refused.check().text() : null;
            audit.write(origin, name, action, name, outcome, null, after);
        }
    }

    public void logout(Session session, AuditOrigin origin) {
        sessions.close(session);
        audit.write(origin, session.user().name(), "logout", null, "done", null, null);
    }

    /**
     * Deletes the files with this user's one-time password if it is the replaced one, since it no
     * longer works.
     */
    private void deleteOneTimeFiles(String name, String password) {
        for (Path file : new Path[] {settings.firstPassword(), settings.resets().resolve(name)}) {
            try {
                if (SecretFile.read(file)
                        .filter(secret -> Secrets.same(secret, password))
                        .isPresent()) {
                    Files.delete(file);
                }
            } catch (IOException | UncheckedIOException e) {
                log.warn(
                        "{}: cannot be deleted ({}); the password in it no longer works",
                        file,
                        e.toString());
            }
        }
    }

    /**
     * Returns the name for the audit log. Users sometimes type a password into the name field, so a
     * text that is not a valid name is not stored.
     */
    private static String auditName(String name) {
        return name.matches(Users.NAME) ? name : "(not a name)";
    }
}
