package dev.komainu.bench.replay;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The same replay over several seeds, popularities and floors, and with one disk: medians, with
 * minimum and maximum where they matter.
 */
final class PartitionSeeds {

    private static final int SEEDS = 3;

    /**
     * Processor time of a response, from the paper's figures (section 3.3, table 1), with all its
     * responses under alpha = 20 % taken as hits: a mean of 1.34 ms for priority work, whose files
     * have a mean of 206 KB, and 0.74 ms for other work's priority files of 37 KB.
     */
    private static final double FIXED_MICROS = 604;

    private static final double MICROS_PER_BYTE = 3.59e-3;
    /**
     * A desktop disk of the time of its Core i3-2100, 7,200 rpm: 8.5 ms seek and half a turn; 100
     * MB/s.
     */
    private static final double POSITION_MICROS = 12_700;

    private static final double DISK_BYTES_PER_MICRO = 100;
    /** FreeBSD 4.3 reads at most 64 KB ahead (MAXPHYS is 128 KB, DFLTPHYS 64 KB). */
    private static final int PIECE = 65_536;

    private PartitionSeeds() {}

    static void write(String[] arguments, StringBuilder text) throws IOException {
        popularities(arguments, text);
        oneDisk(arguments, text);
    }

    private static void popularities(String[] arguments, StringBuilder text) throws IOException {
        text.append(String.format(
                Locale.ROOT,
                "%nEffect of popularity and of the floor M; α = 20 %%; medians of %d seeds (other sizes, popularity and order). Misses of the 23,571 requests of priority "
                        + "work; reductions of mean T_r in percent, in brackets from minimum to maximum:%n%n",
                SEEDS));
        text.append(
                "| Zipf | M, % | misses: single LRU | single W-TinyLFU | basic LRU | basic W-TinyLFU | partition LRU | partition W-TinyLFU | … of these by the sweep, points | "
                        + "priority work: partition W-TinyLFU against basic LRU | … against basic W-TinyLFU | … against single W-TinyLFU | "
                        + "other work against basic LRU | … against basic W-TinyLFU | … against single W-TinyLFU |\n");
        text.append("|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
        int[] floors = {20, 40};
        for (double skew : new double[] {0.8, 1.2, 1.6, 2.0}) {
            List<Map<String, double[]>> rows =
                    List.of(new LinkedHashMap<>(), new LinkedHashMap<>());
            for (int i = 0; i < SEEDS; i++) {
                // Only the mode "partition" has a floor.
                PartitionReplay replay =
                        new PartitionReplay(arguments, skew, floors[0], PartitionReplay.SEED + i);
                List<PartitionReplay.Sum[]> others = new ArrayList<>();
                for (PartitionReplay.Variant variant : OTHERS) {
                    others.add(replay.pass(variant, true));
                }
                for (int row = 0; row < floors.length; row++) {
                    seed(
                            row == 0
                                    ? replay
                                    : new PartitionReplay(
                                            arguments, skew, floors[row], PartitionReplay.SEED + i),
                            others,
                            rows.get(row),
                            i);
                }
            }
            for (int row = 0; row < floors.length; row++) {
                text.append(String.format(Locale.ROOT, "| %.1f | %d |", skew, floors[row]));
                rows.get(row)
                        .forEach((name, values) -> text.append(
                                switch (name.charAt(0)) {
                                    case 'm' ->
                                        String.format(Locale.ROOT, " %.0f |", median(values));
                                    case 's' ->
                                        String.format(Locale.ROOT, " %.2f |", median(values));
                                    default ->
                                        String.format(
                                                Locale.ROOT,
                                                " %.1f (%.1f to %.1f) |",
                                                median(values),
                                                min(values),
                                                max(values));
                                }));
                text.append('\n');
                System.err.println(text.substring(text.lastIndexOf("\n", text.length() - 2) + 1));
            }
        }
    }

    private static final List<PartitionReplay.Variant> OTHERS = List.of(
            PartitionReplay.SINGLE_LRU,
            PartitionReplay.SINGLE_LFU,
            PartitionReplay.BASIC_LRU,
            PartitionReplay.BASIC_LFU);

    private static void seed(
            PartitionReplay replay,
            List<PartitionReplay.Sum[]> others,
            Map<String, double[]> columns,
            int index)
            throws IOException {
        for (int i = 0; i < OTHERS.size(); i++) {
            put(columns, "m" + OTHERS.get(i).file(), index, misses(others.get(i)));
        }
        put(
                columns,
                "mpartition-lru",
                index,
                misses(replay.pass(PartitionReplay.PARTITION_LRU, true)));
        PartitionReplay.Sum[] partitionLfu = replay.pass(PartitionReplay.PARTITION_LFU, true);
        put(columns, "mpartition-lfu", index, misses(partitionLfu));
        put(
                columns,
                "sweep",
                index,
                replay.pass(PartitionReplay.PARTITION_LFU, false)[0].ratio()
                        - partitionLfu[0].ratio());
        for (int part = 0; part < 2; part++) {
            for (int against : new int[] {2, 3, 1}) {
                put(
                        columns,
                        "r" + part + against,
                        index,
                        PartitionReplay.reduction(
                                part(partitionLfu, part), part(others.get(against), part)));
            }
        }
    }

    private static double misses(PartitionReplay.Sum[] sums) {
        return sums[0].requests - sums[0].hits;
    }

    private static PartitionReplay.Sum part(PartitionReplay.Sum[] sums, int part) {
        return part == 0 ? sums[0] : sums[1].plus(sums[2]);
    }

    private static void oneDisk(String[] arguments, StringBuilder text) {
        text.append(String.format(
                Locale.ROOT,
                "%nOne disk for all (M = 20 %%, α = 20 %%, medians of %d seeds): every miss and the backup wait for one disk, %.1f ms to position and %.0f MB/s in pieces of %d KB, first "
                        + "come, first served; each response takes %.2f ms and %.1f ms a MB of one processor (from the paper's figures); the backup reads as fast as possible. "
                        + "Clients: one request after another (ApacheBench's default is 1), or at a fixed rate.%n%n",
                SEEDS,
                POSITION_MICROS / 1000,
                DISK_BYTES_PER_MICRO,
                PIECE / 1024,
                FIXED_MICROS / 1000,
                MICROS_PER_BYTE * 1000));
        text.append(
                "| Zipf | arrival of requests | position, ms | priority work, mean T_r, ms: basic LRU | partition W-TinyLFU | % less | "
                        + "other work, ms: basic LRU | partition W-TinyLFU | % less | disk busy, basic LRU | partition W-TinyLFU | backup done, basic LRU | partition W-TinyLFU |\n");
        text.append("|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
        SharedDisk.Model oneClient = new SharedDisk.Model(
                POSITION_MICROS, DISK_BYTES_PER_MICRO, PIECE, FIXED_MICROS, MICROS_PER_BYTE, 1, 0);
        for (double skew : new double[] {1.2, 1.6, 2.0}) {
            disk(arguments, text, skew, oneClient, "1 client");
        }
        disk(arguments, text, 1.6, with(oneClient, POSITION_MICROS, 8, 0), "8 clients");
        disk(arguments, text, 1.6, with(oneClient, POSITION_MICROS, 0, 20), "20 a second");
        disk(arguments, text, 1.6, with(oneClient, POSITION_MICROS / 2, 1, 0), "1 client");
    }

    private static SharedDisk.Model with(
            SharedDisk.Model m, double position, int clients, double perSecond) {
        return new SharedDisk.Model(
                position,
                m.diskBytesPerMicro(),
                m.pieceBytes(),
                m.fixedMicros(),
                m.microsPerByte(),
                clients,
                perSecond);
    }

    private static void disk(
            String[] arguments,
            StringBuilder text,
            double skew,
            SharedDisk.Model model,
            String clients) {
        Map<String, double[]> columns = new LinkedHashMap<>();
        for (int i = 0; i < SEEDS; i++) {
            PartitionReplay replay =
                    new PartitionReplay(arguments, skew, 20, PartitionReplay.SEED + i);
            SharedDisk.Outcome basic = SharedDisk.run(model, replay, PartitionReplay.BASIC_LRU);
            SharedDisk.Outcome lfu = SharedDisk.run(model, replay, PartitionReplay.PARTITION_LFU);
            put(columns, "1", i, basic.sums()[0].millis());
            put(columns, "4", i, lfu.sums()[0].millis());
            put(columns, "5", i, PartitionReplay.reduction(lfu.sums()[0], basic.sums()[0]));
            put(columns, "6", i, basic.work().millis());
            put(columns, "7", i, lfu.work().millis());
            put(columns, "8", i, PartitionReplay.reduction(lfu.work(), basic.work()));
            put(columns, "%9", i, 100 * basic.diskBusy());
            put(columns, "%10", i, 100 * lfu.diskBusy());
            put(columns, "%11", i, 100 * basic.sweptShare());
            put(columns, "%12", i, 100 * lfu.sweptShare());
        }
        text.append(String.format(
                Locale.ROOT, "| %.1f | %s | %.1f |", skew, clients, model.positionMicros() / 1000));
        columns.forEach((name, values) -> text.append(
                name.startsWith("%")
                        ? String.format(Locale.ROOT, " %.0f %% |", median(values))
                        : String.format(Locale.ROOT, " %.2f |", median(values))));
        text.append('\n');
        System.err.println(text.substring(text.lastIndexOf("\n", text.length() - 2) + 1));
    }

    private static void put(Map<String, double[]> columns, String name, int index, double value) {
        double[] values = columns.computeIfAbsent(name, n -> new double[0]);
        values = Arrays.copyOf(values, index + 1);
        values[index] = value;
        columns.put(name, values);
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private static double min(double[] values) {
        return Arrays.stream(values).min().orElse(Double.NaN);
    }

    private static double max(double[] values) {
        return Arrays.stream(values).max().orElse(Double.NaN);
    }
}
