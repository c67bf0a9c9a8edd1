package dev.komainu.central.indices;

import dev.komainu.telemetry.record.HostSample.ServerProcesses;
import dev.komainu.telemetry.record.HostSample.Work;
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
    ACCEPT_QUEUE_LIMIT(s -> s.acceptQueueLimit()),
    WORK_MINOR_FAULTS(s -> work(s, Work::minorFaults)),
    WORK_MAJOR_FAULTS(s -> work(s, Work::majorFaults)),
    WORK_CONTEXT_SWITCHES(s -> work(s, Work::contextSwitches)),
    WORK_READ_WRITE_CALLS(s -> work(s, Work::readWriteCalls));

    private final Function<ServerProcesses, @Nullable Number> value;

    ServerColumn(Function<ServerProcesses, @Nullable Number> value) {
        this.value = value;
    }

    private static @Nullable Number work(ServerProcesses server, Function<Work, @Nullable Number> which) {
        Work work = server.work();
        return work == null ? null : which.apply(work);
    }

    double of(ServerProcesses server) {
        Number seen = value.apply(server);
        return seen == null ? Double.NaN : seen.doubleValue();
    }
}
