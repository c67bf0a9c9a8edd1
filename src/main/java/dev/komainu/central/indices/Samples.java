package dev.komainu.central.indices;

import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.HostSample.ServerProcesses;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Host samples whose servers go by other names. */
public final class Samples {

    private Samples() {}

    /** @param names from the name the agent used to the one we keep */
    public static HostSample renamed(HostSample sample, UnaryOperator<String> names) {
        List<ServerProcesses> servers = new ArrayList<>();
        for (ServerProcesses s : sample.servers()) {
            servers.add(new ServerProcesses(
                    names.apply(s.service()),
                    s.processes(),
                    s.threads(),
                    s.residentBytes(),
                    s.cpuCores(),
                    s.openFiles(),
                    s.openFilesLimit(),
                    s.acceptQueue(),
                    s.acceptQueueLimit()));
        }
        return new HostSample(
                sample.node(),
                sample.atMicros(),
                sample.intervalMicros(),
                sample.cpus(),
                sample.memory(),
                sample.kernel(),
                sample.sockets(),
                sample.pressure(),
                sample.processes(),
                sample.threads(),
                sample.load1(),
                servers,
                sample.interfaces(),
                sample.disks());
    }
}
