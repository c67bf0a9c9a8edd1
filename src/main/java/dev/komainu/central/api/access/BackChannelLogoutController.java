package dev.komainu.central.api.access;

import dev.komainu.central.access.AuditOrigin;
import dev.komainu.central.access.ExternalLogin;
import dev.komainu.central.api.problem.Problem;
import dev.komainu.central.api.problem.ProblemException;
import dev.komainu.central.oidc.LogoutNotice;
import dev.komainu.central.oidc.OpenIdAccess;
import dev.komainu.central.oidc.OpenIdLogin;
import dev.komainu.central.oidc.ProviderAwayException;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The end of sessions by the OpenID provider itself (OpenID Connect Back-Channel Logout 1.0). The
 * request has no login: the provider's signature on its token is checked.
 */
@RestController
class BackChannelLogoutController {

    private static final String FIELD = "logout_token=";

    private final OpenIdAccess access;
    private final ExternalLogin external;

    BackChannelLogoutController(OpenIdAccess access, ExternalLogin external) {
        this.access = access;
        this.external = external;
    }

    @PostMapping(
            path = "/api/v1/session/oidc/back-channel-logout",
            consumes = MediaType.APPLICATION_FORM_URLENCODED_VALUE)
    ResponseEntity<Void> logout(HttpServletRequest request) throws IOException {
        OpenIdLogin login = access.login().orElseThrow(OpenIdController::off);
        Optional<LogoutNotice> notice = check(login, token(request));
        boolean carriedOut = notice.isPresent()
                && external.end(
                        notice.get().issuer(),
                        notice.get().subject(),
                        notice.get().sid(),
                        notice.get().id(),
                        notice.get().until(),
                        new AuditOrigin(request.getRemoteAddr(), request.getHeader("User-Agent")));
        if (!carriedOut) {
            throw new ProblemException(Problem.of(
                    400,
                    "invalid-logout-token",
                    "The logout token is not valid",
                    "logout_token: absent, not valid here, or used before (expected: a new logout token of the"
                            + " provider for this service)"));
        }
        return ResponseEntity.ok().build();
    }

    private static Optional<LogoutNotice> check(OpenIdLogin login, String token) {
        try {
            return login.checkLogout(token);
        } catch (ProviderAwayException e) {
            throw new ProblemException(Problem.of(
                    503,
                    "provider-away",
                    "The OpenID provider does not respond",
                    "Its keys are needed to check the logout token"));
        }
    }

    /**
     * Returns the token in the form; empty when it has none. Tomcat parses no forms here: bodies
     * are read through the limits of {@code RequestBodyFilter} only.
     */
    private static String token(HttpServletRequest request) throws IOException {
        String form = new String(request.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        for (String field : form.split("&", -1)) {
            if (field.startsWith(FIELD)) {
                return decoded(field.substring(FIELD.length()));
            }
        }
        return "";
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return "";
        }
    }
}
