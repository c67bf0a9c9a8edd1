package dev.komainu.agent.discovery;

import dev.komainu.agent.discovery.configuration.AccessLogPlace;
import dev.komainu.agent.discovery.configuration.ServerConfiguration;
import dev.komainu.agent.discovery.configuration.Upstream;
import dev.komainu.agent.host.ApplicationPool;
import dev.komainu.agent.host.WatchedServer;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceSighting.ReportedLabel;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A web server on this host, one per listening port.
 *
 * @param service id, {@code NODE:PORT}
 * @param node this host's name
 * @param port the port it listens on
 * @param kind as in {@link ServiceSighting#kind}
 * @param version the version its program reports; absent when unknown
 * @param addresses every address it can be reached at; a wildcard is expanded
 * @param processId top of its process tree; absent without permission to read it
 * @param program path of its executable
 * @param settings the values that tuning needs
 * @param sockets inodes of its listening sockets
 * @param configuration its configuration, read from its files and command line
 * @param pools the application pools of this host that work for it
 * @param pool the first of them as a server of its own, with the processes' settings; its port is 0
 *     and its service this one's; absent when there is none
 * @param labels labels from its process and its configuration
 */
public record DiscoveredServer(
        String service,
        String node,
        int port,
        String kind,
        @Nullable String version,
        List<Endpoint> addresses,
        @Nullable Long processId,
        @Nullable String program,
        List<Setting> settings,
        List<Long> sockets,
        ServerConfiguration configuration,
        List<ApplicationPool> pools,
        @Nullable DiscoveredServer pool,
        List<ReportedLabel> labels) {

    /** Kinds that fetch from upstream servers even when the configuration names none. */
    private static final Set<String> PROXIES = Set.of("squid", "komainu", "haproxy", "varnish");

    public DiscoveredServer {
        addresses = List.copyOf(addresses);
        settings = List.copyOf(settings);
        sockets = List.copyOf(sockets);
        pools = List.copyOf(pools);
        labels = List.copyOf(labels);
    }

    /** Creates a server without pools. */
    public DiscoveredServer(
            String service,
            String node,
            int port,
            String kind,
            @Nullable String version,
            List<Endpoint> addresses,
            @Nullable Long processId,
            @Nullable String program,
            List<Setting> settings,
            List<Long> sockets,
            ServerConfiguration configuration) {
        this(
                service,
                node,
                port,
                kind,
                version,
                addresses,
                processId,
                program,
                settings,
                sockets,
                configuration,
                List.of(),
                null,
                List.of());
    }

    /** Creates a server whose configuration is not known. */
    public DiscoveredServer(
            String service,
            String node,
            int port,
            String kind,
            @Nullable String version,
            List<Endpoint> addresses,
            @Nullable Long processId,
            @Nullable String program,
            List<Setting> settings,
            List<Long> sockets) {
        this(
                service,
                node,
                port,
                kind,
                version,
                addresses,
                processId,
                program,
                settings,
                sockets,
                ServerConfiguration.NONE);
    }

    /** Returns this server with its pools. */
    DiscoveredServer withPools(List<ApplicationPool> found) {
        return with(settings, found, pool, labels);
    }

    /** Returns this server with the first of its pools and that pool's settings. */
    DiscoveredServer withPool(DiscoveredServer first) {
        List<Setting> all = new ArrayList<>(settings);
        for (Setting setting : first.settings()) {
            all.add(new Setting(
                    ServiceSighting.OF_POOL + setting.name(), setting.value(), setting.source()));
        }
        return with(all, pools, first, labels);
    }

    /** Returns this server with its labels. */
    DiscoveredServer withLabels(List<ReportedLabel> found) {
        return with(settings, pools, pool, found);
    }

    private DiscoveredServer with(
            List<Setting> shown,
            List<ApplicationPool> found,
            @Nullable DiscoveredServer first,
            List<ReportedLabel> labelled) {
        return new DiscoveredServer(
                service,
                node,
                port,
                kind,
                version,
                addresses,
                processId,
                program,
                shown,
                sockets,
                configuration,
                found,
                first,
                labelled);
    }

    /** Returns the places of its access log files, the log of this port's default server first. */
    public List<AccessLogPlace> accessLogs() {
        return configuration.accessLogs();
    }

    /** Returns the upstream servers that its configuration names. */
    public List<Upstream> upstreams() {
        return configuration.upstreams();
    }

    /** Returns its display name, such as {@code nginx :80}. */
    public String name() {
        return kind + " :" + port;
    }

    /**
     * Returns this server as the record that reports it.
     *
     * @param atMicros time of observation, in epoch microseconds
     */
    public ServiceSighting sighting(long atMicros) {
        return new ServiceSighting(
                service,
                node,
                name(),
                kind,
                version,
                addresses,
                new ServiceSighting.ServerProcess(processId, program),
                settings,
                atMicros,
                null,
                labels);
    }

    /** Returns the values with which the host sampler finds its processes. */
    public WatchedServer watched() {
        List<Endpoint> endpoints = new ArrayList<>();
        boolean allKnown = true;
        for (Upstream upstream : upstreams()) {
            Endpoint endpoint = upstream.endpoint();
            if (endpoint != null) {
                endpoints.add(endpoint);
            } else {
                // A Unix socket needs no port. A host name may stand for any address.
                allKnown &= upstream.address().startsWith("unix:");
            }
        }
        boolean fetches = !allKnown
                || !endpoints.isEmpty()
                || (upstreams().isEmpty() && PROXIES.contains(kind));
        return new WatchedServer(
                service,
                processId,
                port,
                sockets,
                fetches,
                allKnown ? endpoints : List.of(),
                pools);
    }
}
