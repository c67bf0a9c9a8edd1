/**
 * The login of people at an OpenID provider: the way to the provider and back, the check of what it
 * sends, and the roles of its groups.
 *
 * <p>In: a browser's request for a login, the provider's answer to it, and its logout tokens. Out:
 * an address at the provider, a checked identity with role and group, or a reason for a refusal.
 * Sessions and users are in {@link dev.komainu.central.access}; this package stores nothing and
 * opens no session. Thread: the request's; a call to the provider lasts at most ten seconds.
 *
 * <p>Start at {@link dev.komainu.central.oidc.OpenIdLogin}.
 *
 * <p>Decision: docs/decisions/0113-people-by-oidc.md
 */
@NullMarked
package dev.komainu.central.oidc;

import org.jspecify.annotations.NullMarked;
