package dev.komainu.central.room;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;

/**
 * Settings of this package.
 *
 * @param reserveBytes size of the reserve, and free bytes below which batches are refused
 */
public record RoomSettings(long reserveBytes) {

    private static final Setting<Long> RESERVE = Setting.size("komainu.room.reserve", "1MB", "64GB")
            .byDefault("64MB")
            .effect("Room kept free for control data when a disk fills up")
            .detail("""
                    A file `reserve` of this size in `komainu.data` is deleted when the disk is full, so that
                    users can log in. With less than this free where the telemetry lies, batches are refused with
                    503; with less than twice of it, the oldest days are deleted early. With PostgreSQL a table
                    `room_reserve` has the same size ([disk full](../operations.md#disk-full)).""");

    /** Reads the settings. */
    public static RoomSettings read(SettingReader reader) {
        return new RoomSettings(reader.get(RESERVE));
    }
}
