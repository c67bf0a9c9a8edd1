package dev.komainu.central.indices;

import dev.komainu.telemetry.record.HostSample;
import java.util.function.UnaryOperator;

/** Host samples whose servers go by other names. */
public final class HostSampleLookup {

    private HostSampleLookup() {}

    /** @param names from the name the agent used to the one we keep */
    public static HostSample renamed(HostSample sample, UnaryOperator<String> names) {
        return sample.withServers(sample.servers().stream()
                .map(server -> server.named(names.apply(server.service())))
                .toList());
    }
}
