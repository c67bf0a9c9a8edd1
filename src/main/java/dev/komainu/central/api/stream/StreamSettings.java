package dev.komainu.central.api.stream;

import dev.komainu.central.settings.SettingsReader;
import java.time.Duration;
import org.springframework.util.unit.DataSize;

/**
 * Settings of this room.
 *
 * @param clients subscribers at most; 1 to 10000, default 200
 * @param queue events a subscriber may lag behind before it is cut; 16 to 65536, default 512
 * @param replay memory for events that may be sent again; 64KB to 256MB, default 2MB
 * @param heartbeat silence after which a comment is sent; 1 second to 5 minutes, default 15 seconds
 */
public record StreamSettings(int clients, int queue, DataSize replay, Duration heartbeat) {

    public static StreamSettings from(SettingsReader reader) {
        return new StreamSettings(
                reader.number("komainu.stream.clients", 200, 1, 10_000),
                reader.number("komainu.stream.queue", 512, 16, 65_536),
                reader.size(
                        "komainu.stream.replay",
                        DataSize.ofMegabytes(2),
                        DataSize.ofKilobytes(64),
                        DataSize.ofMegabytes(256)),
                reader.duration(
                        "komainu.stream.heartbeat",
                        Duration.ofSeconds(15),
                        Duration.ofSeconds(1),
                        Duration.ofMinutes(5)));
    }
}
