package dev.komainu.agent.discovery.configuration;

import dev.komainu.agent.discovery.program.ProcessEnvironment;
import dev.komainu.agent.discovery.program.ProgramVersion;
import dev.komainu.agent.discovery.program.ServerProcess;
import dev.komainu.agent.host.linux.ProcFiles;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The server whose configuration is read, through one port.
 *
 * @param process its top process
 * @param version as its program tells it
 * @param port where it listens
 * @param files its file system, bounded and remembered
 * @param environment its variables, on demand
 * @param proc this host's {@code /proc}
 * @param says what its program answers to a flag such as {@code -V}; empty when it may not be run
 */
public record ConfigurationSubject(
        ServerProcess process,
        @Nullable String version,
        int port,
        ConfigurationFiles files,
        ProcessEnvironment environment,
        ProcFiles proc,
        Function<String, String> says) {

    /** Null when unknown. */
    public @Nullable ProgramVersion versionNumber() {
        return ProgramVersion.parse(version);
    }

    /**
     * An absolute path as the server sees it: relative ones begin at {@code base}, that at its
     * working directory.
     */
    public String absolute(String path, String base) {
        if (path.startsWith("/")) {
            return path;
        }
        String directory = process.directory() == null ? "" : process.directory();
        String from = base.startsWith("/") ? base : directory + "/" + base;
        return from + (from.endsWith("/") ? "" : "/") + path;
    }
}
