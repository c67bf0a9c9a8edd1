package dev.komainu.organizer.front;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.time.Duration;

/**
 * The settings for a proxy's part in the cluster's caches.
 *
 * @param patience how long an owner may send nothing at all before the origin is requested
 * @param copiesPercent share of the responses owned by other members that are stored here, too. A
 *     popular object is soon available without a request to its owner, and an unpopular one takes
 *     space at its owner only
 */
public record ShareSettings(Duration patience, int copiesPercent) {

    static final Setting<Duration> PATIENCE = Setting.duration("share.patience", "10ms", "1m")
            .byDefault("500ms")
            .effect("Time for which the owner of an object may send nothing before the origin "
                    + "is requested")
            .detail("""
                    It must be above the longest round trip between members.""");
    static final Setting<Integer> COPIES = Setting.integer("share.copies", 0, 100)
            .range("0 to 100, percent")
            .byDefault("10")
            .effect("Share of the objects owned by other members that are stored here, too");

    public static final ShareSettings DEFAULT = read(SettingReader.ofDefaults());

    public static ShareSettings read(SettingReader reader) {
        return new ShareSettings(reader.get(PATIENCE), reader.get(COPIES));
    }
}
