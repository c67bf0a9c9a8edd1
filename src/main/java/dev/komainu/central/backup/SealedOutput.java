package dev.komainu.central.backup;

import java.io.IOException;
import java.io.OutputStream;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;

/**
 * The encryption of a part, see {@link SealedStream}. {@link #close} writes its end. One thread.
 */
final class SealedOutput extends OutputStream {

    private final OutputStream out;
    private final SecretKey key;
    private final byte[] chunk = new byte[SealedStream.CHUNK];
    private int filled;
    private long number;
    private boolean closed;

    SealedOutput(OutputStream out, BackupKey key, String name) throws IOException {
        byte[] salt = new byte[SealedStream.SALT];
        new SecureRandom().nextBytes(salt);
        this.out = out;
        this.key = key.ofPart(name, salt);
        out.write(SealedStream.MAGIC);
        out.write(salt);
    }

    @Override
    public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        int from = offset;
        int left = length;
        while (left > 0) {
            // A full chunk waits for the next byte: it may be the last one.
            if (filled == chunk.length) {
                seal(false);
            }
            int taken = Math.min(left, chunk.length - filled);
            System.arraycopy(bytes, from, chunk, filled, taken);
            filled += taken;
            from += taken;
            left -= taken;
        }
    }

    private void seal(boolean last) throws IOException {
        try {
            out.write(SealedStream.cipher(Cipher.ENCRYPT_MODE, key, number, last)
                    .doFinal(chunk, 0, filled));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java runtime has AES-GCM", e);
        }
        number++;
        filled = 0;
    }

    @Override
    public void close() throws IOException {
        if (!closed) {
            closed = true;
            try (out) {
                seal(true);
            }
        }
    }
}
