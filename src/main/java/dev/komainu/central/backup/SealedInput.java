package dev.komainu.central.backup;

import java.io.IOException;
import java.io.InputStream;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;

/**
 * The decryption of a part, see {@link SealedStream}. It returns no byte of a chunk that was
 * changed. One thread.
 */
final class SealedInput extends InputStream {

    private final InputStream in;
    private final SecretKey key;
    private final String name;
    private byte[] ahead;
    private byte[] clear = new byte[0];
    private int taken;
    private long number;
    private boolean ended;

    /**
     * Opens a part.
     *
     * @throws IOException when it does not begin as an encrypted part
     */
    SealedInput(InputStream in, BackupKey key, String name) throws IOException {
        byte[] head = in.readNBytes(SealedStream.MAGIC.length + SealedStream.SALT);
        if (head.length < SealedStream.MAGIC.length + SealedStream.SALT
                || !Arrays.equals(
                        head,
                        0,
                        SealedStream.MAGIC.length,
                        SealedStream.MAGIC,
                        0,
                        SealedStream.MAGIC.length)) {
            throw new IOException(name + ": not an encrypted part");
        }
        this.in = in;
        this.name = name;
        this.key =
                key.ofPart(name, Arrays.copyOfRange(head, SealedStream.MAGIC.length, head.length));
        ahead = in.readNBytes(SealedStream.CHUNK + SealedStream.TAG);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        while (taken == clear.length) {
            if (ended) {
                return -1;
            }
            open();
        }
        int given = Math.min(length, clear.length - taken);
        System.arraycopy(clear, taken, bytes, offset, given);
        taken += given;
        return given;
    }

    private void open() throws IOException {
        byte[] sealed = ahead;
        ahead = in.readNBytes(SealedStream.CHUNK + SealedStream.TAG);
        ended = ahead.length == 0;
        try {
            clear = SealedStream.cipher(Cipher.DECRYPT_MODE, key, number, ended).doFinal(sealed);
        } catch (GeneralSecurityException e) {
            throw new IOException(
                    name + ": chunk " + number
                            + " does not open (expected: the bytes as they were written)",
                    e);
        }
        taken = 0;
        number++;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
