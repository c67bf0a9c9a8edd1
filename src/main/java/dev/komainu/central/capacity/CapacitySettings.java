package dev.komainu.central.capacity;

import dev.komainu.central.settings.SettingsReader;
import java.time.Duration;

/**
 * Settings of this room.
 *
 * @param window how far back loads are looked at; 10 m to 7 d, default 24 h
 * @param responseRatio T_r's limit as a multiple of what it is at rest; 1.2 to 20, default 3
 * @param extrapolate no rate above so many times the heaviest load seen is inferred; 1 to 5, default 2
 * @param refresh how often every service is looked at anew; 1 m to 6 h, default 10 m
 */
public record CapacitySettings(Duration window, double responseRatio, double extrapolate, Duration refresh) {

    /** Range of {@code responseRatio}. */
    public static final double LEAST_RATIO = 1.2;

    public static final double MOST_RATIO = 20;

    public static CapacitySettings from(SettingsReader reader) {
        return new CapacitySettings(
                reader.duration(
                        "komainu.capacity.window", Duration.ofHours(24), Duration.ofMinutes(10), Duration.ofDays(7)),
                reader.real("komainu.capacity.response-limit", 3, LEAST_RATIO, MOST_RATIO),
                reader.real("komainu.capacity.extrapolate", 2, 1, 5),
                reader.duration(
                        "komainu.capacity.refresh",
                        Duration.ofMinutes(10),
                        Duration.ofMinutes(1),
                        Duration.ofHours(6)));
    }
}
