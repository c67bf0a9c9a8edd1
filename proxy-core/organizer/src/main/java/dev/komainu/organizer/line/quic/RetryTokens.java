package dev.komainu.organizer.line.quic;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.quic.QuicTokenHandler;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The tokens of Retry packets (RFC 9000 section 8.1.2). While more than a number of handshakes are
 * in progress, a new connection must first return a token from the address that it names. So
 * packets with forged addresses cost one small packet each, and no handshake. Below that number a
 * connection needs no additional round trip.
 *
 * <pre>
 *   | HMAC-SHA256 32 | milliseconds 8 | original connection id … |
 * </pre>
 *
 * The HMAC covers the rest of the token, and the peer's address and port. Its key is of this
 * process. Used on one event loop; the handshakes are counted on all.
 */
final class RetryTokens implements QuicTokenHandler {

    /** Handshakes in progress, beyond which tokens are needed. */
    static final int FREE_HANDSHAKES = 32;

    private static final int PROOF = 32;
    private static final int HEAD = PROOF + Long.BYTES;
    /** RFC 9000 section 17.2. */
    private static final int LONGEST_ID = 20;

    private static final long VALID_MILLIS = TimeUnit.SECONDS.toMillis(15);
    private static final String ALGORITHM = "HmacSHA256";

    private final Mac mac;
    private final AtomicInteger handshakes;
    private final int free;
    private final LongSupplier millis;

    /**
     * Creates the tokens of one event loop.
     *
     * @param key of all loops
     * @param handshakes in progress on all loops
     * @param free handshakes without tokens
     * @param millis a monotonic clock that all loops share
     */
    RetryTokens(byte[] key, AtomicInteger handshakes, int free, LongSupplier millis) {
        this.handshakes = handshakes;
        this.free = free;
        this.millis = millis;
        try {
            mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java runtime has HMAC-SHA256", e);
        }
    }

    /** Returns a new key. */
    static byte[] key() {
        byte[] key = new byte[PROOF];
        new SecureRandom().nextBytes(key);
        return key;
    }

    /** Writes a token; false when none is needed now. */
    @Override
    public boolean writeToken(ByteBuf out, ByteBuf connectionId, InetSocketAddress address) {
        if (handshakes.get() < free) {
            return false;
        }
        byte[] id = ByteBufUtil.getBytes(connectionId);
        long now = millis.getAsLong();
        out.writeBytes(proof(now, id, address)).writeLong(now).writeBytes(id);
        return true;
    }

    /** Returns the position of the connection id in a valid token; -1 for another token. */
    @Override
    public int validateToken(ByteBuf token, InetSocketAddress address) {
        byte[] all = ByteBufUtil.getBytes(token);
        if (all.length <= HEAD || all.length > maxTokenLength()) {
            return -1;
        }
        long written = ByteBuffer.wrap(all).getLong(PROOF);
        byte[] id = Arrays.copyOfRange(all, HEAD, all.length);
        boolean isOurs =
                MessageDigest.isEqual(proof(written, id, address), Arrays.copyOf(all, PROOF));
        long age = millis.getAsLong() - written;
        return isOurs && age >= 0 && age <= VALID_MILLIS ? HEAD : -1;
    }

    private byte[] proof(long written, byte[] id, InetSocketAddress address) {
        byte[] host = address.getAddress().getAddress();
        return mac.doFinal(
                ByteBuffer.allocate(Long.BYTES + Integer.BYTES + 1 + host.length + id.length)
                        .putLong(written)
                        .putInt(address.getPort())
                        .put((byte) host.length)
                        .put(host)
                        .put(id)
                        .array());
    }

    @Override
    public int maxTokenLength() {
        return HEAD + LONGEST_ID;
    }
}
