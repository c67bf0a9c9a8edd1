package dev.komainu.telemetry.record;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A web server found by a source or named in its settings. Sent at start, on change, and every five
 * minutes.
 *
 * @param service id, {@code NODE:PORT} for a local server, {@code ADDRESS:PORT} for one learned
 *     from traffic
 * @param node the host it runs on; absent when only its traffic is seen
 * @param name display name, such as {@code nginx :80}
 * @param kind {@code nginx}, {@code apache}, {@code tomcat}, {@code squid}, {@code haproxy},
 *     {@code varnish}, {@code gunicorn}, {@code uwsgi}, {@code php-fpm}, {@code komainu} (Komainu's
 *     proxy) or {@code other}
 * @param version the version its program reports
 * @param addresses every address it can be reached at; they identify one server seen by two probes
 * @param process the listening process
 * @param settings effective values that tuning needs, each with its source
 * @param atMicros time of observation
 * @param originSideOf for the origin side of a proxy (thesis ch. 5): the id of the proxy's own
 *     service, so that both sides can be paired; windows of such a service contain only that
 *     proxy's requests. Absent for every other service
 * @param labels labels from the source's settings and from discovery
 */
public record ServiceSighting(
        String service,
        @Nullable String node,
        String name,
        String kind,
        @Nullable String version,
        List<Endpoint> addresses,
        ServerProcess process,
        List<Setting> settings,
        long atMicros,
        @Nullable String originSideOf,
        List<ReportedLabel> labels)
        implements TelemetryRecord {

    /**
     * The beginning of the names of settings that belong to the application pool behind a server.
     */
    public static final String OF_POOL = "pool:";

    /** The setting that says which servers the agent changes. */
    public static final String AGENT_CHANGES = "agent:changes";

    /**
     * The listening process.
     *
     * @param processId the listening process (the master of several)
     * @param program path of its executable
     */
    @FieldGroup
    public record ServerProcess(
            @Nullable Long processId, @Nullable String program) {}

    /** Creates a sighting without labels. */
    public ServiceSighting(
            String service,
            @Nullable String node,
            String name,
            String kind,
            @Nullable String version,
            List<Endpoint> addresses,
            ServerProcess process,
            List<Setting> settings,
            long atMicros,
            @Nullable String originSideOf) {
        this(
                service,
                node,
                name,
                kind,
                version,
                addresses,
                process,
                settings,
                atMicros,
                originSideOf,
                List.of());
    }

    /** Creates a sighting of a server that is no origin side of a proxy. */
    public ServiceSighting(
            String service,
            @Nullable String node,
            String name,
            String kind,
            @Nullable String version,
            List<Endpoint> addresses,
            ServerProcess process,
            List<Setting> settings,
            long atMicros) {
        this(service, node, name, kind, version, addresses, process, settings, atMicros, null);
    }

    public ServiceSighting {
        addresses = List.copyOf(addresses);
        settings = List.copyOf(settings);
        labels = List.copyOf(labels);
    }

    /** Returns the same sighting with one more setting. */
    public ServiceSighting with(Setting setting) {
        List<Setting> all = new ArrayList<>(settings);
        all.add(setting);
        return with(addresses, all, labels);
    }

    /** Returns the same sighting with these addresses. */
    public ServiceSighting withAddresses(List<Endpoint> others) {
        return with(others, settings, labels);
    }

    /** Returns the same sighting with these labels. */
    public ServiceSighting withLabels(List<ReportedLabel> others) {
        return with(addresses, settings, others);
    }

    /** Returns the same sighting with these lists in place of its own. */
    public ServiceSighting with(
            List<Endpoint> otherAddresses,
            List<Setting> otherSettings,
            List<ReportedLabel> otherLabels) {
        return new ServiceSighting(
                service,
                node,
                name,
                kind,
                version,
                otherAddresses,
                process,
                otherSettings,
                atMicros,
                originSideOf,
                otherLabels);
    }

    /**
     * One effective value.
     *
     * @param name the server's own name of the setting ({@code worker_connections}), or
     *     {@code sysctl:net.core.somaxconn}, {@code limit:nofile}
     * @param value as written
     * @param source file and line, {@code /proc} path, or {@code default}
     */
    public record Setting(String name, String value, String source) {}

    /**
     * One label.
     *
     * @param source {@link #OF_SETTINGS}, or the place where discovery read it, such as
     *     {@code /proc/812/cgroup}
     */
    public record ReportedLabel(String key, String value, String source) {

        /** The source of labels that the settings of the agent give. */
        public static final String OF_SETTINGS = "labels";

        /** Returns key and value. */
        public Label label() {
            return new Label(key, value);
        }
    }
}
