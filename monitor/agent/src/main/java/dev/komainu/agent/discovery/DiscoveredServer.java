package dev.komainu.agent.discovery;

import dev.komainu.agent.discovery.configuration.AccessLogPlace;
import dev.komainu.agent.discovery.configuration.ServerConfiguration;
import dev.komainu.agent.discovery.configuration.Upstream;
import dev.komainu.agent.host.WatchedServer;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.ServiceSighting;
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
 * @param port where it listens
 * @param kind as in {@link ServiceSighting#kind}
 * @param version as its program tells it
 * @param addresses every address it can be reached at; the wildcard is spelt out
 * @param processId top of its process tree; absent without permission to look
 * @param program path of its executable
 * @param settings what tuning needs
 * @param sockets inodes of its listening sockets
 * @param configuration what its configuration says, read from its files and command line
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
        ServerConfiguration configuration) {

    /** Kinds that fetch from others also where no configuration names one. */
    private static final Set<String> PROXIES = Set.of("squid", "komainu", "haproxy", "varnish");

    public DiscoveredServer {
        addresses = List.copyOf(addresses);
        settings = List.copyOf(settings);
        sockets = List.copyOf(sockets);
    }

    /** One whose configuration is not known. */
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

    /** Where it logs requests in files, the log of this port's default server first. */
    public List<AccessLogPlace> accessLogs() {
        return configuration.accessLogs();
    }

    /** The servers behind it that its configuration names. */
    public List<Upstream> upstreams() {
        return configuration.upstreams();
    }

    /** What people call it, such as {@code nginx :80}. */
    public String name() {
        return kind + " :" + port;
    }

    /** @param atMicros when it was seen */
    public ServiceSighting sighting(long atMicros) {
        return new ServiceSighting(
                service, node, name(), kind, version, addresses, processId, program, settings,
                atMicros);
    }

    /** What the host sampler needs to find its processes. */
    public WatchedServer watched() {
        List<Endpoint> behind = new ArrayList<>();
        boolean everyOne = true;
        for (Upstream upstream : upstreams()) {
            Endpoint endpoint = upstream.endpoint();
            if (endpoint != null) {
                behind.add(endpoint);
            } else {
                // Unix sockets need no ports; a name may mean any address.
                everyOne &= upstream.address().startsWith("unix:");
            }
        }
        boolean fetches =
                !everyOne || !behind.isEmpty() || upstreams().isEmpty() && PROXIES.contains(kind);
        return new WatchedServer(
                service, processId, port, sockets, fetches, everyOne ? behind : List.of());
    }
}
