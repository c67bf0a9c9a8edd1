package dev.komainu.central.oidc;

import dev.komainu.central.access.Role;
import org.jspecify.annotations.Nullable;

/**
 * The rights that a user's groups at the provider give.
 *
 * @param group selector of the services that the user may change; absent: all
 */
public record GrantedRole(Role role, @Nullable String group) {}
