package dev.komainu.agent.host.linux;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The physical interfaces and disks, according to {@code /sys}. Read when a device appears or
 * disappears, and periodically, because a link's speed may change. The counters themselves come
 * from {@code /proc}.
 *
 * @param speeds bits per second by interface; interfaces without a known speed are left out:
 *     virtual ones, wireless ones, links that are down
 * @param disks names of whole disks: no partitions, no loop devices, no devices on top of other
 *     disks (dm, md), whose requests would count twice
 */
public record Devices(Map<String, Long> speeds, Set<String> disks) {

    public static final Devices NONE = new Devices(Map.of(), Set.of());

    /** Upper bound of a credible speed. A driver without a known speed reports -1 or 2^32 - 1. */
    private static final long FASTEST_MEGABITS = 4_000_000;

    private static final Pattern NO_DISK = Pattern.compile("(loop|ram|zram|sr|fd|dm-|md|nbd).*");
    private static final Pattern PARTITION =
            Pattern.compile("(sd|vd|xvd|hd)[a-z]+[0-9]+|.*[0-9]p[0-9]+");
    private static final int DEEPEST = 4;

    public Devices {
        speeds = Map.copyOf(speeds);
        disks = Set.copyOf(disks);
    }

    /**
     * Reads these devices.
     *
     * @param sys {@code /sys}; when it is missing, disks are recognized by their names and speeds
     *     stay unknown
     */
    public static Devices read(
            Path sys, Collection<String> interfaceNames, Collection<String> diskNames) {
        Map<String, Long> speeds = new HashMap<>();
        for (String name : interfaceNames) {
            Long speed = speed(sys.resolve("class/net"), name, 0);
            if (speed != null) {
                speeds.put(name, speed);
            }
        }
        boolean hasBlockDirectory = Files.isDirectory(sys.resolve("block"));
        Set<String> disks = new HashSet<>();
        for (String name : diskNames) {
            if (!NO_DISK.matcher(name).matches()
                    && (hasBlockDirectory
                            ? isDevice(sys, name)
                            : !PARTITION.matcher(name).matches())) {
                disks.add(name);
            }
        }
        return new Devices(speeds, disks);
    }

    private static boolean isDevice(Path sys, String disk) {
        // The kernel writes a slash in a name as "!".
        return Files.exists(sys.resolve("block").resolve(disk.replace('/', '!')).resolve("device"));
    }

    private static @Nullable Long speed(Path net, String name, int depth) {
        Path interfaceDirectory = net.resolve(name.replace('/', '!'));
        if (depth > DEEPEST || !Files.exists(interfaceDirectory)) {
            return null;
        }
        if (Files.exists(interfaceDirectory.resolve("bonding"))) {
            return bondSpeed(net, interfaceDirectory.resolve("bonding"), depth);
        }
        if (Files.exists(interfaceDirectory.resolve("device"))) {
            long megabits = number(text(interfaceDirectory.resolve("speed")));
            return megabits > 0 && megabits < FASTEST_MEGABITS
                    ? Long.valueOf(megabits * 1_000_000)
                    : null;
        }
        if (text(interfaceDirectory.resolve("uevent")).contains("DEVTYPE=vlan")) {
            String lower = lower(interfaceDirectory);
            return lower == null ? null : speed(net, lower, depth + 1);
        }
        return null;
    }

    /**
     * Returns a bond's speed. One link carries all traffic in the modes active-backup and
     * broadcast; in other modes the links share it.
     */
    private static @Nullable Long bondSpeed(Path net, Path bonding, int depth) {
        String mode = text(bonding.resolve("mode"));
        boolean singleLink = mode.startsWith("active-backup") || mode.startsWith("broadcast");
        String active = text(bonding.resolve("active_slave")).strip();
        if (singleLink && !active.isEmpty()) {
            return speed(net, active, depth + 1);
        }
        long sum = 0;
        for (String slave : text(bonding.resolve("slaves")).strip().split("\\s+")) {
            Long speed = slave.isEmpty() ? null : speed(net, slave, depth + 1);
            sum = singleLink
                    ? Math.max(sum, speed == null ? 0 : speed)
                    : sum + (speed == null ? 0 : speed);
        }
        return sum > 0 ? sum : null;
    }

    private static @Nullable String lower(Path interfaceDirectory) {
        try (Stream<Path> entries = Files.list(interfaceDirectory)) {
            return entries.map(entry -> String.valueOf(entry.getFileName()))
                    .filter(name -> name.startsWith("lower_"))
                    .map(name -> name.substring("lower_".length()))
                    .findFirst()
                    .orElse(null);
        } catch (IOException e) {
            return null;
        }
    }

    private static long number(String text) {
        Long value = DecimalCounters.of(text.strip());
        return value == null ? -1 : value;
    }

    /**
     * Returns a file's text, or an empty text when it cannot be read. The kernel reports "invalid"
     * for the speed of a link that is down.
     */
    private static String text(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }
}
