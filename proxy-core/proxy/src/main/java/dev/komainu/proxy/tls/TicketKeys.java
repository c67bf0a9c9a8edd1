package dev.komainu.proxy.tls;

import io.netty.handler.ssl.OpenSslServerSessionContext;
import io.netty.handler.ssl.OpenSslSessionTicketKey;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/**
 * What one certificate's session tickets are sealed with (RFC 5077 section 4): random, never
 * written anywhere. New tickets take the newest key; those of the one before are still understood,
 * and replaced when they are used. Java's engine makes and renews its own. Any thread.
 */
final class TicketKeys {

    private static final SecureRandom RANDOM = new SecureRandom();

    private final OpenSslServerSessionContext sessions;
    /** Guarded by this. */
    private @Nullable OpenSslSessionTicketKey newest;

    /** Begins with a first key. */
    TicketKeys(OpenSslServerSessionContext sessions) {
        this.sessions = sessions;
        renew();
    }

    synchronized void renew() {
        OpenSslSessionTicketKey former = newest;
        OpenSslSessionTicketKey fresh = new OpenSslSessionTicketKey(
                random(OpenSslSessionTicketKey.NAME_SIZE),
                random(OpenSslSessionTicketKey.HMAC_KEY_SIZE),
                random(OpenSslSessionTicketKey.AES_KEY_SIZE));
        newest = fresh;
        if (former == null) {
            sessions.setTicketKeys(fresh);
        } else {
            sessions.setTicketKeys(fresh, former);
        }
    }

    private static byte[] random(int size) {
        byte[] bytes = new byte[size];
        RANDOM.nextBytes(bytes);
        return bytes;
    }
}
