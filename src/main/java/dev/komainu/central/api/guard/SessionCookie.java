package dev.komainu.central.api.guard;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Arrays;
import java.util.Optional;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseCookie;
import org.springframework.stereotype.Component;

/**
 * The session cookie of a browser: not readable by scripts, never sent with requests from other
 * sites.
 */
@Component
public class SessionCookie {

    public static final String NAME = "KOMAINU_SESSION";

    private final GuardSettings settings;

    public SessionCookie(GuardSettings settings) {
        this.settings = settings;
    }

    Optional<String> read(HttpServletRequest request) {
        return value(request, NAME);
    }

    static Optional<String> value(HttpServletRequest request, String name) {
        Cookie[] cookies = request.getCookies();
        return cookies == null
                ? Optional.empty()
                : Arrays.stream(cookies)
                        .filter(cookie -> cookie.getName().equals(name))
                        .map(Cookie::getValue)
                        .findFirst();
    }

    public void set(HttpServletRequest request, HttpServletResponse response, String secret) {
        response.addHeader(HttpHeaders.SET_COOKIE, cookie(request, secret, -1).toString());
    }

    public void clear(HttpServletRequest request, HttpServletResponse response) {
        response.addHeader(HttpHeaders.SET_COOKIE, cookie(request, "", 0).toString());
    }

    private ResponseCookie cookie(HttpServletRequest request, String value, long maxAgeSeconds) {
        return ResponseCookie.from(NAME, value)
                .path("/")
                .httpOnly(true)
                .sameSite("Strict")
                .secure(settings.secureCookie() || request.isSecure())
                .maxAge(maxAgeSeconds)
                .build();
    }
}
