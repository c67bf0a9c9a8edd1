package dev.komainu.organizer.front;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.time.Duration;

/**
 * What tunes a proxy's part in the cluster's caches.
 *
 * @param patience how long an owner may say nothing at all before the origin is asked
 * @param copiesPercent how many of the answers that another owns are kept here, too. So what is
 *     wanted often is soon had without asking, and what is wanted seldom takes room at its owner
 *     only
 */
public record ShareSettings(Duration patience, int copiesPercent) {

    static final Setting<Duration> PATIENCE =
            Setting.duration("share.patience", "10ms", "1m").byDefault("500ms").effect("""
                    how long the owner of an object may say nothing at all before the origin is asked; above the longest round trip between members""");
    static final Setting<Integer> COPIES = Setting.integer("share.copies", 0, 100)
            .range("0 to 100, percent")
            .byDefault("10")
            .effect("how many of another's objects are kept here, too");

    public static final ShareSettings DEFAULT = read(SettingReader.ofDefaults());

    public static ShareSettings read(SettingReader reader) {
        return new ShareSettings(reader.get(PATIENCE), reader.get(COPIES));
    }
}
