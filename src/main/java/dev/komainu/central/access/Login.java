package dev.komainu.central.access;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.stereotype.Component;

/**
 * The login of users: takes name and password, returns a session. Any thread; one attempt costs
 * about 60 ms of CPU.
 */
@Component
public class Login {

    private static final Logger log = LoggerFactory.getLogger(Login.class);

    private final Users users;
    private final Sessions sessions;
    private final PasswordEncoder encoder;
    private final LoginThrottle throttle;
    private final Audit audit;
    private final AccessSettings settings;

    /**
     * Hash to compare with when the name is unknown, so that the response takes as long as for a
     * known name.
     */
    private final String dummyHash;

    public Login(
            Users users,
            Sessions sessions,
            PasswordEncoder encoder,
            LoginThrottle throttle,
            Audit audit,
            AccessSettings settings) {
        this.users = users;
        this.sessions = sessions;
        this.encoder = encoder;
        this.throttle = throttle;
        this.audit = audit;
        this.settings = settings;
        this.dummyHash = encoder.encode(Secrets.random());
    }

    /** The outcome of an attempt. */
    public sealed interface Outcome {
        record LoggedIn(Sessions.Opened opened) implements Outcome {}

        /** Wrong name or wrong password; the caller does not learn which. */
        record Refused() implements Outcome {}

        /** Too many failures; the password was not checked. */
        record Throttled(Duration after) implements Outcome {}
    }

    /**
     * Checks name and password and opens a session. Takes about 60 ms of CPU; writes an audit
     * entry.
     */
    public Outcome attempt(String name, String password, AuditOrigin origin) {
        Optional<Duration> wait = throttle.delay(name, origin.address());
        if (wait.isPresent()) {
            return new Outcome.Throttled(wait.get());
        }
        Optional<String> hash = users.passwordHash(name);
        boolean right = !tooLong(password)
                && encoder.matches(password, hash.orElse(dummyHash))
                && hash.isPresent();
        if (!right) {
            throttle.failed(name, origin.address());
            audit.write(origin, auditName(name), "login", null, "refused", null, null);
            return new Outcome.Refused();
        }
        throttle.succeeded(name, origin.address());
        users.loggedIn(name);
        audit.write(origin, name, "login", null, "done", null, null);
        return new Outcome.LoggedIn(sessions.open(users.find(name).orElseThrow()));
    }

    /**
     * Changes the password and ends all other sessions of the user. Returns false when
     * {@code current} was wrong.
     */
    public boolean changePassword(
            Session session, String current, String next, AuditOrigin origin) {
        String name = session.user().name();
        boolean right = throttle.delay(name, origin.address()).isEmpty()
                && !tooLong(current)
                && encoder.matches(current, users.passwordHash(name).orElse(dummyHash));
        if (right) {
            users.setPassword(name, next);
            sessions.closeOthers(session);
            deleteFirstPassword(current);
        } else {
            throttle.failed(name, origin.address());
        }
        audit.write(origin, name, "password.change", name, right ? "done" : "refused", null, null);
        return right;
    }

    public void logout(Session session, AuditOrigin origin) {
        sessions.close(session);
        audit.write(origin, session.user().name(), "logout", null, "done", null, null);
    }

    /**
     * Deletes the file of the first start if its password is the replaced one, since it no longer
     * works.
     */
    private void deleteFirstPassword(String password) {
        Path file = settings.firstPassword();
        try {
            if (Files.isRegularFile(file)
                    && Secrets.same(Files.readString(file).strip(), password)) {
                Files.delete(file);
            }
        } catch (IOException e) {
            log.warn(
                    "{}: cannot be deleted ({}); the password in it no longer works",
                    file,
                    e.toString());
        }
    }

    private static boolean tooLong(String password) {
        return password.getBytes(StandardCharsets.UTF_8).length > Users.MOST_PASSWORD_BYTES;
    }

    /**
     * Returns the name for the audit log. Users sometimes type a password into the name field, so a
     * text that is not a valid name is not stored.
     */
    private static String auditName(String name) {
        return name.matches(Users.NAME) ? name : "(not a name)";
    }
}
