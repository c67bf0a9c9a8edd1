package dev.komainu.telemetry.identity;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * The key of a part for TLS contexts that outlive its certificates: each handshake uses the newest
 * one. Until the part is enrolled there is none, and handshakes that need one fail. Any thread.
 *
 * <p>An alias is the serial number of a certificate, so that a handshake during a renewal gets key
 * and certificate of one identity.
 */
final class RenewingKeyManager extends X509ExtendedKeyManager {

    /** Java names P-256 keys "EC"; OpenSSL also "EC_EC" and "EC_RSA", by the key of the issuer. */
    private static final String KEY_TYPES = "EC";

    private final PartIdentity part;
    /** The identity of the last alias, and the one before. Guarded by this. */
    private @Nullable Identity newest;

    private @Nullable Identity former;

    RenewingKeyManager(PartIdentity part) {
        this.part = part;
    }

    private synchronized @Nullable String alias(String... keyTypes) {
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

    private synchronized @Nullable Identity of(String alias) {
        if (isOf(newest, alias)) {
            return newest;
        }
        return isOf(former, alias) ? former : null;
    }

    private static boolean isOf(@Nullable Identity identity, String alias) {
        return identity != null && Identity.serial(identity.certificate()).equals(alias);
    }

    @Override
    public @Nullable String chooseClientAlias(
            String[] keyTypes, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return alias(keyTypes);
    }

    @Override
    public @Nullable String chooseEngineClientAlias(
            String[] keyTypes, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
        return alias(keyTypes);
    }

    @Override
    public @Nullable String chooseServerAlias(
            String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return alias(keyType);
    }

    @Override
    public @Nullable String chooseEngineServerAlias(
            String keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
        return alias(keyType);
    }

    @Override
    public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
        String alias = alias(keyType);
        return alias == null ? null : new String[] {alias};
    }

    @Override
    public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
        return getClientAliases(keyType, issuers);
    }

    @Override
    public X509Certificate @Nullable [] getCertificateChain(String alias) {
        Identity identity = of(alias);
        return identity == null ? null : identity.chain().toArray(X509Certificate[]::new);
    }

    @Override
    public @Nullable PrivateKey getPrivateKey(String alias) {
        Identity identity = of(alias);
        return identity == null ? null : identity.key();
    }
}
