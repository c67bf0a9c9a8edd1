package dev.komainu.central.ingest;

import dev.komainu.central.settings.SettingsReader;
import java.time.Duration;
import org.springframework.util.unit.DataSize;

/**
 * Settings of this room.
 *
 * @param maxBody largest body as it is sent; 64 KB to 256 MB, default 16 MB
 * @param maxBacklog above this wait for the store senders are asked to come back later; 1 second to 5 minutes, default
 *     10 seconds
 * @param decoders batches held in memory at a time, further ones wait outside; 1 to 64, default 8
 */
public record IngestSettings(DataSize maxBody, Duration maxBacklog, int decoders) {

    public static final IngestSettings DEFAULTS =
            new IngestSettings(DataSize.ofMegabytes(16), Duration.ofSeconds(10), 8);

    public static IngestSettings from(SettingsReader reader) {
        return new IngestSettings(
                reader.size(
                        "komainu.ingest.max-body",
                        DEFAULTS.maxBody(),
                        DataSize.ofKilobytes(64),
                        DataSize.ofMegabytes(256)),
                reader.duration(
                        "komainu.ingest.max-backlog",
                        DEFAULTS.maxBacklog(),
                        Duration.ofSeconds(1),
                        Duration.ofMinutes(5)),
                reader.number("komainu.ingest.decoders", DEFAULTS.decoders(), 1, 64));
    }
}
