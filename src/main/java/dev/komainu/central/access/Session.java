package dev.komainu.central.access;

/**
 * The session of a user in a browser.
 *
 * @param key hash of the cookie's secret; the secret itself is not stored
 * @param user owner of the session
 * @param csrfToken value that writing requests must send in {@code X-CSRF-Token}
 */
public record Session(String key, User user, String csrfToken) {}
