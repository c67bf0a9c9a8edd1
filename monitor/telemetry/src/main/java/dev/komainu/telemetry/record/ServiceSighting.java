package dev.komainu.telemetry.record;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A web server that a source found or was told of. Sent at start, on change, and every five
 * minutes.
 *
 * @param service id, {@code NODE:PORT} for a local server, {@code ADDRESS:PORT} for one learnt from
 *     traffic
 * @param node the host it runs on; absent when only its traffic is seen
 * @param name what people call it, such as {@code nginx :80}
 * @param kind {@code nginx}, {@code apache}, {@code tomcat}, {@code squid}, {@code haproxy},
 *     {@code varnish}, {@code komainu} (our proxy) or {@code other}
 * @param version as its program tells it
 * @param addresses every address it can be reached at; the same server seen by two probes meets
 *     here
 * @param processId the listening process (the master where there are many)
 * @param program path of its executable
 * @param settings effective values that tuning needs, each with where it was read
 * @param atMicros when it was seen
 * @param originSideOf for what a proxy fetches from (thesis ch. 5): the id of the proxy's own
 *     service, so that both sides can be paired; windows of such a service hold only what that
 *     proxy asked. Absent for every other service
 */
public record ServiceSighting(
        String service,
        @Nullable String node,
        String name,
        String kind,
        @Nullable String version,
        List<Endpoint> addresses,
        @Nullable Long processId,
        @Nullable String program,
        List<Setting> settings,
        long atMicros,
        @Nullable String originSideOf)
        implements TelemetryRecord {

    /** A server that is nobody's origin side. */
    public ServiceSighting(
            String service,
            @Nullable String node,
            String name,
            String kind,
            @Nullable String version,
            List<Endpoint> addresses,
            @Nullable Long processId,
            @Nullable String program,
            List<Setting> settings,
            long atMicros) {
        this(
                service, node, name, kind, version, addresses, processId, program, settings,
                atMicros, null);
    }

    public ServiceSighting {
        addresses = List.copyOf(addresses);
        settings = List.copyOf(settings);
    }

    /**
     * @param name the server's own name for it ({@code worker_connections}), or
     *     {@code sysctl:net.core.somaxconn}, {@code limit:nofile}
     * @param value as written
     * @param source file and line, {@code /proc} path, or {@code default}
     */
    public record Setting(String name, String value, String source) {}
}
