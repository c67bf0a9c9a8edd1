package dev.komainu.agent.discovery.configuration;

import dev.komainu.agent.discovery.program.ProcessEnvironment;
import dev.komainu.agent.discovery.program.ProgramVersion;
import dev.komainu.agent.discovery.program.ServerProcess;
import dev.komainu.agent.host.linux.ProcFiles;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The server whose configuration is read, for one of its ports.
 *
 * @param process its top process
 * @param version the version its program reports; absent when unknown
 * @param port the port it listens on; 0 for a Unix socket
 * @param socketPath the path of its Unix socket, as it bound it; absent for a port
 * @param files its files, read within limits and watched for changes
 * @param environment its environment variables
 * @param proc this host's {@code /proc}
 * @param programOutput the output of its program for a flag such as {@code -V}; empty when the
 *     program must not be run
 */
public record ConfigurationSubject(
        ServerProcess process,
        @Nullable String version,
        int port,
        @Nullable String socketPath,
        ConfigurationFiles files,
        ProcessEnvironment environment,
        ProcFiles proc,
        Function<String, String> programOutput) {

    /** Reports whether a listening address of the configuration is that of this subject. */
    public boolean listensAt(String place) {
        return socketPath == null
                ? place.equals(String.valueOf(port)) || place.endsWith(":" + port)
                : place.equals(socketPath);
    }

    /** Returns the parsed version; null when unknown. */
    public @Nullable ProgramVersion versionNumber() {
        return ProgramVersion.parse(version);
    }

    /**
     * Returns an absolute path as the server sees it. A relative path is resolved against
     * {@code base}, a relative {@code base} against the server's working directory.
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
