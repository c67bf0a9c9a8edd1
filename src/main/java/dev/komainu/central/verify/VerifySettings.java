package dev.komainu.central.verify;

import dev.komainu.central.settings.SettingsReader;
import java.time.Duration;

/**
 * Settings of this room.
 *
 * @param baseline how long before a change is looked at; 30 seconds to 1 hour, default 5 minutes
 * @param settle how long the server is left alone after it; 0 to 10 minutes, default 30 seconds
 * @param after how long is measured then; 20 seconds to 1 hour, default 2 minutes
 * @param automatic whether every change that a person or machine records or applies is verified by itself; default true
 */
public record VerifySettings(Duration baseline, Duration settle, Duration after, boolean automatic) {

    public static final Duration LEAST_BASELINE = Duration.ofSeconds(30);
    public static final Duration LEAST_AFTER = Duration.ofSeconds(20);
    public static final Duration MOST = Duration.ofHours(1);
    public static final Duration MOST_SETTLE = Duration.ofMinutes(10);

    public static VerifySettings from(SettingsReader reader) {
        return new VerifySettings(
                reader.duration("komainu.verify.baseline", Duration.ofMinutes(5), LEAST_BASELINE, MOST),
                reader.duration("komainu.verify.settle", Duration.ofSeconds(30), Duration.ZERO, MOST_SETTLE),
                reader.duration("komainu.verify.after", Duration.ofMinutes(2), LEAST_AFTER, MOST),
                reader.flag("komainu.verify.automatic", true));
    }
}
