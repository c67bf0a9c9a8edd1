package dev.komainu.central.backup;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;

/**
 * The form of an encrypted part: AES-256-GCM (NIST SP 800-38D) in chunks, by the construction
 * STREAM (Hoang, Reyhanitabar, Rogaway, Vizár: Online Authenticated-Encryption and its Nonce-Reuse
 * Misuse-Resistance, 2015). A chunk that is moved, left out or cut off does not open.
 *
 * <pre>
 *  magic: 8 bytes | salt: 16 bytes | chunk 0 | chunk 1 | … | last chunk
 *  chunk: ciphertext of 65,536 bytes, the last one 0 to 65,536 | tag: 16 bytes
 *  nonce: number of the chunk, 11 bytes | 1 for the last chunk, else 0
 * </pre>
 *
 * <p>The key belongs to the name of the part and the salt, which is random: no nonce is used twice
 * with one key.
 */
final class SealedStream {

    static final byte[] MAGIC = {'K', 'O', 'M', 'A', 'I', 'N', 'U', '1'};
    static final int SALT = 16;
    static final int CHUNK = 65_536;
    static final int TAG = 16;

    private static final int NONCE = 12;

    private SealedStream() {}

    static Cipher cipher(int mode, SecretKey key, long chunk, boolean last)
            throws GeneralSecurityException {
        byte[] nonce = ByteBuffer.allocate(NONCE)
                .position(NONCE - 1 - Long.BYTES)
                .putLong(chunk)
                .put((byte) (last ? 1 : 0))
                .array();
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, key, new GCMParameterSpec(TAG * Byte.SIZE, nonce));
        return cipher;
    }
}
