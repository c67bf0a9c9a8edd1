package dev.komainu.central.backup;

import java.io.IOException;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.function.LongConsumer;

/**
 * A stream that counts and hashes the bytes that pass. The stream beneath stays open when this one
 * is closed. One thread.
 */
final class HashingOutput extends OutputStream {

    private final OutputStream out;
    private final LongConsumer passed;
    private final MessageDigest digest = sha256Digest();
    private long bytes;

    /**
     * Creates the stream.
     *
     * @param passed receives the number of bytes of each write
     */
    HashingOutput(OutputStream out, LongConsumer passed) {
        this.out = out;
        this.passed = passed;
    }

    static MessageDigest sha256Digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    long bytes() {
        return bytes;
    }

    /** Returns the hash. It can be asked once, after the last byte. */
    String sha256() {
        return HexFormat.of().formatHex(digest.digest());
    }

    @Override
    public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] some, int offset, int length) throws IOException {
        out.write(some, offset, length);
        digest.update(some, offset, length);
        bytes += length;
        passed.accept(length);
    }

    @Override
    public void flush() throws IOException {
        out.flush();
    }

    @Override
    public void close() throws IOException {
        out.flush();
    }
}
