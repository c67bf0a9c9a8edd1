package dev.komainu.central.access;

/**
 * A browser's login.
 *
 * @param key hash of the cookie's secret; the secret itself is not kept
 * @param user whose
 * @param csrfToken what writes must bring in {@code X-CSRF-ApiToken}
 */
public record Session(String key, User user, String csrfToken) {}
