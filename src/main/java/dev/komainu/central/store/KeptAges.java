package dev.komainu.central.store;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.time.LocalDate;

/**
 * The ages at which telemetry is deleted: the one rule for raw days, for roll-ups, and for all that
 * other packages derive from them for long periods. {@link Retention} carries it out.
 *
 * <p>A day is a UTC day of arrival. Nothing of a raw day is deleted before its roll-ups are stored,
 * and no roll-up is deleted while its raw day is there.
 *
 * @param rawDays age of raw days, with their roll-ups of ten seconds
 * @param minuteDays age of roll-ups of a minute
 * @param hourDays age of roll-ups of an hour
 */
public record KeptAges(int rawDays, int minuteDays, int hourDays) {

    private static final Setting<Integer> RAW = Setting.integer(
                    "komainu.store.retention-days", 1, 3650)
            .byDefault("30")
            .effect("Age in days at which telemetry is deleted, a day's file at a time")
            .detail("""
                    It is not deleted after [a jump of the
                    clock](../clocks.md#what-is-deleted-by-age), nor before the day's roll-ups are stored.""");
    private static final Setting<Integer> MINUTES = Setting.integer(
                    "komainu.store.minute-days", 1, 3650)
            .byDefault("30")
            .effect("Age in days at which roll-ups of a minute are deleted")
            .detail("""
                    Roll-ups are kept [in files of their own](../operations.md#long-memory), so that they stay when
                    `komainu.store.retention-bytes` deletes days. They stay at least as long as the day itself.""");
    private static final Setting<Integer> HOURS = Setting.integer(
                    "komainu.store.hour-days", 1, 36_500)
            .byDefault("1095")
            .effect(
                    "Age in days at which roll-ups of an hour and the hours of the capacity page are deleted");

    static KeptAges read(SettingReader reader) {
        return new KeptAges(reader.get(RAW), reader.get(MINUTES), reader.get(HOURS));
    }

    /** Returns the default ages. */
    public static KeptAges byDefault() {
        return read(SettingReader.ofDefaults());
    }

    KeptAges withRawDays(int days) {
        return new KeptAges(days, minuteDays, hourDays);
    }

    /** Returns the first raw day that is not too old. */
    LocalDate oldestRaw(LocalDate today) {
        return today.minusDays(rawDays);
    }

    /** Returns the first day whose roll-ups of a level are not too old. */
    LocalDate oldest(RollUpLevel level, LocalDate today) {
        return today.minusDays(
                switch (level) {
                    case MINUTE -> minuteDays;
                    case HOUR -> hourDays;
                });
    }

    /** Returns the age in days up to which every minute of a service is known. */
    public int daysInMinutes() {
        return Math.max(rawDays, minuteDays);
    }
}
