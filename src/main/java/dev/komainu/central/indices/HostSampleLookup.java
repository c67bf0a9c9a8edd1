package dev.komainu.central.indices;

import dev.komainu.telemetry.record.HostSample;
import java.util.function.UnaryOperator;

/** A copy of host samples with other names of their servers. */
public final class HostSampleLookup {

    private HostSampleLookup() {}

    /**
     * Returns the sample with its servers renamed.
     *
     * @param names maps the agent's name to the canonical id
     */
    public static HostSample renamed(HostSample sample, UnaryOperator<String> names) {
        HostSample.Departures departures = sample.departures();
        return sample.withServers(sample.servers().stream()
                        .map(server -> server.named(names.apply(server.service())))
                        .toList())
                .withDepartures(
                        departures == null
                                ? null
                                : new HostSample.Departures(departures.servers().stream()
                                        .map(server -> server.named(names.apply(server.service())))
                                        .toList()));
    }
}
