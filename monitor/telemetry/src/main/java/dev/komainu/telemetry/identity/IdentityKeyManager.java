package dev.komainu.telemetry.identity;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The key of one identity. Any thread. */
final class IdentityKeyManager extends PartKeyManager {

    private static final String ALIAS = "identity";
    private static final String KEY_TYPE = "EC";

    private final Identity identity;

    IdentityKeyManager(Identity identity) {
        this.identity = identity;
    }

    @Override
    @Nullable
    String alias(String... keyTypes) {
        return Arrays.asList(keyTypes).contains(KEY_TYPE) ? ALIAS : null;
    }

    @Override
    @Nullable
    Identity of(String alias) {
        return alias.equals(ALIAS) ? identity : null;
    }
}
