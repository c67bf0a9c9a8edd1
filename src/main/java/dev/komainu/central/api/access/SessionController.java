package dev.komainu.central.api.access;

import dev.komainu.central.access.AuditOrigin;
import dev.komainu.central.access.Caller;
import dev.komainu.central.access.KnownBrowsers;
import dev.komainu.central.access.Login;
import dev.komainu.central.access.PasswordRules;
import dev.komainu.central.access.PendingLogins;
import dev.komainu.central.access.Session;
import dev.komainu.central.access.User;
import dev.komainu.central.api.guard.BrowserCookie;
import dev.komainu.central.api.guard.PendingCookie;
import dev.komainu.central.api.guard.SessionCookie;
import dev.komainu.central.api.problem.BodyChecks;
import dev.komainu.central.api.problem.Problem;
import dev.komainu.central.api.problem.ProblemException;
import dev.komainu.central.oidc.OpenIdAccess;
import dev.komainu.central.oidc.OpenIdLogin;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Clock;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
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

    private final Login login;
    private final PendingLogins pendingLogins;
    private final SessionViews views;
    private final SessionCookie cookie;
    private final BrowserCookie browser;
    private final PendingCookie pending;
    private final OpenIdAccess openId;
    private final Clock clock;

    SessionController(
            Login login,
            PendingLogins pendingLogins,
            SessionViews views,
            SessionCookie cookie,
            BrowserCookie browser,
            PendingCookie pending,
            OpenIdAccess openId,
            Clock clock) {
        this.login = login;
        this.pendingLogins = pendingLogins;
        this.views = views;
        this.cookie = cookie;
        this.browser = browser;
        this.pending = pending;
        this.openId = openId;
        this.clock = clock;
    }

    record Credentials(@Nullable String name, @Nullable String password) {}

    record Confirmation(@Nullable String password, @Nullable String code) {}

    record PasswordChange(
            @Nullable String currentPassword, @Nullable String newPassword) {}

    /** The address at which the browser ends its session at the OpenID provider, too. */
    record LoggedOut(String location) {}

    @GetMapping("/api/v1/session")
    SessionView current(
            @AuthenticationPrincipal @Nullable Caller caller, HttpServletRequest request) {
        Session session = caller == null ? null : caller.session();
        return session != null
                ? views.of(session)
                : pending.read(request)
                        .flatMap(pendingLogins::find)
                        .map(login -> views.pending(login.until()))
                        .orElseGet(views::none);
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
                Objects.requireNonNull(name),
                Objects.requireNonNull(password),
                origin,
                browser.read(request))) {
            case Login.Outcome.LoggedIn loggedIn -> {
                cookie.set(request, response, loggedIn.opened().secret());
                browser.set(request, response, loggedIn.mark(), KnownBrowsers.LIFE);
                pending.clear(request, response); // of another user
                yield views.of(loggedIn.opened().session());
            }
            case Login.Outcome.CodeNeeded needed -> {
                pending.set(request, response, needed.pending().secret());
                yield views.pending(needed.pending().until());
            }
            case Login.Outcome.Refused refused ->
                throw new ProblemException(Problem.of(
                        401,
                        "login-refused",
                        "Login refused",
                        "The name or the password is wrong"));
            case Login.Outcome.Expired expired ->
                throw new ProblemException(Problem.of(
                        401,
                        "one-time-password-expired",
                        "The one-time password has expired",
                        "A new one: from an administrator (Settings, Users, Reset password), or on the"
                                + " server with ./komainu reset-password " + name));
            case Login.Outcome.Throttled throttled ->
                throw PasswordChecks.tooMany(throttled.after());
        };
    }

    /** Ends the session. The answer to an external user may have the provider's address. */
    @DeleteMapping("/api/v1/session")
    ResponseEntity<LoggedOut> logout(
            @AuthenticationPrincipal Caller caller,
            HttpServletRequest request,
            HttpServletResponse response) {
        Session session = PasswordChecks.session(caller);
        login.logout(session, caller.origin());
        cookie.clear(request, response);
        return Optional.of(session.user())
                .filter(User::external)
                .flatMap(user -> openId.login())
                .flatMap(OpenIdLogin::logoutAddress)
                .map(address -> ResponseEntity.ok(new LoggedOut(address.toString())))
                .orElseGet(() -> ResponseEntity.noContent().build());
    }

    @PutMapping("/api/v1/session/password")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void changePassword(
            @AuthenticationPrincipal Caller caller, @RequestBody PasswordChange change) {
        String current = Objects.requireNonNullElse(change.currentPassword(), "");
        String next = Objects.requireNonNullElse(change.newPassword(), "");
        Session session = PasswordChecks.localSession(caller);
        Optional<String> fault = PasswordRules.fault(next, session.user().name());
        new BodyChecks()
                .secret(!current.isEmpty(), "currentPassword", "the present password")
                .secret(fault.isEmpty(), "newPassword", fault.orElse(""))
                .secret(
                        !next.equals(current),
                        "newPassword",
                        "a password other than the present one")
                .orRefuse();
        PasswordChecks.orRefuse(
                login.changePassword(session, current, next, caller.origin()),
                "currentPassword",
                clock.instant());
    }

    /**
     * Checks the password again, and the code of a user with a second factor, for actions that need
     * them within the last five minutes.
     */
    @PutMapping("/api/v1/session/confirmation")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void confirm(@AuthenticationPrincipal Caller caller, @RequestBody Confirmation confirmation) {
        String password = Objects.requireNonNullElse(confirmation.password(), "");
        new BodyChecks()
                .secret(!password.isEmpty(), "password", "the present password")
                .orRefuse();
        PasswordChecks.orRefuse(
                login.confirm(
                        PasswordChecks.localSession(caller),
                        password,
                        confirmation.code(),
                        caller.origin()),
                "password",
                clock.instant());
    }
}
