package dev.komainu.central.indices;

import dev.komainu.telemetry.record.HostSample.ServerProcesses;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What is kept of one watched server's processes. */
enum ServerColumn {
    /** A listed server with none is one whose processes the agent may not look into: not observable, not zero. */
    PROCESSES(s -> s.processes() > 0 ? s.processes() : null),
    THREADS(s -> s.threads() > 0 ? s.threads() : null),
    RESIDENT(s -> s.residentBytes()),
    CPU_CORES(s -> s.cpuCores()),
    OPEN_FILES(s -> s.openFiles()),
    OPEN_FILES_LIMIT(s -> s.openFilesLimit()),
    ACCEPT_QUEUE(s -> s.acceptQueue()),
    ACCEPT_QUEUE_LIMIT(s -> s.acceptQueueLimit());

    private final Function<ServerProcesses, @Nullable Number> value;

    ServerColumn(Function<ServerProcesses, @Nullable Number> value) {
        this.value = value;
    }

    double of(ServerProcesses server) {
        Number seen = value.apply(server);
        return seen == null ? Double.NaN : seen.doubleValue();
    }
}
