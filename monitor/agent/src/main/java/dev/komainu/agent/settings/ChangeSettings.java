package dev.komainu.agent.settings;

import java.security.PublicKey;
import org.jspecify.annotations.Nullable;

/**
 * Whether this agent carries out signed orders of the central service.
 *
 * @param allowed false: what comes is left aside, counted
 * @param key the central service's public key; absent: the one met first is kept (only where nobody can stand between)
 */
public record ChangeSettings(boolean allowed, @Nullable PublicKey key) {

    public static final ChangeSettings NONE = new ChangeSettings(false, null);
}
