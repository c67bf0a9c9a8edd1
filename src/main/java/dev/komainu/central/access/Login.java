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
 * The door for people: name and password in, session out. Any thread; one attempt costs about 60 ms
 * of CPU.
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
     * Compared with when the name is unknown, so that the answer takes as long as for a known one.
     */
    private final String nobodysHash;

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
        this.nobodysHash = encoder.encode(Secrets.random());
    }

    /** The outcome of an attempt. */
    public sealed interface Outcome {
        record In(Sessions.Opened opened) implements Outcome {}

        /** Wrong name or wrong password; which one is not told. */
        record Refused() implements Outcome {}

        /** Too many failures; the password was not looked at. */
        record Later(Duration after) implements Outcome {}
    }

    public Outcome attempt(String name, String password, AuditOrigin origin) {
        Optional<Duration> wait = throttle.delay(name, origin.address());
        if (wait.isPresent()) {
            return new Outcome.Later(wait.get());
        }
        Optional<String> hash = users.passwordHash(name);
        boolean right = !tooLong(password)
                && encoder.matches(password, hash.orElse(nobodysHash))
                && hash.isPresent();
        if (!right) {
            throttle.failed(name, origin.address());
            audit.write(origin, shown(name), "login", null, "refused", null, null);
            return new Outcome.Refused();
        }
        throttle.succeeded(name, origin.address());
        users.loggedIn(name);
        audit.write(origin, name, "login", null, "done", null, null);
        return new Outcome.In(sessions.open(users.find(name).orElseThrow()));
    }

    /**
     * True when {@code current} was right and the password is now {@code next}; all other sessions
     * then end.
     */
    public boolean changePassword(
            Session session, String current, String next, AuditOrigin origin) {
        String name = session.user().name();
        boolean right = throttle.delay(name, origin.address()).isEmpty()
                && !tooLong(current)
                && encoder.matches(current, users.passwordHash(name).orElse(nobodysHash));
        if (right) {
            users.setPassword(name, next);
            sessions.closeOthers(session);
            forgetFirstPassword(current);
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

    /** The file of the first start has served; left lying, it would only mislead. */
    private void forgetFirstPassword(String password) {
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

    /** People type passwords into the name field: a name that cannot be one is not written down. */
    private static String shown(String name) {
        return name.matches(Users.NAME) ? name : "(not a name)";
    }
}
