package dev.komainu.central.oidc;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A login between its begin and the provider's answer.
 *
 * @param state value that the answer must repeat
 * @param nonce value whose hash the ID token must contain
 * @param verifier secret of PKCE (RFC 7636)
 * @param begun instant at which the browser was sent to the provider
 * @param next page of the console to show afterwards
 * @param sessionKey key of the session whose user logs in again; absent: a new session is opened
 */
record BegunLogin(
        String state,
        String nonce,
        String verifier,
        Instant begun,
        String next,
        @Nullable String sessionKey) {}
