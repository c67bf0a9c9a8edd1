package dev.komainu.central.api.stream;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.time.Duration;
import org.springframework.util.unit.DataSize;

/**
 * Settings of this package.
 *
 * @param clients largest number of subscribers
 * @param queue number of events that a subscriber can lag behind before it is disconnected
 * @param replay memory for events that can be sent again
 * @param heartbeat time without an event after which a comment is sent
 * @param compress whether streams are compressed for clients that accept it
 */
public record EventStreamSettings(
        int clients, int queue, DataSize replay, Duration heartbeat, boolean compress) {

    private static final Setting<Integer> CLIENTS = Setting.integer(
                    "komainu.stream.clients", 1, 10_000)
            .byDefault("200")
            .effect("Largest number of subscribers")
            .detail("""
                    Further requests get 503 and are counted in `komainu_stream_refused_total`.""");
    private static final Setting<Integer> QUEUE = Setting.integer(
                    "komainu.stream.queue", 16, 65_536)
            .byDefault("512")
            .effect("Number of events that a subscriber can lag behind")
            .detail("""
                    Above it the subscriber is disconnected and counted in
                    `komainu_stream_cut_total`.""");
    private static final Setting<Long> REPLAY = Setting.size(
                    "komainu.stream.replay", "64KB", "256MB")
            .byDefault("2MB")
            .effect("Memory for events that can be sent again after `Last-Event-ID`");
    private static final Setting<Duration> HEARTBEAT = Setting.duration(
                    "komainu.stream.heartbeat", "1s", "5m")
            .byDefault("15s")
            .effect("Time without an event after which a comment is sent");
    private static final Setting<Boolean> COMPRESS = Setting.truth("komainu.stream.compress")
            .byDefault("true")
            .effect("Whether event streams are compressed for clients that accept gzip")
            .detail("""
                    `false` helps when a proxy between service and browsers unpacks responses and holds
                    events back. `X-Accel-Buffering: no` and `Cache-Control: no-transform` ask it not
                    to.""");

    public static EventStreamSettings read(SettingReader reader) {
        return new EventStreamSettings(
                reader.get(CLIENTS),
                reader.get(QUEUE),
                DataSize.ofBytes(reader.get(REPLAY)),
                reader.get(HEARTBEAT),
                reader.get(COMPRESS));
    }
}
