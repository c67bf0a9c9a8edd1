package dev.komainu.proxy;

import dev.komainu.proxy.disk.DiskSettings;
import dev.komainu.proxy.peak.PeakSettings;
import dev.komainu.settings.SettingText;
import java.nio.file.Path;
import java.util.Optional;

/** Reads everything about the disk tier and the peak. */
final class DiskValues {

    private DiskValues() {}

    private record Place(Path directory, long bytes) {}

    static DiskSettings disk(SettingValues values) {
        DiskSettings d = DiskSettings.NONE;
        Place place = values.optional("cache.disk", DiskValues::place);
        return new DiskSettings(
                place == null ? null : place.directory(),
                place == null ? d.bytes() : place.bytes(),
                values.value("cache.disk-delay", d.delay(), SettingText::duration));
    }

    /** {@code DIR:SIZE}; none: no disk tier. */
    private static Optional<Place> place(String text) {
        if (text.equals("none")) {
            return Optional.empty();
        }
        int colon = text.lastIndexOf(':');
        if (colon < 1) {
            throw new IllegalArgumentException(text + " (expected: DIR:SIZE)");
        }
        return Optional.of(new Place(Path.of(text.substring(0, colon)), SettingText.size(text.substring(colon + 1))));
    }

    static PeakSettings peak(SettingValues values) {
        PeakSettings d = PeakSettings.DEFAULT;
        return new PeakSettings(
                values.value("peak.surge", d.surge(), SettingText::real),
                values.value("peak.disk-busy", d.diskBusy(), SettingText::share),
                values.value("peak.read-latency", d.readLatency(), SettingText::duration),
                values.value("peak.loop-delay", d.loopDelay(), SettingText::duration),
                values.value("peak.enter", d.enter(), SettingText::duration),
                values.value("peak.leave", d.leave(), SettingText::duration),
                values.value("peak.learn", d.learn(), SettingText::truth),
                values.value("peak.day", d.day(), SettingText::duration));
    }
}
