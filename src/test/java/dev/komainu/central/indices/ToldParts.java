package dev.komainu.central.indices;

import dev.komainu.telemetry.record.HostParts;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The parts of a host made from the few values that a test names; all other parts are sound. */
public final class ToldParts {

    /** The names of the values. */
    static final Set<String> NAMES = Set.of(
            "volumeUsed",
            "inodesUsed",
            "readOnly",
            "volumeErrors",
            "linksDown",
            "linksSlower",
            "cardErrors",
            "missingDisks",
            "failingDisks",
            "diskErrors",
            "memoryUncorrected",
            "memoryCorrected",
            "throttles",
            "heat",
            "clock",
            "backlogDrops",
            "cpuSoftirqs",
            "cpuInterrupts",
            "cpuSwitches");

    private static final double LIMIT = 100;

    private ToldParts() {}

    /** Returns the parts; null when no value of them is named. Counts are those of ten seconds. */
    public static @Nullable HostParts of(long atSecond, Map<String, Double> v) {
        if (v.keySet().stream().noneMatch(NAMES::contains)) {
            return null;
        }
        long bytes = 1_000_000_000;
        long files = 1_000_000;
        long crc = count(v, "cardErrors");
        return new HostParts(
                atSecond * 1_000_000,
                "Maker Board",
                40.0,
                List.of(new HostParts.Fan("fan1", 4_200)),
                List.of(new HostParts.MemoryModule("A1", 8L << 30, "DDR4")),
                List.of(new HostParts.Drive(
                        "sda", "Model", bytes, count(v, "diskErrors"), count(v, "diskErrors"), (int)
                                count(v, "failingDisks"))),
                List.of(new HostParts.Card(
                        "eth0",
                        null,
                        count(v, "linksSlower") > 0 ? 100_000_000L : 1_000_000_000L,
                        1_000_000_000L,
                        (int) count(v, "linksDown"),
                        2L,
                        crc == 0
                                ? List.of()
                                : List.of(new HostParts.CardErrors("rx_crc_errors", crc)))),
                List.of(
                        new HostParts.Volume(
                                "/",
                                "/dev/sda1",
                                "ext4",
                                bytes,
                                Math.round(bytes * (1 - v.getOrDefault("volumeUsed", 0.5))),
                                files,
                                Math.round(files * (1 - v.getOrDefault("inodesUsed", 0.1))),
                                (int) count(v, "readOnly"),
                                count(v, "volumeErrors"),
                                (int) count(v, "readOnly")),
                        // An image is always full, and nothing can be written to it.
                        new HostParts.Volume(
                                "/image", "/dev/loop0", "squashfs", bytes, 0, 10, 0, 0, null, 1)),
                v.containsKey("clock") ? Integer.valueOf((int) count(v, "clock")) : null,
                10_000_000,
                List.of(new HostParts.Sensor("cpu", LIMIT * v.getOrDefault("heat", 0.4), LIMIT)),
                count(v, "throttles"),
                List.of(new HostParts.Array("md0", "raid1", 2, (int) count(v, "missingDisks"))),
                List.of(new HostParts.MemoryErrors(
                        "A1",
                        count(v, "memoryCorrected"),
                        count(v, "memoryUncorrected"),
                        count(v, "memoryCorrected"),
                        0)),
                List.of(
                        new HostParts.CpuEvents(0, 100, 100, 100L),
                        new HostParts.CpuEvents(
                                1,
                                count(v, "cpuInterrupts"),
                                count(v, "cpuSoftirqs"),
                                count(v, "cpuSwitches"))),
                count(v, "backlogDrops"));
    }

    private static long count(Map<String, Double> v, String name) {
        return Math.round(v.getOrDefault(name, 0.0));
    }
}
