/**
 * Authentication and authorization: users with roles, sessions, tokens with scopes, and the audit
 * log.
 *
 * <p>In: names, passwords and secrets from requests; identities that an OpenID provider confirmed
 * and {@code central.oidc} checked. Out: a {@link dev.komainu.central.access.Caller} with its
 * scopes, or a refusal; and a row in the audit log for every action that changes something. Secrets
 * are stored as hashes, those of second factors encrypted. Any thread; all state except the
 * throttle is in the database. This package does not use HTTP: the guard in {@code api} translates.
 *
 * <p>Start at {@link dev.komainu.central.access.Login},
 * {@link dev.komainu.central.access.SecondStep} and {@link dev.komainu.central.access.ApiTokens}.
 *
 * <p>Decisions: docs/decisions/0003-sessions-and-scopes.md, docs/decisions/0114-second-factor.md
 */
@NullMarked
package dev.komainu.central.access;

import org.jspecify.annotations.NullMarked;
