package dev.komainu.central.ingest;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.time.Duration;
import org.springframework.util.unit.DataSize;

/**
 * Settings of this room.
 *
 * @param maxBody largest body as it is sent
 * @param maxBacklog wait for the store above which senders are asked to come back later
 * @param decoders batches held in memory at a time, further ones wait outside
 */
public record IngestSettings(DataSize maxBody, Duration maxBacklog, int decoders) {

    private static final Setting<Long> MAX_BODY = Setting.size(
                    "komainu.ingest.max-body", "64KB", "256MB")
            .byDefault("16MB")
            .effect("largest batch as it is sent; larger ones are answered 413");
    private static final Setting<Duration> MAX_BACKLOG = Setting.duration(
                    "komainu.ingest.max-backlog", "1s", "5m")
            .byDefault("10s")
            .effect("""
                    when a batch would wait longer than this for the store, senders are asked to come back later
                    (503 with `Retry-After`); they keep it
                    """);
    private static final Setting<Integer> DECODERS = Setting.integer(
                    "komainu.ingest.decoders", 1, 64)
            .byDefault("8")
            .effect("batches held in memory at a time; further ones wait");

    public static IngestSettings read(SettingReader reader) {
        return new IngestSettings(
                DataSize.ofBytes(reader.get(MAX_BODY)),
                reader.get(MAX_BACKLOG),
                reader.get(DECODERS));
    }
}
