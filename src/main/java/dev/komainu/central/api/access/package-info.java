/**
 * Sessions, users, tokens and the audit log over REST: {@code /session}, {@code /users},
 * {@code /tokens}, {@code /audit}; the way to the OpenID provider and back.
 *
 * <p>In: requests that passed the guard. Out: views of users and tokens; a password or token is
 * returned only once. Thread: the request's.
 *
 * <p>Start at {@link dev.komainu.central.api.access.SessionController}.
 */
@NullMarked
package dev.komainu.central.api.access;

import org.jspecify.annotations.NullMarked;
