package dev.komainu.central;

import dev.komainu.central.access.AccessSettings;
import dev.komainu.central.alert.AlertSettings;
import dev.komainu.central.api.guard.GuardSettings;
import dev.komainu.central.api.stream.StreamSettings;
import dev.komainu.central.caches.CachesSettings;
import dev.komainu.central.capacity.CapacitySettings;
import dev.komainu.central.cluster.ClusterSettings;
import dev.komainu.central.ingest.IngestSettings;
import dev.komainu.central.order.OrderSettings;
import dev.komainu.central.settings.SettingsReader;
import dev.komainu.central.store.StoreSettings;
import dev.komainu.central.verify.VerifySettings;
import java.nio.file.Path;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * The settings of all rooms. Each room's record checks itself and knows no other room; a new room adds its record
 * here.
 *
 * @param listen {@code ADDRESS:PORT}, IPv6 in brackets; default 127.0.0.1:7600
 * @param data directory of everything the service keeps; default {@code data/central}
 */
record CentralSettings(
        String listen,
        Path data,
        AccessSettings access,
        GuardSettings guard,
        StreamSettings stream,
        StoreSettings store,
        IngestSettings ingest,
        CachesSettings caches,
        OrderSettings orders,
        VerifySettings verify,
        AlertSettings alerts,
        CapacitySettings capacity,
        ClusterSettings clusters) {

    static final String LISTEN = "komainu.listen";

    /** @throws dev.komainu.central.settings.SettingsMistakes naming every mistake and every unknown {@code komainu.*} key */
    static CentralSettings read(ConfigurableEnvironment environment) {
        return read(new SettingsReader(environment));
    }

    /** @throws dev.komainu.central.settings.SettingsMistakes as of {@link #read(ConfigurableEnvironment)} */
    static CentralSettings read(SettingsReader reader) {
        Path data = reader.path("komainu.data", Path.of("data", "central"))
                .toAbsolutePath()
                .normalize();
        String listen = reader.word(
                LISTEN,
                "127.0.0.1:7600",
                "(\\[[0-9a-fA-F:.]+]|[0-9.]+|localhost):(6553[0-5]|655[0-2]\\d|65[0-4]\\d\\d|6[0-4]\\d{3}|[1-5]?\\d{1,4})",
                "ADDRESS:PORT, such as 127.0.0.1:7600, 0.0.0.0:7600 or [::1]:7600");
        CentralSettings settings = new CentralSettings(
                listen,
                data,
                AccessSettings.from(reader, data),
                GuardSettings.from(reader),
                StreamSettings.from(reader),
                StoreSettings.from(reader, data),
                IngestSettings.from(reader),
                CachesSettings.from(reader),
                OrderSettings.from(reader, data),
                VerifySettings.from(reader),
                AlertSettings.from(reader, listen),
                CapacitySettings.from(reader),
                ClusterSettings.from(reader));
        reader.finish();
        return settings;
    }

    String address() {
        return listen.substring(0, listen.lastIndexOf(':')).replaceAll("[\\[\\]]", "");
    }

    String port() {
        return listen.substring(listen.lastIndexOf(':') + 1);
    }
}
