package dev.komainu.central.capacity;

import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.HostSample.ServerProcesses;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The use of each resource by one service and its host, slot by slot, as means of the samples of
 * the slot. Samples are added one by one, and none is kept: a day of them has gigabytes. Not
 * thread-safe.
 */
final class HostUse {

    private static final long SLOT_MICROS = LoadPoint.SECONDS * 1_000_000L;
    private static final int RESOURCES = Resource.values().length;

    private final Set<String> names;
    private final Cpus cpus;
    private final Map<Long, double[]> slots = new HashMap<>();
    private int presentCpus;

    /**
     * Creates the use of a service.
     *
     * @param names every name of the service
     * @param cpus the CPUs that it may use
     * @param slots numbers of the slots in which it had traffic; others are left out
     */
    HostUse(Set<String> names, Cpus cpus, Set<Long> slots) {
        this.names = names;
        this.cpus = cpus;
        // Sum and count of each resource, then sum and count of the server's own CPU time.
        slots.forEach(slot -> this.slots.put(slot, new double[2 * RESOURCES + 2]));
    }

    /** Returns the number of the slot that starts with a time. */
    static long slot(long micros) {
        return Math.floorDiv(micros, SLOT_MICROS);
    }

    /**
     * Adds a sample. A sample covers the time before it, and belongs to the slot that contains the
     * middle of that time.
     */
    void add(HostSample sample) {
        presentCpus = Math.max(presentCpus, sample.resources().cpus().size());
        double[] sums = slots.get(
                slot(sample.atMicros() - Math.clamp(sample.intervalMicros(), 0, 60_000_000L) / 2));
        if (sums == null) {
            return;
        }
        ofHost(sample, sums);
        for (ServerProcesses server : sample.servers()) {
            if (names.contains(server.service()) && server.use().processes() > 0) {
                ofServer(server, sums);
                add(sums, RESOURCES, server.use().cpuCores());
            }
        }
    }

    /** Returns the highest number of CPUs of a sample; 0 without samples. */
    int presentCpus() {
        return presentCpus;
    }

    /** Returns the mean share of each resource in a slot; a resource without samples is absent. */
    Map<Resource, Double> means(long slot) {
        Map<Resource, Double> means = new EnumMap<>(Resource.class);
        for (Resource resource : Resource.values()) {
            double mean = mean(slot, resource.ordinal());
            if (!Double.isNaN(mean)) {
                means.put(resource, mean);
            }
        }
        return means;
    }

    /** Returns the CPU time of the server's own processes per second; {@code NaN}: not sampled. */
    double cpuCores(long slot) {
        return mean(slot, RESOURCES);
    }

    private double mean(long slot, int index) {
        double[] sums = slots.get(slot);
        return sums == null || sums[2 * index + 1] == 0
                ? Double.NaN
                : sums[2 * index] / sums[2 * index + 1];
    }

    private void ofHost(HostSample sample, double[] sums) {
        add(sums, Resource.CPU.ordinal(), cpus.busy(sample));
        add(
                sums,
                Resource.MEMORY.ordinal(),
                1
                        - share(sample.resources().memory().available(), (double)
                                sample.resources().memory().total()));
        add(
                sums,
                Resource.DISK.ordinal(),
                sample.resources().disks().stream()
                        .mapToDouble(HostSample.DiskRates::busyShare)
                        .max()
                        .orElse(Double.NaN));
        add(
                sums,
                Resource.NETWORK.ordinal(),
                sample.resources().interfaces().stream()
                        .mapToDouble(HostUse::full)
                        .filter(Double::isFinite)
                        .max()
                        .orElse(Double.NaN));
    }

    private void ofServer(ServerProcesses server, double[] sums) {
        add(sums, Resource.CPU_QUOTA.ordinal(), share(server.use().cpuCores(), cpus.quota()));
        add(
                sums,
                Resource.FILES.ordinal(),
                share(server.files().openFiles(), server.files().openFilesLimit()));
        add(
                sums,
                Resource.ACCEPT_QUEUE.ordinal(),
                share(server.queue().acceptQueue(), server.queue().acceptQueueLimit()));
    }

    private static void add(double[] sums, int index, double value) {
        if (Double.isFinite(value)) {
            sums[2 * index] += value;
            sums[2 * index + 1]++;
        }
    }

    private static double full(HostSample.InterfaceRates rates) {
        Long speed = rates.speedBitsPerSecond();
        return speed == null || speed <= 0
                ? Double.NaN
                : Math.max(rates.receivedBytesPerSecond(), rates.sentBytesPerSecond()) * 8 / speed;
    }

    /** Returns the share of an amount; {@code NaN} when one of both is not known. */
    static double share(@Nullable Number part, @Nullable Number total) {
        return part == null || total == null || !(total.doubleValue() > 0)
                ? Double.NaN
                : part.doubleValue() / total.doubleValue();
    }
}
