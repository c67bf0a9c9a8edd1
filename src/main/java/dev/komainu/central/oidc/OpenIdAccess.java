package dev.komainu.central.oidc;

import java.util.Optional;

/**
 * The login at a provider, as far as the settings name one.
 *
 * @param login empty when there are local users only
 */
public record OpenIdAccess(OpenIdSettings settings, Optional<OpenIdLogin> login) {}
