package dev.komainu.agent.host;

import dev.komainu.agent.host.linux.ProcFiles;
import java.nio.file.Path;
import java.util.List;

/**
 * A reader of this host's counters. Linux has its own implementation, because {@code /proc} has
 * more data at less cost; every other system is read through OSHI. One thread at a time.
 */
public interface HostProbe extends AutoCloseable {

    /**
     * Reads the counters. Never throws: a value that cannot be read is absent or zero.
     *
     * @param inDoubt whether a state is in doubt: then the details of servers are read too that
     *     cost more
     */
    HostReading read(List<WatchedServer> servers, boolean inDoubt);

    /** Reads the counters that are read while no state is in doubt. */
    default HostReading read(List<WatchedServer> servers) {
        return read(servers, false);
    }

    @Override
    void close();

    /** Returns the best probe for this system. */
    static HostProbe ofThisSystem() {
        ProcFiles proc = ProcFiles.ofThisHost();
        return proc.exists() ? new LinuxProbe(proc, Path.of("/sys"), true) : new OshiProbe();
    }
}
