package dev.komainu.agent.discovery.configuration;

import dev.komainu.agent.discovery.program.ProcessEnvironment;
import dev.komainu.agent.discovery.program.ServerProcess;
import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.List;

/** Readings of files and a command line made by a test. */
public final class Readings {

    private Readings() {}

    /**
     * Runs a reader.
     *
     * @param arguments the command line, the program first
     */
    public static ServerConfiguration read(
            ConfigurationReader reader,
            String kind,
            @org.jspecify.annotations.Nullable String version,
            int port,
            List<String> arguments,
            String... environment) {
        ServerProcess process = new ServerProcess(1, "/usr/sbin/" + kind, arguments, true, "/");
        return read(
                reader, kind, version, port, process, ConfigurationFiles.ofThisHost(), environment);
    }

    static ServerConfiguration read(
            ConfigurationReader reader,
            String kind,
            @org.jspecify.annotations.Nullable String version,
            int port,
            ServerProcess process,
            ConfigurationFiles files,
            String... environment) {
        ConfigurationFindings findings = new ConfigurationFindings(kind, version);
        ConfigurationSubject subject = new ConfigurationSubject(
                process,
                version,
                port,
                null,
                files,
                ProcessEnvironment.of(environment),
                ProcFiles.ofThisHost(),
                flags -> "");
        reader.read(subject, findings);
        return findings.configuration(files);
    }

    /** Returns the reported value of a name; {@code absent} when there is none. */
    public static String value(ServerConfiguration configuration, String name) {
        return configuration.settings().stream()
                .filter(setting -> setting.name().equals(name))
                .map(Setting::value)
                .findFirst()
                .orElse("absent");
    }
}
