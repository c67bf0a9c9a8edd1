package dev.komainu.central.ingest;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.time.Duration;
import org.springframework.util.unit.DataSize;

/**
 * The settings of the ingest of telemetry.
 *
 * @param maxBody largest body as sent (compressed)
 * @param maxBacklog wait for the store above which senders must retry later
 * @param decoders batches decoded at a time; further complete bodies wait
 */
public record IngestSettings(DataSize maxBody, Duration maxBacklog, int decoders) {

    private static final Setting<Long> MAX_BODY = Setting.size(
                    "komainu.ingest.max-body", "64KB", "256MB")
            .byDefault("8MB")
            .effect("largest batch as sent; larger ones get the response 413");
    private static final Setting<Duration> MAX_BACKLOG = Setting.duration(
                    "komainu.ingest.max-backlog", "1s", "5m")
            .byDefault("10s")
            .effect("""
                    longest wait of a batch for the store; senders of further batches must retry later
                    (503 with `Retry-After`) and keep the batch meanwhile
                    """);
    private static final Setting<Integer> DECODERS = Setting.integer(
                    "komainu.ingest.decoders", 1, 64)
            .byDefault("8")
            .effect(
                    "batches decoded and stored at a time; further ones wait. The [bytes in hand](../security.md#limits) limit their memory");

    public static IngestSettings read(SettingReader reader) {
        return new IngestSettings(
                DataSize.ofBytes(reader.get(MAX_BODY)),
                reader.get(MAX_BACKLOG),
                reader.get(DECODERS));
    }
}
