package dev.komainu.central.fleet;

import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceSighting.ReportedLabel;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The profile of one watched server. Immutable; each sighting creates a new one.
 *
 * @param id canonical id: {@code NODE:PORT} when an agent runs beside it, else {@code ADDRESS:PORT}
 * @param node the host it runs on; absent when only its traffic is observed
 * @param name its name for people
 * @param kind {@code nginx}, {@code apache}, {@code tomcat}, {@code squid}, {@code haproxy},
 *     {@code varnish}, {@code gunicorn}, {@code uwsgi}, {@code php-fpm}, {@code komainu} or
 *     {@code other}
 * @param version as its program reports it
 * @param addresses every address it is reached at
 * @param processId listening process
 * @param program its executable
 * @param settings effective values, each with its source
 * @param reportedBy sources that reported it
 * @param firstSeenMicros time of the first sighting or window
 * @param lastSeenMicros time of the newest sighting or window
 * @param labels labels that sources report, each key once
 */
public record ServiceProfile(
        String id,
        @Nullable String node,
        String name,
        String kind,
        @Nullable String version,
        List<Endpoint> addresses,
        @Nullable Long processId,
        @Nullable String program,
        List<Setting> settings,
        Set<String> reportedBy,
        long firstSeenMicros,
        long lastSeenMicros,
        List<ReportedLabel> labels) {

    /** Creates the profile of a service without labels. */
    public ServiceProfile(
            String id,
            @Nullable String node,
            String name,
            String kind,
            @Nullable String version,
            List<Endpoint> addresses,
            @Nullable Long processId,
            @Nullable String program,
            List<Setting> settings,
            Set<String> reportedBy,
            long firstSeenMicros,
            long lastSeenMicros) {
        this(
                id,
                node,
                name,
                kind,
                version,
                addresses,
                processId,
                program,
                settings,
                reportedBy,
                firstSeenMicros,
                lastSeenMicros,
                List.of());
    }

    public ServiceProfile {
        addresses = List.copyOf(addresses);
        settings = List.copyOf(settings);
        reportedBy = Set.copyOf(reportedBy);
        labels = List.copyOf(labels);
    }

    /**
     * Returns the setting of this name, ignoring case as server configurations do; null when it is
     * unknown.
     */
    public @Nullable Setting setting(String settingName) {
        for (Setting setting : settings) {
            if (setting.name().equalsIgnoreCase(settingName)) {
                return setting;
            }
        }
        return null;
    }

    /**
     * Returns the application pool (php-fpm, uWSGI, gunicorn) behind this web server as a profile
     * of its own, with the host's settings; null when its agent found none.
     */
    public @Nullable ServiceProfile pool() {
        Setting poolKind = setting(ServiceSighting.OF_POOL + "kind");
        if (poolKind == null) {
            return null;
        }
        Setting process = setting(ServiceSighting.OF_POOL + "process");
        // An agent writes it: what is no number is no process.
        Long poolProcess = process != null && process.value().matches("\\d{1,18}")
                ? Long.valueOf(process.value())
                : null;
        List<Setting> own = new ArrayList<>();
        for (Setting setting : settings) {
            if (setting.name().startsWith(ServiceSighting.OF_POOL)) {
                own.add(new Setting(
                        setting.name().substring(ServiceSighting.OF_POOL.length()),
                        setting.value(),
                        setting.source()));
            } else if (setting.name().startsWith("sysctl") || setting.name().startsWith("host:")) {
                own.add(setting);
            }
        }
        return new ServiceProfile(
                id,
                node,
                name,
                poolKind.value(),
                null,
                addresses,
                poolProcess,
                null,
                own,
                reportedBy,
                firstSeenMicros,
                lastSeenMicros,
                labels);
    }

    /** Returns the limits of concurrency in its settings. */
    public ServerLimits limits() {
        return ServerLimits.of(this);
    }
}
