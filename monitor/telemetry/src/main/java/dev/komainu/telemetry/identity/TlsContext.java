package dev.komainu.telemetry.identity;

import java.security.GeneralSecurityException;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/** The TLS context of a key, or of none, and of a trust. */
final class TlsContext {

    private TlsContext() {}

    static SSLContext of(@Nullable KeyManager key, TrustManager trust) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(
                    key == null ? new KeyManager[0] : new KeyManager[] {key},
                    new TrustManager[] {trust},
                    null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java runtime has TLS", e);
        }
    }
}
