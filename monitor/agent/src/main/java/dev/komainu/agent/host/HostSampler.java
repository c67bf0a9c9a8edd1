package dev.komainu.agent.host;

import dev.komainu.telemetry.record.HostSample;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The maker of host samples, one from every two readings. The first call only stores its reading,
 * because a rate needs an earlier one. One thread at a time.
 */
public final class HostSampler implements AutoCloseable {

    private final String node;
    private final HostProbe probe;
    private final LongSupplier cpuNanos;
    private @Nullable HostReading before;

    /**
     * Creates a sampler.
     *
     * @param node the host's name in every record
     */
    public HostSampler(String node, HostProbe probe) {
        this.node = node;
        this.probe = probe;
        this.cpuNanos = OwnUsage.threadClock();
    }

    /**
     * Returns the sample since the last call; null at the first call. Never throws.
     *
     * @param inDoubt whether a state is in doubt, see {@link HostProbe#read}
     * @param systemCalls of the whole host, per second; null when they are not counted
     */
    public @Nullable HostSample sample(
            List<WatchedServer> servers, @Nullable Double systemCalls, boolean inDoubt) {
        long startCpuNanos = cpuNanos.getAsLong();
        HostReading now = probe.read(servers, inDoubt);
        HostReading last = before;
        before = now;
        return last == null ? null : between(node, last, now, systemCalls, startCpuNanos, cpuNanos);
    }

    /** Returns the sample since the last call, without counted system calls. */
    public @Nullable HostSample sample(List<WatchedServer> servers) {
        return sample(servers, null, false);
    }

    /** Returns the sample of two readings. */
    static HostSample between(String node, HostReading before, HostReading now) {
        return between(node, before, now, null, 0, () -> 0);
    }

    private static HostSample between(
            String node,
            HostReading before,
            HostReading now,
            @Nullable Double systemCalls,
            long startCpuNanos,
            LongSupplier cpuNanos) {
        HostDifference difference = new HostDifference(before, now);
        return new HostSample(
                node,
                now.atMicros(),
                difference.micros(),
                new HostSample.Resources(
                        difference.cpus(),
                        now.resources().memory(),
                        difference.interfaces(),
                        difference.disks()),
                difference.kernel(systemCalls),
                new HostSample.Network(difference.sockets(), now.network().listeners()),
                now.pressure(),
                new HostSample.Totals(
                        now.totals().processes(),
                        now.totals().threads(),
                        now.totals().load().one(),
                        now.totals().load().five(),
                        now.totals().load().fifteen(),
                        now.totals().files()),
                difference.servers(), // The last value, so that it includes the cost of all others.
                (cpuNanos.getAsLong() - startCpuNanos) / 1_000);
    }

    @Override
    public void close() {
        probe.close();
    }
}
