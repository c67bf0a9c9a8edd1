package dev.komainu.proxy.tls;

import io.netty.handler.ssl.OpenSslServerSessionContext;
import io.netty.handler.ssl.OpenSslSessionTicketKey;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/**
 * The keys that encrypt one certificate's session tickets (RFC 5077 section 4): random, never
 * stored. New tickets use the newest key; tickets of the previous key are still accepted, and
 * replaced when they are used. Java's engine makes and renews its own keys. Any thread.
 */
final class TicketKeys {

    private static final SecureRandom RANDOM = new SecureRandom();

    private final OpenSslServerSessionContext sessions;
    /** Guarded by this. */
    private @Nullable OpenSslSessionTicketKey newest;

    /** Creates the keys with a first key. */
    TicketKeys(OpenSslServerSessionContext sessions) {
        this.sessions = sessions;
        renew();
    }

    synchronized void renew() {
        OpenSslSessionTicketKey previous = newest;
        OpenSslSessionTicketKey fresh = new OpenSslSessionTicketKey(
                random(OpenSslSessionTicketKey.NAME_SIZE),
                random(OpenSslSessionTicketKey.HMAC_KEY_SIZE),
                random(OpenSslSessionTicketKey.AES_KEY_SIZE));
        newest = fresh;
        if (previous == null) {
            sessions.setTicketKeys(fresh);
        } else {
            sessions.setTicketKeys(fresh, previous);
        }
    }

    private static byte[] random(int size) {
        byte[] bytes = new byte[size];
        RANDOM.nextBytes(bytes);
        return bytes;
    }
}
