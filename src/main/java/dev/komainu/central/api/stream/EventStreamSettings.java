package dev.komainu.central.api.stream;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.time.Duration;
import org.springframework.util.unit.DataSize;

/**
 * Settings of this room.
 *
 * @param clients subscribers at most
 * @param queue events a subscriber may lag behind before it is cut
 * @param replay memory for events that may be sent again
 * @param heartbeat silence after which a comment is sent
 */
public record EventStreamSettings(int clients, int queue, DataSize replay, Duration heartbeat) {

    private static final Setting<Integer> CLIENTS = Setting.integer(
                    "komainu.stream.clients", 1, 10_000)
            .byDefault("200")
            .effect(
                    "subscribers at most; further ones are answered 503 and counted in `komainu_stream_refused_total`");
    private static final Setting<Integer> QUEUE =
            Setting.integer("komainu.stream.queue", 16, 65_536).byDefault("512").effect("""
                    events a subscriber may lag behind; one that lags more is cut and counted in `komainu_stream_cut_total`
                    """);
    private static final Setting<Long> REPLAY = Setting.size(
                    "komainu.stream.replay", "64KB", "256MB")
            .byDefault("2MB")
            .effect("memory for events that can be sent again after `Last-Event-ID`");
    private static final Setting<Duration> HEARTBEAT = Setting.duration(
                    "komainu.stream.heartbeat", "1s", "5m")
            .byDefault("15s")
            .effect("silence after which a comment is sent");

    public static EventStreamSettings read(SettingReader reader) {
        return new EventStreamSettings(
                reader.get(CLIENTS),
                reader.get(QUEUE),
                DataSize.ofBytes(reader.get(REPLAY)),
                reader.get(HEARTBEAT));
    }
}
