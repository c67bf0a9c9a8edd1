package dev.komainu.central.capacity;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.time.Duration;

/**
 * Settings of this room.
 *
 * @param window how far back loads are looked at
 * @param responseRatio T_r's limit as a multiple of what it is at rest
 * @param extrapolate no rate above so many times the heaviest load seen is inferred
 * @param refresh how often every service is looked at anew
 */
public record CapacitySettings(
        Duration window, double responseRatio, double extrapolate, Duration refresh) {

    /** Range of {@code responseRatio}. */
    public static final double LEAST_RATIO = 1.2;

    public static final int MOST_RATIO = 20;

    private static final Setting<Duration> WINDOW = Setting.duration(
                    "komainu.capacity.window", "10m", "7d")
            .byDefault("24h")
            .effect("""
                    how far back loads are looked at to say what a server carries; never behind its newest upgrade
                    """);
    private static final Setting<Double> RESPONSE_LIMIT = Setting.real(
                    "komainu.capacity.response-limit", "" + LEAST_RATIO, "" + MOST_RATIO)
            .byDefault("3")
            .effect(
                    "a server counts as saturated where its mean T_r comes to so many times what it is at rest");
    private static final Setting<Double> EXTRAPOLATE = Setting.real(
                    "komainu.capacity.extrapolate", "1", "5")
            .byDefault("2")
            .effect("""
                    nothing is inferred for rates above so many times the heaviest load seen; there the answer is "at least"
                    """);
    private static final Setting<Duration> REFRESH = Setting.duration(
                    "komainu.capacity.refresh", "1m", "6h")
            .byDefault("10m")
            .effect("how often every service is looked at anew, and its hours are written down");

    public static CapacitySettings read(SettingReader reader) {
        return new CapacitySettings(
                reader.get(WINDOW),
                reader.get(RESPONSE_LIMIT),
                reader.get(EXTRAPOLATE),
                reader.get(REFRESH));
    }
}
