package dev.komainu.central.incident;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;

/**
 * Settings of this package.
 *
 * @param perService newest diagnoses of entries that are kept of a service; 0: none are made
 * @param size limit of all of them together, in bytes
 * @param historyDays age at which ended incidents are deleted
 */
public record IncidentSettings(int perService, long size, int historyDays) {

    private static final Setting<Integer> PER_SERVICE = Setting.integer(
                    "komainu.diagnosis.per-service", 0, 10_000)
            .byDefault("30")
            .effect("Kept diagnoses of entries into a bad state, of each service")
            .detail("""
                    The walk through the flowchart is kept by itself when a service enters a bad
                    state, and once more 45 s later with the figures of that time. 0 keeps none.
                    Runs that a person keeps do not count and are never deleted.""");
    private static final Setting<Long> SIZE = Setting.size("komainu.diagnosis.size", "1MB", "1TB")
            .byDefault("64MB")
            .effect("Limit of these diagnoses of all services together")
            .detail("""
                    Above it the oldest ones are deleted and counted in
                    `komainu_entry_diagnoses_total{outcome="deleted"}`.""");
    private static final Setting<Integer> HISTORY_DAYS = Setting.integer(
                    "komainu.incidents.history-days", 1, 3650)
            .byDefault("90")
            .effect("Age in days at which ended incidents are deleted");

    public static IncidentSettings read(SettingReader reader) {
        return new IncidentSettings(
                reader.get(PER_SERVICE), reader.get(SIZE), reader.get(HISTORY_DAYS));
    }
}
