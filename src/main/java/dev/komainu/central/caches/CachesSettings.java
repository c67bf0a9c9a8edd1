package dev.komainu.central.caches;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Settings of this room.
 *
 * @param file where each proxy takes orders and by which token; absent: none does
 */
public record CachesSettings(@Nullable Path file) {

    private static final Setting<Path> FILE =
            Setting.path("komainu.caches.file", "a file").effect("""
                    where our proxies and organizers take orders, a line for each: `SERVICE CONTROL-URL TOKEN`,
                    such as `web-01:7680 http://10.0.0.7:7681 a-token`; of an organizer `CLUSTER/MEMBER CONTROL-URL TOKEN`.
                    Keep it to the service's own user (mode 600). Read again when it changed.
                    Without a line, a cache is watched but can neither be browsed nor purged from here, and a member neither drained nor weighed
                    """);

    public static CachesSettings read(SettingReader reader) {
        return new CachesSettings(reader.find(FILE));
    }
}
