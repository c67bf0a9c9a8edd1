/**
 * Sessions, users, tokens and the audit log over REST: {@code /session}, {@code /users},
 * {@code /tokens}, {@code /audit}.
 *
 * <p>In: requests the guard let through. Out: views of users and tokens, never a password or a key
 * twice. Thread: the request's.
 *
 * <p>Start at {@link dev.komainu.central.api.access.SessionController}.
 */
@NullMarked
package dev.komainu.central.api.access;

import org.jspecify.annotations.NullMarked;
