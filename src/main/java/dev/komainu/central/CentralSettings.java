package dev.komainu.central;

import dev.komainu.central.access.AccessSettings;
import dev.komainu.central.alert.AlertSettings;
import dev.komainu.central.api.guard.GuardSettings;
import dev.komainu.central.api.stream.EventStreamSettings;
import dev.komainu.central.audit.AuditSettings;
import dev.komainu.central.backup.BackupSettings;
import dev.komainu.central.caches.CachesSettings;
import dev.komainu.central.capacity.CapacitySettings;
import dev.komainu.central.clickhouse.ClickHouseSettings;
import dev.komainu.central.cluster.ClusterSettings;
import dev.komainu.central.control.ControlDataSettings;
import dev.komainu.central.enrolment.EnrolmentSettings;
import dev.komainu.central.fleet.FleetSettings;
import dev.komainu.central.identity.ServerTlsSettings;
import dev.komainu.central.incident.IncidentSettings;
import dev.komainu.central.ingest.IngestSettings;
import dev.komainu.central.lease.LeaseSettings;
import dev.komainu.central.oidc.OpenIdSettings;
import dev.komainu.central.order.OrderSettings;
import dev.komainu.central.recording.RecordingSettings;
import dev.komainu.central.room.RoomSettings;
import dev.komainu.central.store.StoreSettings;
import dev.komainu.central.verify.VerifySettings;
import dev.komainu.settings.EffectiveSetting;
import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingGrammar;
import dev.komainu.settings.SettingMistakesException;
import dev.komainu.settings.SettingReader;
import java.nio.file.Path;
import java.util.List;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * The settings of all packages. Each package's record declares and reads its own settings and uses
 * no other package. A new package adds its record here.
 *
 * @param listen {@code ADDRESS:PORT}, IPv6 in brackets
 * @param data absolute path of the directory of all stored data
 */
record CentralSettings(
        String listen,
        Path data,
        ControlDataSettings control,
        LeaseSettings lease,
        ServerTlsSettings tls,
        EnrolmentSettings enrolment,
        GuardSettings guard,
        AccessSettings access,
        OpenIdSettings openId,
        AuditSettings audit,
        EventStreamSettings stream,
        OrderSettings orders,
        IncidentSettings incidents,
        VerifySettings verify,
        AlertSettings alerts,
        CapacitySettings capacity,
        IngestSettings ingest,
        RecordingSettings recording,
        FleetSettings fleet,
        CachesSettings caches,
        ClusterSettings clusters,
        StoreSettings store,
        ClickHouseSettings records,
        BackupSettings backup,
        RoomSettings room) {

    static final Setting<String> LISTEN = Setting.of(
                    "komainu.listen", "ADDRESS:PORT", CentralSettings::listen)
            .range("ADDRESS:PORT, IPv6 in brackets; `:PORT` and `*:PORT` mean every address")
            .byDefault("127.0.0.1:7600")
            .effect("Listening address of console, REST, stream and ingest")
            .detail("""
                    `--server.port` and `--server.address` override its parts.""");
    static final Setting<Path> DATA = Setting.path("komainu.data", "a directory")
            .byDefault("data/central")
            .effect("Directory of all stored data")
            .detail("""
                    It contains `control.mv.db` (users, tokens, audit, changes, states; unless
                    `komainu.control.url` is set), the telemetry, and `first-password`.""");

    /**
     * Reads the settings from Spring's environment.
     *
     * @throws IllegalStateException with a {@link SettingMistakesException} as its cause: Spring's
     *     hooks cannot throw checked exceptions
     */
    static CentralSettings read(ConfigurableEnvironment environment) {
        try {
            return read(new SettingReader(List.of(new SpringSettingSource(environment))));
        } catch (SettingMistakesException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the settings that the user gave, as they were written. */
    static List<EffectiveSetting> given(ConfigurableEnvironment environment) {
        SettingReader reader = new SettingReader(List.of(new SpringSettingSource(environment)));
        try {
            read(reader);
        } catch (SettingMistakesException e) {
            throw new IllegalStateException(e);
        }
        return reader.effective().stream()
                .filter(setting -> !setting.source().equals(EffectiveSetting.DEFAULT))
                .toList();
    }

    /**
     * Reads the settings.
     *
     * @throws SettingMistakesException listing every mistake and every unknown {@code komainu.*}
     *     key
     */
    static CentralSettings read(SettingReader reader) throws SettingMistakesException {
        String listen = reader.get(LISTEN);
        Path data = reader.get(DATA).toAbsolutePath().normalize();
        ServerTlsSettings tls = ServerTlsSettings.read(reader);
        GuardSettings guard = GuardSettings.read(reader);
        AlertSettings alerts = AlertSettings.read(reader, url(listen, tls));
        CentralSettings settings = new CentralSettings(
                listen,
                data,
                ControlDataSettings.read(reader),
                LeaseSettings.read(reader),
                tls,
                EnrolmentSettings.read(reader),
                guard,
                AccessSettings.read(reader, data),
                OpenIdSettings.read(reader, alerts.url(), guard.hosts()),
                AuditSettings.read(reader, data),
                EventStreamSettings.read(reader),
                OrderSettings.read(reader, data),
                IncidentSettings.read(reader),
                VerifySettings.read(reader),
                alerts,
                CapacitySettings.read(reader),
                IngestSettings.read(reader),
                RecordingSettings.read(reader),
                FleetSettings.read(reader),
                CachesSettings.read(reader),
                ClusterSettings.read(reader),
                StoreSettings.read(reader, data.resolve("telemetry")),
                ClickHouseSettings.read(reader),
                BackupSettings.read(reader, data),
                RoomSettings.read(reader));
        reader.refuseUnknown();
        reader.finish();
        return settings;
    }

    /**
     * Checks the listen address and returns it with the host as written: links in notices begin
     * with it.
     */
    private static String listen(String text) {
        int port = SettingGrammar.address(text).getPort();
        String host = text.substring(0, text.lastIndexOf(':'));
        return (host.isEmpty() || host.equals("*") ? "0.0.0.0" : host) + ":" + port;
    }

    /** Returns the default address for links in notices. */
    private static String url(String listen, ServerTlsSettings tls) {
        boolean secure = tls.covers(SettingGrammar.address(listen).getAddress());
        return (secure ? "https://" : "http://") + listen;
    }

    String address() {
        return listen.substring(0, listen.lastIndexOf(':')).replaceAll("[\\[\\]]", "");
    }

    String port() {
        return listen.substring(listen.lastIndexOf(':') + 1);
    }
}
