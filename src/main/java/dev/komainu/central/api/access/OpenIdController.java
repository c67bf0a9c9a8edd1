package dev.komainu.central.api.access;

import dev.komainu.central.access.AuditOrigin;
import dev.komainu.central.access.Caller;
import dev.komainu.central.access.ExternalIdentity;
import dev.komainu.central.access.ExternalLogin;
import dev.komainu.central.access.Session;
import dev.komainu.central.access.Sessions;
import dev.komainu.central.api.guard.OpenIdCookie;
import dev.komainu.central.api.guard.SessionCookie;
import dev.komainu.central.api.problem.Problem;
import dev.komainu.central.api.problem.ProblemException;
import dev.komainu.central.oidc.GrantedRole;
import dev.komainu.central.oidc.LoginRefusal;
import dev.komainu.central.oidc.LoginRefusedException;
import dev.komainu.central.oidc.OpenIdAccess;
import dev.komainu.central.oidc.OpenIdLogin;
import dev.komainu.central.oidc.OpenIdSettings;
import dev.komainu.central.oidc.ProviderAwayException;
import dev.komainu.central.oidc.VerifiedLogin;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.URI;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * The way of a browser to the OpenID provider and back. Browsers come here by links, not by the
 * console's code, so a refusal is an address of the console that has a text for the reason.
 */
@RestController
class OpenIdController {

    private final OpenIdAccess access;
    private final ExternalLogin external;
    private final OpenIdCookie pending;
    private final SessionCookie cookie;

    OpenIdController(
            OpenIdAccess access,
            ExternalLogin external,
            OpenIdCookie pending,
            SessionCookie cookie) {
        this.access = access;
        this.external = external;
        this.pending = pending;
        this.cookie = cookie;
    }

    /** Sends a browser to the provider. */
    @GetMapping(OpenIdSettings.BEGIN)
    ResponseEntity<Void> begin(
            @RequestParam(required = false) @Nullable String next,
            HttpServletRequest request,
            HttpServletResponse response) {
        OpenIdLogin login = login();
        try {
            return toProvider(login.begin(next), request, response);
        } catch (ProviderAwayException e) {
            return refused(LoginRefusal.PROVIDER_AWAY, false);
        }
    }

    /** Sends the browser of a session to the provider, which asks its user to log in again. */
    @GetMapping("/api/v1/session/oidc/confirmation")
    ResponseEntity<Void> beginAgain(
            @AuthenticationPrincipal Caller caller,
            HttpServletRequest request,
            HttpServletResponse response) {
        OpenIdLogin login = login();
        Session session = PasswordChecks.session(caller);
        if (!session.user().external()) {
            throw new ProblemException(
                    Problem.conflict(
                            "local-user",
                            "user: " + session.user().name()
                                    + " (a local one; expected: PUT /api/v1/session/confirmation with the password)"));
        }
        try {
            return toProvider(login.beginAgain(session.key()), request, response);
        } catch (ProviderAwayException e) {
            return refused(LoginRefusal.PROVIDER_AWAY, true);
        }
    }

    /** Receives the provider's answer. */
    @GetMapping(OpenIdSettings.CALLBACK)
    ResponseEntity<Void> callback(
            @RequestParam(required = false) @Nullable String state,
            @RequestParam(required = false) @Nullable String code,
            @RequestParam(required = false) @Nullable String error,
            @RequestParam(required = false) @Nullable String iss,
            HttpServletRequest request,
            HttpServletResponse response) {
        OpenIdLogin login = login();
        AuditOrigin origin =
                new AuditOrigin(request.getRemoteAddr(), request.getHeader("User-Agent"));
        Optional<OpenIdLogin.Taken> taken =
                login.take(pending.read(request), new OpenIdLogin.Answer(state, code, error, iss));
        pending.clear(request, response);
        if (taken.isEmpty()) {
            return refused(LoginRefusal.EXPIRED, false);
        }
        boolean again = taken.get().isAgain();
        if (!external.admit(origin)) {
            return refused(LoginRefusal.TOO_MANY, again);
        }
        try {
            VerifiedLogin verified = taken.get().verify();
            String key = verified.sessionKey();
            return key == null
                    ? open(verified, origin, request, response)
                    : confirm(key, verified, origin);
        } catch (LoginRefusedException e) {
            if (e.refusal() == LoginRefusal.PROVIDER_AWAY) {
                external.cancelled(origin);
            }
            return refused(e.refusal(), null, again, origin);
        }
    }

    private ResponseEntity<Void> open(
            VerifiedLogin verified,
            AuditOrigin origin,
            HttpServletRequest request,
            HttpServletResponse response) {
        ExternalIdentity identity = verified.identity();
        if (!identity.isUsable()) {
            return refused(LoginRefusal.NAME, identity, false, origin);
        }
        Optional<GrantedRole> granted = verified.role();
        if (granted.isEmpty()) {
            return refused(LoginRefusal.NO_GROUP, identity, false, origin);
        }
        Optional<Sessions.Opened> opened = external.open(
                identity,
                granted.get().role(),
                granted.get().group(),
                verified.providerSession(),
                origin);
        if (opened.isEmpty()) {
            return refused(LoginRefusal.NAME_TAKEN, identity, false, origin);
        }
        cookie.set(request, response, opened.get().secret());
        return to(page(verified.next()));
    }

    private ResponseEntity<Void> confirm(String key, VerifiedLogin verified, AuditOrigin origin) {
        return verified.isFresh() && external.confirm(key, verified.identity(), origin)
                ? to(page("/confirmed"))
                : refused(LoginRefusal.OTHER_USER, verified.identity(), true, origin);
    }

    private ResponseEntity<Void> toProvider(
            OpenIdLogin.Begun begun, HttpServletRequest request, HttpServletResponse response) {
        pending.set(request, response, begun.cookie(), begun.life());
        return to(begun.address());
    }

    private ResponseEntity<Void> refused(
            LoginRefusal refusal,
            @Nullable ExternalIdentity identity,
            boolean again,
            AuditOrigin origin) {
        external.refused(identity, refusal.text(), origin);
        return refused(refusal, again);
    }

    private ResponseEntity<Void> refused(LoginRefusal refusal, boolean again) {
        return to(page((again ? "/confirmed" : "/login") + "?refused=" + refusal.text()));
    }

    /** Returns the address of a page of the console. */
    private URI page(String path) {
        return URI.create(access.settings().address() + "/#" + path);
    }

    private static ResponseEntity<Void> to(URI address) {
        return ResponseEntity.status(HttpStatus.FOUND).location(address).build();
    }

    private OpenIdLogin login() {
        return access.login().orElseThrow(OpenIdController::off);
    }

    static ProblemException off() {
        return new ProblemException(Problem.of(
                404,
                "openid-off",
                "There is no login at a provider",
                "komainu.oidc.issuer: none (expected: the issuer of an OpenID provider)"));
    }
}
