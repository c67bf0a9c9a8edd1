package dev.komainu.central.caches;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the connection to proxies.
 *
 * @param file file of the proxies' control endpoints and tokens; absent: no orders are sent
 */
public record CachesSettings(@Nullable Path file) {

    private static final Setting<Path> FILE = Setting.path("komainu.caches.file", "a file")
            .effect("File of the control endpoints of proxies and organizers")
            .detail("""
                    The file has one line for each: `SERVICE CONTROL-URL TOKEN`, such as
                    `web-01:7680 https://10.0.0.7:7681 a-token`; for an organizer `CLUSTER/MEMBER
                    CONTROL-URL TOKEN`. The URL begins with `https` where the part has an identity
                    and its address is not loopback ([TLS](../formats/proxy-control.md#tls)). Only
                    the service's own user should have access (mode 600). The file is read again
                    when it changes. Without a line, the console shows a cache but cannot browse or
                    purge it, and it cannot drain or weigh a member.""");

    public static CachesSettings read(SettingReader reader) {
        return new CachesSettings(reader.find(FILE));
    }
}
