package dev.komainu.agent.host;

import dev.komainu.agent.host.linux.ProcFiles;
import java.nio.file.Path;
import java.util.List;

/**
 * Reads this host's counters. Linux has one of its own, because {@code /proc} tells more and costs
 * less; every other system is read through OSHI. One thread at a time.
 */
public interface HostProbe extends AutoCloseable {

    /** Never throws: what cannot be read is absent or zero in the answer. */
    HostReading read(List<WatchedServer> servers);

    @Override
    void close();

    /** The best probe for the system this process runs on. */
    static HostProbe ofThisSystem() {
        ProcFiles proc = ProcFiles.ofThisHost();
        return proc.exists() ? new LinuxProbe(proc, Path.of("/sys"), true) : new OshiProbe();
    }
}
