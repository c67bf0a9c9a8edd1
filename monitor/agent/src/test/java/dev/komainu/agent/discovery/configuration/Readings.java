package dev.komainu.agent.discovery.configuration;

import dev.komainu.agent.discovery.program.Environment;
import dev.komainu.agent.discovery.program.ServerProcess;
import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.List;

/** Runs a reader over files and a command line made by a test. */
public final class Readings {

    private Readings() {}

    /** @param arguments the command line, the program first */
    public static Configuration read(
            ServerReader reader, String kind, String version, int port, List<String> arguments, String... environment) {
        ServerProcess process = new ServerProcess(1, "/usr/sbin/" + kind, arguments, true, "/");
        return read(reader, kind, version, port, process, ConfigurationFiles.ofThisHost(), environment);
    }

    static Configuration read(
            ServerReader reader,
            String kind,
            String version,
            int port,
            ServerProcess process,
            ConfigurationFiles files,
            String... environment) {
        Findings findings = new Findings(kind, version);
        Subject subject = new Subject(
                process, version, port, files, Environment.of(environment), ProcFiles.ofThisHost(), flags -> "");
        reader.read(subject, findings);
        return findings.configuration(files);
    }

    /** The value told under that name; {@code absent} when none is. */
    public static String value(Configuration configuration, String name) {
        return configuration.settings().stream()
                .filter(setting -> setting.name().equals(name))
                .map(Setting::value)
                .findFirst()
                .orElse("absent");
    }
}
