package dev.komainu.central.fleet;

import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The profile of one watched server. Immutable; each sighting makes a new one.
 *
 * @param id canonical id: {@code NODE:PORT} where an agent runs beside it, else
 *     {@code ADDRESS:PORT}
 * @param node the host it runs on; absent when only its traffic is seen
 * @param name its name for people
 * @param kind {@code nginx}, {@code apache}, {@code tomcat}, {@code squid}, {@code haproxy},
 *     {@code varnish}, {@code komainu} or {@code other}
 * @param version as its program reports it
 * @param addresses every address it is reached at
 * @param processId listening process
 * @param program its executable
 * @param settings effective values, each with where it was read
 * @param reportedBy sources that saw it
 * @param firstSeenMicros when it was first seen
 * @param lastSeenMicros newest sighting or window
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
        long lastSeenMicros) {

    public ServiceProfile {
        addresses = List.copyOf(addresses);
        settings = List.copyOf(settings);
        reportedBy = Set.copyOf(reportedBy);
    }

    /** The setting of this name, case-insensitive as server configurations are. */
    public @Nullable Setting setting(String settingName) {
        for (Setting setting : settings) {
            if (setting.name().equalsIgnoreCase(settingName)) {
                return setting;
            }
        }
        return null;
    }

    /** What its settings say it can serve at once. */
    public ServerLimits limits() {
        return ServerLimits.of(this);
    }
}
