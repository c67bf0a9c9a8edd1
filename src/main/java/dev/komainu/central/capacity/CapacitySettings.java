package dev.komainu.central.capacity;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.time.Duration;

/**
 * Settings of this package.
 *
 * @param window period before now from which loads are read
 * @param responseRatio T_r's limit as a multiple of T_r without load
 * @param extrapolate highest inferred rate, as a multiple of the heaviest observed load
 * @param refresh interval at which every service is computed again
 */
public record CapacitySettings(
        Duration window, double responseRatio, double extrapolate, Duration refresh) {

    /** Range of {@code responseRatio}. */
    public static final double LEAST_RATIO = 1.2;

    public static final int MOST_RATIO = 20;

    private static final Setting<Duration> WINDOW = Setting.duration(
                    "komainu.capacity.window", "10m", "7d")
            .byDefault("24h")
            .effect("Period before now from which loads are read for the capacity of a server")
            .detail("""
                    It never extends before the newest upgrade.""");
    private static final Setting<Double> RESPONSE_LIMIT = Setting.real(
                    "komainu.capacity.response-limit", "" + LEAST_RATIO, "" + MOST_RATIO)
            .byDefault("3")
            .effect("Mean T_r at which a server counts as saturated, as a multiple of T_r "
                    + "without load");
    private static final Setting<Double> EXTRAPOLATE = Setting.real(
                    "komainu.capacity.extrapolate", "1", "5")
            .byDefault("2")
            .effect("Highest inferred rate, as a multiple of the heaviest observed load")
            .detail("""
                    Above it a result is a lower bound ("at least").""");
    private static final Setting<Duration> REFRESH = Setting.duration(
                    "komainu.capacity.refresh", "1m", "6h")
            .byDefault("10m")
            .effect("Interval at which the capacity of every service is computed and its hours "
                    + "are stored")
            .detail("""
                    The computation uses at most one twentieth of a core. With hundreds of services
                    a round takes longer, up to an hour.""");

    public static CapacitySettings read(SettingReader reader) {
        return new CapacitySettings(
                reader.get(WINDOW),
                reader.get(RESPONSE_LIMIT),
                reader.get(EXTRAPOLATE),
                reader.get(REFRESH));
    }
}
