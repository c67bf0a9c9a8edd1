package dev.komainu.proxy.disk;

import dev.komainu.settings.SettingGrammar;
import java.nio.file.Path;

/**
 * Directory and size of the disk tier, written {@code DIR:SIZE}.
 *
 * @param bytes limit of the sum of all files there
 */
public record DiskLocation(Path directory, long bytes) {

    /**
     * Parses a setting's value.
     *
     * @throws IllegalArgumentException with the text and the expected form
     */
    static DiskLocation parse(String text) {
        int colon = text.lastIndexOf(':');
        if (colon < 1) {
            throw SettingGrammar.wrong(text, "DIR:SIZE");
        }
        return new DiskLocation(
                Path.of(text.substring(0, colon)), SettingGrammar.size(text.substring(colon + 1)));
    }
}
