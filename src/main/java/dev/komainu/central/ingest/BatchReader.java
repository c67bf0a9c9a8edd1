package dev.komainu.central.ingest;

import dev.komainu.central.ingest.RefusedBatchException.Reason;
import dev.komainu.central.limit.BytesInHand;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.EpochMicros;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.wire.BatchCodec;
import dev.komainu.telemetry.wire.DecodedBatch;
import dev.komainu.telemetry.wire.MalformedBatchException;
import dev.komainu.telemetry.wire.RecordJson;
import dev.komainu.telemetry.wire.WireLimits;
import java.io.IOException;
import java.io.InputStream;
import java.time.Clock;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
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

    /**
     * Reads a body.
     *
     * @param announced its length; -1 when it is unknown
     */
    BodyPieces readBody(InputStream in, long announced, BytesInHand.Holding holding)
            throws IOException, RefusedBatchException {
        BodyPieces body = BodyPieces.read(in, announced, maxBody, holding);
        if (body.length() > maxBody) {
            throw tooLarge("more than " + maxBody + " bytes");
        }
        return body;
    }

    /**
     * Decodes a body while it is expanded.
     *
     * @param name the header {@code Komainu-Batch}; only NDJSON needs it, a binary batch contains
     *     its name
     * @param memory takes the heap that the records need
     */
    DecodedBatch decode(
            BodyPieces body,
            @Nullable String contentType,
            @Nullable String encoding,
            @Nullable String name,
            LongConsumer memory)
            throws RefusedBatchException {
        try {
            boolean compressed = coding(encoding).equals("zstd");
            if (mediaType(contentType).equals(BATCH)) {
                return compressed
                        ? BatchCodec.decode(body.stream(), memory)
                        : BatchCodec.decodePlain(body.stream(), body.length(), memory);
            }
            if (!compressed && body.length() > WireLimits.MAX_BATCH_BYTES) {
                throw tooLarge(body.length() + " bytes");
            }
            List<TelemetryRecord> records = compressed
                    ? RecordJson.readCompressedLines(body.stream(), memory)
                    : RecordJson.readLines(body.stream(), memory);
            return new DecodedBatch(new Batch(nameOf(name), records), 0, 0);
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
