package dev.komainu.central.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Locale;

/**
 * The number of batches and records of a day, and the sum of their digests: each is SHA-256 of the
 * name and of the records in their order, so the sum does not depend on the order of the batches.
 */
public final class BatchSum {

    private final MessageDigest digest;
    private long batches;
    private long records;
    /** Modulo 2^64. */
    private long sum;

    BatchSum() {
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    void add(StoredBatch batch) {
        ByteBuffer number = ByteBuffer.allocate(Long.BYTES * 2)
                .putLong(batch.id().epoch())
                .putLong(batch.id().sequence())
                .flip();
        digest.update(number);
        digest.update(batch.id().source().getBytes(StandardCharsets.UTF_8));
        for (byte[] body : batch.bodies()) {
            digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(body.length).flip());
            digest.update(body);
        }
        sum += ByteBuffer.wrap(digest.digest()).getLong();
        batches++;
        records += batch.bodies().size();
    }

    public long batches() {
        return batches;
    }

    public long records() {
        return records;
    }

    /** Returns the sum as 16 hexadecimal digits. */
    public String sum() {
        return String.format(Locale.ROOT, "%016x", sum);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof BatchSum that
                && batches == that.batches
                && records == that.records
                && sum == that.sum;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(sum);
    }

    @Override
    public String toString() {
        return batches + " batches, " + records + " records, " + sum();
    }
}
