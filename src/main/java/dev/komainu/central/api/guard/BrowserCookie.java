package dev.komainu.central.api.guard;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseCookie;
import org.springframework.stereotype.Component;

/**
 * The cookie that marks a browser as logged in before. It is sent to the route of the login only,
 * and a logout does not clear it.
 */
@Component
public class BrowserCookie {

    public static final String NAME = "KOMAINU_BROWSER";

    private final GuardSettings settings;

    public BrowserCookie(GuardSettings settings) {
        this.settings = settings;
    }

    /** Returns the mark of the request's browser; absent without one. */
    public @Nullable String read(HttpServletRequest request) {
        return SessionCookie.value(request, NAME).orElse(null);
    }

    public void set(
            HttpServletRequest request, HttpServletResponse response, String mark, Duration life) {
        response.addHeader(
                HttpHeaders.SET_COOKIE,
                ResponseCookie.from(NAME, mark)
                        .path("/api/v1/session")
                        .httpOnly(true)
                        .sameSite("Strict")
                        .secure(settings.secureCookie() || request.isSecure())
                        .maxAge(life)
                        .build()
                        .toString());
    }
}
