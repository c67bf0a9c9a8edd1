package dev.komainu.central.api.guard;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseCookie;
import org.springframework.stereotype.Component;

/**
 * The cookie that binds a login at the OpenID provider to the browser that began it. It is
 * {@code SameSite=Lax}, because the provider's page sends the browser back, and it is sent to the
 * routes of this login only.
 */
@Component
public class OpenIdCookie {

    public static final String NAME = "KOMAINU_OPENID";

    private static final String PATH = "/api/v1/session/oidc";

    private final GuardSettings settings;

    public OpenIdCookie(GuardSettings settings) {
        this.settings = settings;
    }

    /** Returns the begun login of the request's browser; absent without one. */
    public @Nullable String read(HttpServletRequest request) {
        return SessionCookie.value(request, NAME).orElse(null);
    }

    public void set(
            HttpServletRequest request, HttpServletResponse response, String value, Duration life) {
        write(request, response, value, life);
    }

    public void clear(HttpServletRequest request, HttpServletResponse response) {
        write(request, response, "", Duration.ZERO);
    }

    private void write(
            HttpServletRequest request, HttpServletResponse response, String value, Duration life) {
        response.addHeader(
                HttpHeaders.SET_COOKIE,
                ResponseCookie.from(NAME, value)
                        .path(PATH)
                        .httpOnly(true)
                        .sameSite("Lax")
                        .secure(settings.secureCookie() || request.isSecure())
                        .maxAge(life)
                        .build()
                        .toString());
    }
}
