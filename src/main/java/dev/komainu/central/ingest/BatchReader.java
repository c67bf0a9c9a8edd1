package dev.komainu.central.ingest;

import dev.komainu.central.ingest.RefusedBatchException.Reason;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.EpochMicros;
import dev.komainu.telemetry.wire.BatchCodec;
import dev.komainu.telemetry.wire.Compression;
import dev.komainu.telemetry.wire.DecodedBatch;
import dev.komainu.telemetry.wire.MalformedBatchException;
import dev.komainu.telemetry.wire.RecordJson;
import dev.komainu.telemetry.wire.WireLimits;
import java.io.IOException;
import java.io.InputStream;
import java.time.Clock;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The decoder of batches from a request's head and body. Any thread. */
final class BatchReader {

    static final String BATCH = "application/x-komainu-batch";
    static final String NDJSON = "application/x-ndjson";

    private final long maxBody;
    private final long epoch;
    private final AtomicLong sequence = new AtomicLong();

    BatchReader(IngestSettings settings, Clock clock) {
        maxBody = settings.maxBody().toBytes();
        epoch = EpochMicros.of(clock.instant());
    }

    /** Refuses a request by its head, before the body is read. */
    void checkHead(@Nullable String contentType, @Nullable String encoding, long length)
            throws RefusedBatchException {
        String type = mediaType(contentType);
        if (!type.equals(BATCH) && !type.equals(NDJSON)) {
            throw new RefusedBatchException(
                    Reason.MEDIA_TYPE,
                    "Content-Type: " + type + " (expected: " + BATCH + ", " + NDJSON + ")",
                    null);
        }
        String coding = coding(encoding);
        if (!coding.equals("zstd") && !coding.equals("identity")) {
            throw new RefusedBatchException(
                    Reason.MEDIA_TYPE,
                    "Content-Encoding: " + coding + " (expected: zstd, identity)",
                    null);
        }
        if (length > maxBody) {
            throw tooLarge(length + " bytes");
        }
    }

    private RefusedBatchException tooLarge(String size) {
        return new RefusedBatchException(
                Reason.TOO_LARGE, "body: " + size + " (expected: at most " + maxBody + ")", null);
    }

    byte[] readBody(InputStream in) throws IOException, RefusedBatchException {
        byte[] body = in.readNBytes((int) maxBody + 1);
        if (body.length > maxBody) {
            throw tooLarge("more than " + maxBody + " bytes");
        }
        return body;
    }

    /**
     * Decodes a body.
     *
     * @param name the header {@code Komainu-Batch}; only NDJSON needs it, a binary batch contains
     *     its name
     */
    DecodedBatch decode(
            byte[] body,
            @Nullable String contentType,
            @Nullable String encoding,
            @Nullable String name)
            throws RefusedBatchException {
        try {
            byte[] plain = coding(encoding).equals("zstd")
                    ? Compression.expand(body, WireLimits.MAX_BATCH_BYTES)
                    : body;
            if (mediaType(contentType).equals(BATCH)) {
                return BatchCodec.decodePlain(plain);
            }
            if (plain.length > WireLimits.MAX_BATCH_BYTES) {
                throw tooLarge(plain.length + " bytes");
            }
            return new DecodedBatch(new Batch(nameOf(name), RecordJson.readLines(plain)), 0, 0);
        } catch (MalformedBatchException e) {
            throw new RefusedBatchException(Reason.MALFORMED, e.getMessage(), null);
        }
    }

    private BatchId nameOf(@Nullable String name) throws RefusedBatchException {
        if (name == null) {
            return new BatchId("ndjson", epoch, sequence.incrementAndGet());
        }
        try {
            return BatchId.parse(name);
        } catch (IllegalArgumentException e) {
            throw new RefusedBatchException(
                    Reason.MALFORMED, "Komainu-Batch: " + e.getMessage(), null);
        }
    }

    private static String mediaType(@Nullable String contentType) {
        return contentType == null
                ? "absent"
                : contentType.replaceFirst(";.*", "").strip().toLowerCase(Locale.ROOT);
    }

    private static String coding(@Nullable String encoding) {
        return encoding == null ? "identity" : encoding.strip().toLowerCase(Locale.ROOT);
    }
}
