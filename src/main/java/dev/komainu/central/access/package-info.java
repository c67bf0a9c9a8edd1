/**
 * Who may do what, and who did it: users with roles, sessions, scoped tokens, and the audit log.
 *
 * <p>In: names, passwords, secrets as they came from outside. Out: a
 * {@link dev.komainu.central.access.Caller} with its scopes, or nobody; and a row in the audit log
 * for everything that matters. Secrets are kept as hashes only. Any thread; state lies in the
 * database except the throttle. Knows nothing of HTTP: the guard in {@code api} translates.
 *
 * <p>Start at {@link dev.komainu.central.access.Login} and
 * {@link dev.komainu.central.access.ApiTokens}.
 *
 * <p>Decision: docs/decisions/0003-sessions-and-scopes.md
 */
@NullMarked
package dev.komainu.central.access;

import org.jspecify.annotations.NullMarked;
