package dev.komainu.agent.discovery.configuration;

import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.List;

/**
 * What reading one server's configuration gave. Holds nothing that may not leave the host.
 *
 * @param settings effective values, each name once, each with its source
 * @param accessLogs where requests are logged, the one for this port first; empty when they are
 *     not, or not in a file
 * @param upstreams servers behind this one
 * @param files what was read, the main file first
 * @param serves whether its requests come in at this port; false for a port it uses otherwise, such
 *     as one for management
 * @param problems what could not be read or understood, by file and line, never with the text that
 *     stands there
 */
public record ServerConfiguration(
        List<Setting> settings,
        List<AccessLogPlace> accessLogs,
        List<Upstream> upstreams,
        List<ConfigurationFile> files,
        boolean serves,
        List<String> problems) {

    public static final ServerConfiguration NONE =
            new ServerConfiguration(List.of(), List.of(), List.of(), List.of(), true, List.of());

    public ServerConfiguration {
        settings = List.copyOf(settings);
        accessLogs = List.copyOf(accessLogs);
        upstreams = List.copyOf(upstreams);
        files = List.copyOf(files);
        problems = List.copyOf(problems);
    }
}
