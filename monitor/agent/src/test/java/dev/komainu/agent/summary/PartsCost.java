package dev.komainu.agent.summary;

import dev.komainu.agent.summary.WindowJoinTest.AssignedFrame;
import dev.komainu.agent.summary.WindowJoinTest.Lane;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.wire.BatchWriter;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Measurement of the CPU time that recording by connection costs a probe, from the frame to the
 * written batch. Rounds with and without are interleaved, in alternating order.
 */
final class PartsCost {

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final int RECORDS_IN_BATCH = 1_000;

    private PartsCost() {}

    /**
     * CPU time of one round.
     *
     * @param capture from the frame to the record
     * @param batch from the record to the batch
     * @param bytes size of the batches
     */
    private record Cost(long capture, long batch, long bytes) {}

    /** Accepts the number of connections and the number of rounds. */
    public static void main(String[] given) throws Exception {
        int connections = Integer.parseInt(given[0]);
        int rounds = Integer.parseInt(given[1]);
        List<AssignedFrame> traffic = WindowJoinTest.traffic(new Random(5), connections, false);
        List<Cost> off = new ArrayList<>();
        List<Cost> on = new ArrayList<>();
        for (int round = 0; round < rounds + 3; round++) {
            boolean isOnFirst = round % 2 == 0;
            Cost first = run(traffic, isOnFirst);
            Cost second = run(traffic, !isOnFirst);
            // The first rounds are compiled while they run.
            if (round >= 3) {
                on.add(isOnFirst ? first : second);
                off.add(isOnFirst ? second : first);
            }
        }
        System.out.printf(Locale.ROOT, "packets %d, connections %d%n", traffic.size(), connections);
        print("off", off, traffic.size(), connections);
        print("on", on, traffic.size(), connections);
        double[] more = new double[rounds];
        for (int i = 0; i < rounds; i++) {
            more[i] = (double) (total(on.get(i)) - total(off.get(i))) / connections / 1_000;
        }
        Arrays.sort(more);
        System.out.printf(
                Locale.ROOT,
                "difference: median %.2f us a connection (quartiles %.2f to %.2f)%n",
                more[rounds / 2],
                more[rounds / 4],
                more[rounds * 3 / 4]);
    }

    private static long total(Cost cost) {
        return cost.capture() + cost.batch();
    }

    private static void print(String name, List<Cost> costs, int packets, int connections) {
        long[] totals = costs.stream().mapToLong(PartsCost::total).sorted().toArray();
        long[] captures = costs.stream().mapToLong(Cost::capture).sorted().toArray();
        int middle = totals.length / 2;
        System.out.printf(
                Locale.ROOT,
                "%s: %.3f us a packet, %.2f us a connection, of these capture %.2f; %d bytes%n",
                name,
                totals[middle] / 1_000.0 / packets,
                totals[middle] / 1_000.0 / connections,
                captures[middle] / 1_000.0 / connections,
                costs.getFirst().bytes());
    }

    private static Cost run(List<AssignedFrame> traffic, boolean isDetailed) throws Exception {
        Supplier<Set<String>> detailed =
                isDetailed ? () -> Set.of("here:80", "here:8080") : Set::of;
        List<TelemetryRecord> records = new ArrayList<>();
        long begun = THREADS.getCurrentThreadCpuTime();
        new CaptureSession(
                        new Lane(traffic, 0, 1),
                        WindowJoinTest.CONFIG.sharedBy(1),
                        WindowJoinTest.NAMES,
                        Duration.ofSeconds(1),
                        records::add,
                        null,
                        detailed)
                .run();
        long captured = THREADS.getCurrentThreadCpuTime();
        BatchWriter writer = new BatchWriter();
        long bytes = 0;
        long sequence = 0;
        for (TelemetryRecord record : records) {
            writer.add(record);
            if (writer.count() == RECORDS_IN_BATCH) {
                bytes += writer.finish(new BatchId("probe", 1, ++sequence)).length;
            }
        }
        bytes += writer.finish(new BatchId("probe", 1, ++sequence)).length;
        return new Cost(captured - begun, THREADS.getCurrentThreadCpuTime() - captured, bytes);
    }
}
