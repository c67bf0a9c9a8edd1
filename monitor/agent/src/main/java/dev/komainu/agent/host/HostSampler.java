package dev.komainu.agent.host;

import dev.komainu.telemetry.record.HostSample;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes a sample of every two readings. The first call only remembers, since there is no rate
 * without a before. One thread at a time.
 */
public final class HostSampler implements AutoCloseable {

    private final String node;
    private final HostProbe probe;
    private final LongSupplier cpuNanos;
    private @Nullable HostReading before;

    /** @param node the host's name in every record */
    public HostSampler(String node, HostProbe probe) {
        this.node = node;
        this.probe = probe;
        this.cpuNanos = OwnUsage.threadClock();
    }

    /**
     * What happened since the last call; null at the first. Never throws.
     *
     * @param systemCalls of the whole host, per second; null where nobody counts them
     */
    public @Nullable HostSample sample(List<WatchedServer> servers, @Nullable Double systemCalls) {
        long begun = cpuNanos.getAsLong();
        HostReading now = probe.read(servers);
        HostReading last = before;
        before = now;
        return last == null ? null : between(node, last, now, systemCalls, begun, cpuNanos);
    }

    /** The same where nobody counts system calls. */
    public @Nullable HostSample sample(List<WatchedServer> servers) {
        return sample(servers, null);
    }

    /** The sample two readings make. */
    static HostSample between(String node, HostReading before, HostReading now) {
        return between(node, before, now, null, 0, () -> 0);
    }

    private static HostSample between(
            String node,
            HostReading before,
            HostReading now,
            @Nullable Double systemCalls,
            long begun,
            LongSupplier cpuNanos) {
        HostDifference difference = new HostDifference(before, now);
        return new HostSample(
                node,
                now.atMicros(),
                difference.micros(),
                difference.cpus(),
                now.memory(),
                difference.kernel(systemCalls),
                difference.sockets(),
                now.pressure(),
                now.processes(),
                now.threads(),
                now.load().one(),
                difference.servers(),
                difference.interfaces(),
                difference.disks(),
                now.load().five(),
                now.load().fifteen(),
                now.files(),
                now.listeners(),
                // Last, so that it counts all of the above.
                (cpuNanos.getAsLong() - begun) / 1_000);
    }

    @Override
    public void close() {
        probe.close();
    }
}
