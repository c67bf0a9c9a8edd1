package dev.komainu.central.api.access;

import dev.komainu.central.access.Caller;
import dev.komainu.central.access.HashingBusyException;
import dev.komainu.central.access.Login;
import dev.komainu.central.access.Session;
import dev.komainu.central.access.Sessions;
import dev.komainu.central.api.problem.BodyChecks;
import dev.komainu.central.api.problem.Problem;
import dev.komainu.central.api.problem.ProblemException;
import dev.komainu.central.api.problem.ProblemWriter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** The answers to checks of passwords: wrong, too many, busy, or needed again. */
@RestControllerAdvice
public class PasswordChecks {

    private final Sessions sessions;
    private final ProblemWriter writer;

    PasswordChecks(Sessions sessions, ProblemWriter writer) {
        this.sessions = sessions;
        this.writer = writer;
    }

    /**
     * Refuses a caller whose session has not given the password within the last five minutes.
     *
     * @throws ProblemException 403 {@code password-required}
     */
    public void requireConfirmed(Caller caller) {
        if (!sessions.isConfirmed(session(caller))) {
            throw new ProblemException(Problem.of(
                    403,
                    "password-required",
                    "Give the password again",
                    session(caller).user().external()
                            ? "The last login at the provider for this was more than 5 minutes ago; open"
                                    + " /api/v1/session/oidc/confirmation in the browser, then repeat the request"
                            : "The password was checked more than 5 minutes ago; send it with PUT"
                                    + " /api/v1/session/confirmation, with the code of a second factor, then repeat"
                                    + " the request"));
        }
    }

    /**
     * Refuses when the password in {@code field} was not the right one, or the code.
     *
     * @param now the service's clock
     * @throws ProblemException 400 or 429
     */
    static void orRefuse(Login.Check check, String field, Instant now) {
        switch (check) {
            case Login.Check.Right right -> {}
            case Login.Check.Wrong wrong ->
                new BodyChecks().secret(false, field, "the present password").orRefuse();
            case Login.Check.CodeNeeded needed ->
                new BodyChecks()
                        .secret(false, "code", "a code of the authenticator, or a recovery code")
                        .orRefuse();
            case Login.Check.CodeRefused refused ->
                throw new ProblemException(CodeProblems.of(400, refused.check(), now));
            case Login.Check.Throttled throttled -> throw tooMany(throttled.after());
        }
    }

    static ProblemException tooMany(Duration after) {
        return new ProblemException(
                Problem.of(
                        429,
                        "too-many-attempts",
                        "Too many failed logins",
                        "Try again in " + (after.toSeconds() + 1) + " seconds"),
                after);
    }

    /**
     * Returns the session of a local user.
     *
     * @throws ProblemException 409 for an external user, who has no password here
     */
    static Session localSession(Caller caller) {
        Session session = session(caller);
        if (session.user().external()) {
            throw externalUser(session.user().name());
        }
        return session;
    }

    static ProblemException externalUser(String name) {
        return new ProblemException(
                Problem.conflict(
                        "external-user",
                        "user: " + name
                                + " (its password, role and group are at the OpenID provider; expected: a change there)"));
    }

    static Session session(Caller caller) {
        return Objects.requireNonNull(caller.session(), "The route requires a session");
    }

    @ExceptionHandler
    void busy(HashingBusyException e, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        writer.write(
                request,
                response,
                Problem.of(503, "login-busy", "Too many password checks", e.getMessage()),
                HashingBusyException.RETRY_AFTER);
    }
}
