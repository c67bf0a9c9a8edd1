package dev.komainu.telemetry.identity;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The key of a part for TLS contexts that outlive its certificates: each handshake uses the newest
 * one. Until the part is enrolled there is none, and handshakes that need one fail. Any thread.
 *
 * <p>An alias is the serial number of a certificate, so that a handshake during a renewal gets key
 * and certificate of one identity.
 */
final class RenewingKeyManager extends PartKeyManager {

    /** Java names P-256 keys "EC"; OpenSSL also "EC_EC" and "EC_RSA", by the key of the issuer. */
    private static final String KEY_TYPES = "EC";

    private final PartIdentity part;
    /** The identity of the last alias, and the one before. Guarded by this. */
    private @Nullable Identity newest;

    private @Nullable Identity former;

    RenewingKeyManager(PartIdentity part) {
        this.part = part;
    }

    @Override
    synchronized @Nullable String alias(String... keyTypes) {
        Identity now = part.current();
        if (now == null || Arrays.stream(keyTypes).noneMatch(type -> type.startsWith(KEY_TYPES))) {
            return null;
        }
        if (!now.equals(newest)) {
            former = newest;
            newest = now;
        }
        return Identity.serial(now.certificate());
    }

    @Override
    synchronized @Nullable Identity of(String alias) {
        if (isOf(newest, alias)) {
            return newest;
        }
        return isOf(former, alias) ? former : null;
    }

    private static boolean isOf(@Nullable Identity identity, String alias) {
        return identity != null && Identity.serial(identity.certificate()).equals(alias);
    }
}
