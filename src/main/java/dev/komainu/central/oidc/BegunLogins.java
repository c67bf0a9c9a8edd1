package dev.komainu.central.oidc;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import javax.crypto.Cipher;
import javax.crypto.KeyGenerator;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import org.jspecify.annotations.Nullable;
import org.springframework.security.crypto.keygen.Base64StringKeyGenerator;

/**
 * The logins between their begin and the provider's answer. Each is in its browser's cookie,
 * encrypted with a key that ends with this process, so that strangers who begin logins take no
 * memory here and displace none of another browser's. Any thread.
 *
 * <pre>
 *   base64url( nonce: 12 bytes | ciphertext | tag: 16 bytes )
 * </pre>
 *
 * A login is taken once: its state is remembered until the login has expired. Only a browser that
 * has the login's cookie can add to these states; of more than {@value #MOST_TAKEN} the oldest is
 * forgotten, and then the provider still refuses the code, which it accepts once.
 */
final class BegunLogins {

    /** Time within which the provider must have answered. */
    static final Duration LIFE = Duration.ofMinutes(10);

    static final int MOST_TAKEN = 10_000;
    private static final int MOST_CHARS = 4_000;
    private static final int NONCE = 12;
    private static final int TAG_BITS = 128;

    private final Clock clock;
    private final SecretKey key;
    private final SecureRandom random = new SecureRandom();
    private final Base64StringKeyGenerator secrets =
            new Base64StringKeyGenerator(Base64.getUrlEncoder().withoutPadding(), 32);

    /** States of taken logins with the end of their life. Guarded by itself. */
    private final Map<String, Instant> taken = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Instant> eldest) {
            return size() > MOST_TAKEN || eldest.getValue().isBefore(clock.instant());
        }
    };

    BegunLogins(Clock clock) {
        this.clock = clock;
        try {
            KeyGenerator generator = KeyGenerator.getInstance("AES");
            generator.init(256);
            this.key = generator.generateKey();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java runtime has AES", e);
        }
    }

    /** Begins a login. */
    BegunLogin begin(String next, @Nullable String sessionKey) {
        return new BegunLogin(
                secrets.generateKey(),
                secrets.generateKey(),
                secrets.generateKey(),
                clock.instant(),
                next,
                sessionKey);
    }

    /** Returns the value of the cookie that holds a login. */
    String seal(BegunLogin login) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeUTF(login.state());
            out.writeUTF(login.nonce());
            out.writeUTF(login.verifier());
            out.writeLong(login.begun().toEpochMilli());
            out.writeUTF(login.next());
            out.writeUTF(login.sessionKey() == null ? "" : login.sessionKey());
        } catch (IOException e) {
            throw new UncheckedIOException("Bytes in memory", e);
        }
        byte[] nonce = new byte[NONCE];
        random.nextBytes(nonce);
        try {
            byte[] secret = cipher(Cipher.ENCRYPT_MODE, nonce).doFinal(bytes.toByteArray());
            byte[] whole = ByteBuffer.allocate(NONCE + secret.length)
                    .put(nonce)
                    .put(secret)
                    .array();
            return Base64.getUrlEncoder().withoutPadding().encodeToString(whole);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java runtime has AES-GCM", e);
        }
    }

    /**
     * Takes the login of a cookie, once.
     *
     * @param sealed value of the cookie
     * @param state value in the provider's answer
     * @return empty when the cookie is absent or of another process, the login has expired or was
     *     taken before, or the state is another
     */
    Optional<BegunLogin> take(@Nullable String sealed, String state) {
        if (sealed == null || sealed.length() > MOST_CHARS) {
            return Optional.empty();
        }
        Instant now = clock.instant();
        return open(sealed)
                .filter(login -> login.state().equals(state)
                        && !login.begun().isAfter(now.plus(OpenIdProvider.CLOCK_SKEW))
                        && login.begun().isAfter(now.minus(LIFE)))
                .filter(login -> {
                    synchronized (taken) {
                        return taken.putIfAbsent(login.state(), login.begun().plus(LIFE)) == null;
                    }
                });
    }

    private Optional<BegunLogin> open(String sealed) {
        try {
            byte[] whole = Base64.getUrlDecoder().decode(sealed);
            if (whole.length <= NONCE) {
                return Optional.empty();
            }
            ByteBuffer bytes = ByteBuffer.wrap(whole);
            byte[] nonce = new byte[NONCE];
            bytes.get(nonce);
            byte[] secret = new byte[bytes.remaining()];
            bytes.get(secret);
            byte[] clear = cipher(Cipher.DECRYPT_MODE, nonce).doFinal(secret);
            DataInputStream in = new DataInputStream(new ByteArrayInputStream(clear));
            String state = in.readUTF();
            String challenge = in.readUTF();
            String verifier = in.readUTF();
            Instant begun = Instant.ofEpochMilli(in.readLong());
            String next = in.readUTF();
            String session = in.readUTF();
            return Optional.of(new BegunLogin(
                    state, challenge, verifier, begun, next, session.isEmpty() ? null : session));
        } catch (GeneralSecurityException | IllegalArgumentException | IOException e) {
            return Optional.empty();
        }
    }

    private Cipher cipher(int mode, byte[] nonce) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
        return cipher;
    }
}
