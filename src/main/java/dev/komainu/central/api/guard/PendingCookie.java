package dev.komainu.central.api.guard;

import dev.komainu.central.access.PendingLogins;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.Optional;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseCookie;
import org.springframework.stereotype.Component;

/**
 * The cookie that binds a pending login to its browser. It is sent to the routes of the login only,
 * and opens nothing without the code.
 */
@Component
public class PendingCookie {

    public static final String NAME = "KOMAINU_PENDING";

    private final GuardSettings settings;

    public PendingCookie(GuardSettings settings) {
        this.settings = settings;
    }

    /** Returns the secret of the request's pending login. */
    public Optional<String> read(HttpServletRequest request) {
        return SessionCookie.value(request, NAME).filter(secret -> !secret.isEmpty());
    }

    public void set(HttpServletRequest request, HttpServletResponse response, String secret) {
        add(request, response, secret, PendingLogins.LIFE);
    }

    /** Removes the cookie of a browser that has one. */
    public void clear(HttpServletRequest request, HttpServletResponse response) {
        if (read(request).isPresent()) {
            add(request, response, "", Duration.ZERO);
        }
    }

    private void add(
            HttpServletRequest request, HttpServletResponse response, String value, Duration life) {
        response.addHeader(
                HttpHeaders.SET_COOKIE,
                ResponseCookie.from(NAME, value)
                        .path("/api/v1/session")
                        .httpOnly(true)
                        .sameSite("Strict")
                        .secure(settings.secureCookie() || request.isSecure())
                        .maxAge(life)
                        .build()
                        .toString());
    }
}
