package dev.komainu.central.caches;

import dev.komainu.central.settings.SettingsReader;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Settings of this room.
 *
 * @param file where each proxy takes orders and by which token; absent: none does
 */
public record CachesSettings(@Nullable Path file) {

    public static CachesSettings from(SettingsReader reader) {
        return new CachesSettings(reader.optionalPath("komainu.caches.file"));
    }
}
