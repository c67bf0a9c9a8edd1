package dev.komainu.central.audit;

import dev.komainu.telemetry.wire.Sha256;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The hash of a row of the audit log: SHA-256 over
 *
 * <pre>
 *  "komainu-audit-1\n"
 *  8   sequence
 *  32  hash of the row before; zeros before the first row
 *  8   at, microseconds since the epoch
 *  4   attempts
 *  then actor, action, subject, outcome, address, agent, before, after, each as
 *  4   length in bytes; 0 when absent
 *  n   UTF-8
 * </pre>
 *
 * Integers are big-endian. An absent text and an empty one are the same, so that an export as CSV
 * can be verified. Pure.
 */
final class AuditHash {

    /** The hash before the first row. */
    static final String NONE = "0".repeat(64);

    private static final byte[] CONTEXT = "komainu-audit-1\n".getBytes(StandardCharsets.US_ASCII);

    private AuditHash() {}

    /** Returns the hash of a row after a row with the hash {@code previous}. */
    static String of(String previous, AuditEntry entry) {
        return of(previous, entry.sequence(), entry);
    }

    /** Returns the hash that the row would have with another number. */
    static String of(String previous, long sequence, AuditEntry entry) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.write(CONTEXT);
            out.writeLong(sequence);
            out.write(HexFormat.of().parseHex(previous));
            out.writeLong(ChronoUnit.MICROS.between(Instant.EPOCH, entry.at()));
            out.writeInt(entry.attempts());
            text(out, entry.actor());
            text(out, entry.action());
            text(out, entry.subject());
            text(out, entry.outcome());
            text(out, entry.address());
            text(out, entry.agent());
            text(out, entry.before());
            text(out, entry.after());
        } catch (IOException e) {
            throw new UncheckedIOException("a buffer in memory does not fail", e);
        }
        return HexFormat.of().formatHex(Sha256.of(bytes.toByteArray()));
    }

    private static void text(DataOutputStream out, @Nullable String text) throws IOException {
        byte[] bytes = text == null ? new byte[0] : text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
    }
}
