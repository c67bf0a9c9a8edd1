package dev.komainu.proxy.disk;

import dev.komainu.settings.SettingText;
import java.nio.file.Path;

/**
 * Directory and size of the disk tier, written {@code DIR:SIZE}.
 *
 * @param bytes cap of all files there
 */
public record DiskPlace(Path directory, long bytes) {

    /** @throws IllegalArgumentException naming the text and what was expected */
    static DiskPlace parse(String text) {
        int colon = text.lastIndexOf(':');
        if (colon < 1) {
            throw SettingText.wrong(text, "DIR:SIZE");
        }
        return new DiskPlace(Path.of(text.substring(0, colon)), SettingText.size(text.substring(colon + 1)));
    }
}
