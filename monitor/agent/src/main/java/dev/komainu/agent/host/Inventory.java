package dev.komainu.agent.host;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import oshi.SystemInfo;
import oshi.hardware.HWDiskStore;
import oshi.hardware.HardwareAbstractionLayer;
import oshi.hardware.NetworkIF;

/**
 * Which interfaces and disks this host has, as OSHI tells. Asking costs about 3 ms of CPU, so it is asked when an
 * interface or a disk appears, not with every sample; the counters themselves come from {@code /proc}.
 *
 * @param speeds bits per second by interface; those without a known speed (loopback, veth) are left out
 * @param disks names of whole disks, without {@code /dev/}: no partitions, no loop devices
 * @param pageBytes size of a memory page
 */
record Inventory(Map<String, Long> speeds, Set<String> disks, long pageBytes) {

    /** Something that can be counted anew. */
    @FunctionalInterface
    interface Source {
        Inventory take();
    }

    /** OSHI's own; keeps OSHI's entry point, nothing else. */
    static Source ofOshi() {
        HardwareAbstractionLayer hardware = new SystemInfo().getHardware();
        return () -> new Inventory(
                speeds(hardware), disks(hardware), hardware.getMemory().getPageSize());
    }

    private static Map<String, Long> speeds(HardwareAbstractionLayer hardware) {
        Map<String, Long> speeds = new HashMap<>();
        for (NetworkIF nic : hardware.getNetworkIFs(true)) {
            // A driver that does not know its speed says -1 or 2^32 - 1 Mbit/s.
            if (nic.getSpeed() > 0 && nic.getSpeed() < 4_000_000_000_000L) {
                speeds.put(nic.getName(), nic.getSpeed());
            }
        }
        return speeds;
    }

    private static Set<String> disks(HardwareAbstractionLayer hardware) {
        Set<String> disks = new LinkedHashSet<>();
        for (HWDiskStore disk : hardware.getDiskStores()) {
            String name = disk.getName();
            String bare = name.startsWith("/dev/") ? name.substring(5) : name;
            // Compressed memory used as swap is no disk.
            if (!bare.startsWith("zram")) {
                disks.add(bare);
            }
        }
        return disks;
    }
}
