package dev.komainu.central.fleet;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.time.Duration;

/**
 * The limits of what sources may name.
 *
 * @param maxServices services in all
 * @param maxServicesPerCredential services that one token may name first
 * @param maxSources sources in all, and hosts in all
 * @param maxSourcesPerCredential sources that one token may name first
 * @param forgetSourcesAfter time without a batch after which a source is removed
 */
public record FleetSettings(
        int maxServices,
        int maxServicesPerCredential,
        int maxSources,
        int maxSourcesPerCredential,
        Duration forgetSourcesAfter) {

    /** The default values, for tests. */
    public static final FleetSettings USUAL =
            new FleetSettings(500, 440, 500, 440, Duration.ofDays(7));

    private static final Setting<Integer> MAX_SERVICES = Setting.integer(
                    "komainu.fleet.max-services", 1, 100_000)
            .byDefault("500")
            .effect("Services in all")
            .detail("""
                    Records of further services are left out and counted. The default heap carries the default value; give the
                    service 0.3 MB more heap for each further one. The service checks this at its start.
                    """);
    private static final Setting<Integer> MAX_SERVICES_PER_CREDENTIAL = Setting.integer(
                    "komainu.fleet.max-services-per-token", 1, 100_000)
            .byDefault("440")
            .effect("Services that one token or user may name first");
    private static final Setting<Integer> MAX_SOURCES = Setting.integer(
                    "komainu.fleet.max-sources", 1, 100_000)
            .byDefault("500")
            .effect("Sources in all, and hosts in all")
            .detail("Batches of further sources must wait: they get 429 with `Retry-After`.");
    private static final Setting<Integer> MAX_SOURCES_PER_CREDENTIAL = Setting.integer(
                    "komainu.fleet.max-sources-per-token", 1, 100_000)
            .byDefault("440")
            .effect("Sources that one token or user may name first");
    private static final Setting<Duration> FORGET_SOURCES_AFTER = Setting.duration(
                    "komainu.fleet.forget-sources-after", "1h", "365d")
            .byDefault("7d")
            .effect("Time without a batch after which a source is removed from the list");

    /** Reads the settings. */
    public static FleetSettings read(SettingReader reader) {
        return new FleetSettings(
                reader.get(MAX_SERVICES),
                reader.get(MAX_SERVICES_PER_CREDENTIAL),
                reader.get(MAX_SOURCES),
                reader.get(MAX_SOURCES_PER_CREDENTIAL),
                reader.get(FORGET_SOURCES_AFTER));
    }
}
