package dev.komainu.telemetry.identity;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * The key of a part, for both ends of TLS. The issuers that the other end names are not compared:
 * after the authority was replaced it may name only the new one, although it accepts certificates
 * of the old one. Any thread.
 */
abstract class PartKeyManager extends X509ExtendedKeyManager {

    /** Returns the alias of the identity for a handshake; absent: none of these key types. */
    abstract @Nullable String alias(String... keyTypes);

    /** Returns the identity of an alias; absent: unknown. */
    abstract @Nullable Identity of(String alias);

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
