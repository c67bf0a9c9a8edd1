package dev.komainu.agent.discovery.configuration;

import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.List;

/**
 * The configuration read from one server. Contains only values that may leave the host.
 *
 * @param settings effective values, each name once, each with its source
 * @param accessLogs the access log files, the one for this port first; empty when requests are not
 *     logged in a file
 * @param upstreams the servers it forwards requests to
 * @param files the files read, the main file first
 * @param serves whether requests arrive at this port; false for another port, such as one for
 *     management
 * @param problems the parts that could not be read or understood, by file and line, never with the
 *     text of the line
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
