package dev.komainu.central.api.access;

import dev.komainu.central.access.AuditOrigin;
import dev.komainu.central.access.Caller;
import dev.komainu.central.access.Login;
import dev.komainu.central.access.Session;
import dev.komainu.central.access.Users;
import dev.komainu.central.api.guard.SessionCookie;
import dev.komainu.central.api.problem.BodyChecks;
import dev.komainu.central.api.problem.Problem;
import dev.komainu.central.api.problem.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The session of a user: login, logout and password change. */
@RestController
class SessionController {

    private static final int LEAST_PASSWORD = 10;

    private final Login login;
    private final SessionCookie cookie;

    SessionController(Login login, SessionCookie cookie) {
        this.login = login;
        this.cookie = cookie;
    }

    record Credentials(@Nullable String name, @Nullable String password) {}

    record PasswordChange(
            @Nullable String currentPassword, @Nullable String newPassword) {}

    record SessionView(
            @Nullable UserView user,
            boolean mustChangePassword,
            String csrfToken,
            String version) {}

    @GetMapping("/api/v1/session")
    SessionView current(@AuthenticationPrincipal @Nullable Caller caller) {
        return view(caller == null ? null : caller.session());
    }

    @PostMapping("/api/v1/session")
    SessionView login(
            @RequestBody Credentials credentials,
            HttpServletRequest request,
            HttpServletResponse response) {
        String name = credentials.name();
        String password = credentials.password();
        new BodyChecks()
                .secret(name != null && !name.isEmpty(), "name", "a user's name")
                .secret(password != null && !password.isEmpty(), "password", "the user's password")
                .orRefuse();
        AuditOrigin origin =
                new AuditOrigin(request.getRemoteAddr(), request.getHeader("User-Agent"));
        return switch (login.attempt(
                Objects.requireNonNull(name), Objects.requireNonNull(password), origin)) {
            case Login.Outcome.LoggedIn loggedIn -> {
                cookie.set(request, response, loggedIn.opened().secret());
                yield view(loggedIn.opened().session());
            }
            case Login.Outcome.Refused refused ->
                throw new ProblemException(Problem.of(
                        401,
                        "login-refused",
                        "Login refused",
                        "The name or the password is wrong"));
            case Login.Outcome.Throttled throttled ->
                throw new ProblemException(
                        Problem.of(
                                429,
                                "too-many-attempts",
                                "Too many failed logins",
                                "Try again in " + (throttled.after().toSeconds() + 1) + " seconds"),
                        throttled.after());
        };
    }

    @DeleteMapping("/api/v1/session")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void logout(
            @AuthenticationPrincipal Caller caller,
            HttpServletRequest request,
            HttpServletResponse response) {
        login.logout(session(caller), caller.origin());
        cookie.clear(request, response);
    }

    @PutMapping("/api/v1/session/password")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void changePassword(
            @AuthenticationPrincipal Caller caller, @RequestBody PasswordChange change) {
        String current = Objects.requireNonNullElse(change.currentPassword(), "");
        String next = Objects.requireNonNullElse(change.newPassword(), "");
        int bytes = next.getBytes(StandardCharsets.UTF_8).length;
        new BodyChecks()
                .secret(!current.isEmpty(), "currentPassword", "the present password")
                .secret(
                        next.length() >= LEAST_PASSWORD && bytes <= Users.MOST_PASSWORD_BYTES,
                        "newPassword",
                        LEAST_PASSWORD + " characters to " + Users.MOST_PASSWORD_BYTES + " bytes")
                .secret(
                        !next.equals(current),
                        "newPassword",
                        "a password other than the present one")
                .secret(
                        !next.equalsIgnoreCase(session(caller).user().name()),
                        "newPassword",
                        "a password other than the user's name")
                .orRefuse();
        if (!login.changePassword(session(caller), current, next, caller.origin())) {
            new BodyChecks()
                    .secret(false, "currentPassword", "the present password")
                    .orRefuse();
        }
    }

    private static Session session(Caller caller) {
        return Objects.requireNonNull(caller.session(), "The route requires a session");
    }

    private static SessionView view(@Nullable Session session) {
        return session == null
                ? new SessionView(null, false, "", ServiceVersion.TEXT)
                : new SessionView(
                        UserView.of(session.user()),
                        session.user().mustChangePassword(),
                        session.csrfToken(),
                        ServiceVersion.TEXT);
    }
}
