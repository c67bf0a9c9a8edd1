package dev.komainu.central.verify;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.time.Duration;

/**
 * Settings of this package.
 *
 * @param baseline length of the compared period before a change
 * @param settle time for the server to settle after a change
 * @param after length of the measured period after settling
 * @param automatic whether every change that a user or a program records or applies is verified
 *     automatically
 */
public record VerifySettings(
        Duration baseline, Duration settle, Duration after, boolean automatic) {

    public static final Duration LEAST_BASELINE = Duration.ofSeconds(30);
    public static final Duration LEAST_AFTER = Duration.ofSeconds(20);
    public static final Duration MOST = Duration.ofHours(1);
    public static final Duration MOST_SETTLE = Duration.ofMinutes(10);

    private static final Setting<Duration> BASELINE = Setting.duration(
                    "komainu.verify.baseline", LEAST_BASELINE, MOST)
            .byDefault("5m")
            .effect("Length of the compared period before a change");
    private static final Setting<Duration> SETTLE = Setting.duration(
                    "komainu.verify.settle", Duration.ZERO, MOST_SETTLE)
            .byDefault("30s")
            .effect("Time for the server to settle after a change");
    private static final Setting<Duration> AFTER = Setting.duration(
                    "komainu.verify.after", LEAST_AFTER, MOST)
            .byDefault("2m")
            .effect("Length of the measured period after settling; a request can set other "
                    + "lengths");
    private static final Setting<Boolean> AUTOMATIC = Setting.truth("komainu.verify.automatic")
            .byDefault("true")
            .effect("Whether every change that is recorded or applied is verified automatically")
            .detail("""
                    Changes that agents observe in files are verified on request only.""");

    public static VerifySettings read(SettingReader reader) {
        return new VerifySettings(
                reader.get(BASELINE), reader.get(SETTLE), reader.get(AFTER), reader.get(AUTOMATIC));
    }
}
