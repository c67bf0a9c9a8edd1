package dev.komainu.telemetry.record;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a host: its hardware, its file systems and its clock. Read by a thread of its own,
 * and repeated in every sample.
 *
 * @param atMicros time of the reading
 * @param board maker and model of the board; absent when the firmware does not tell
 * @param cpuCelsius temperature of the CPU; absent without a sensor
 * @param fans fans and their speed; empty without sensors
 * @param modules memory modules; empty when the firmware's table cannot be read
 * @param drives disks
 * @param cards network cards
 * @param volumes mounted file systems that hold files
 * @param clockSynchronised 1 when the kernel's clock follows a time source, 0 when it does not;
 *     absent when the kernel does not tell
 */
public record HostParts(
        long atMicros,
        @Nullable String board,
        @Nullable Double cpuCelsius,
        List<Fan> fans,
        List<MemoryModule> modules,
        List<Drive> drives,
        List<Card> cards,
        List<Volume> volumes,
        @Nullable Integer clockSynchronised) {

    public HostParts {
        fans = List.copyOf(fans);
        modules = List.copyOf(modules);
        drives = List.copyOf(drives);
        cards = List.copyOf(cards);
        volumes = List.copyOf(volumes);
    }

    /**
     * A fan.
     *
     * @param rpm turns per minute
     */
    public record Fan(String name, int rpm) {}

    /**
     * A memory module.
     *
     * @param slot the firmware's name of its slot
     * @param kind such as DDR4; absent when the firmware does not tell
     */
    public record MemoryModule(
            String slot, long bytes, @Nullable String kind) {}

    /**
     * A disk.
     *
     * @param model absent when the kernel does not tell
     */
    public record Drive(String name, @Nullable String model, long bytes) {}

    /**
     * A network card.
     *
     * @param model absent when the kernel does not tell
     * @param speedBitsPerSecond present speed; absent without one
     * @param fastestBitsPerSecond the highest speed since the start of the agent
     * @param linkDown 1 while a link that was up since the start of the agent is down
     * @param linkChanges times the link went up or down since the start of the host; absent when
     *     the kernel does not count them
     * @param errors damaged and lost packets since the last reading, by kind
     */
    public record Card(
            String name,
            @Nullable String model,
            @Nullable Long speedBitsPerSecond,
            @Nullable Long fastestBitsPerSecond,
            int linkDown,
            @Nullable Long linkChanges,
            List<CardErrors> errors) {

        public Card {
            errors = List.copyOf(errors);
        }
    }

    /**
     * Errors of a card.
     *
     * @param kind the kernel's name, such as {@code rx_crc_errors}
     */
    public record CardErrors(String kind, long count) {}

    /**
     * A mounted file system.
     *
     * @param device the kernel's name of the device
     * @param kind such as ext4
     * @param availableBytes bytes that programs without privileges may still write
     * @param files number of inodes; 0 when the file system has no fixed number
     * @param readOnlyByKernel 1 when the kernel made it read-only after an error: it was mounted
     *     for writing
     * @param errors errors that the file system has recorded; absent when it records none
     */
    public record Volume(
            String mount,
            String device,
            String kind,
            long bytes,
            long availableBytes,
            long files,
            long filesFree,
            int readOnlyByKernel,
            @Nullable Long errors) {

        /** Returns the used share, 0 to 1, as df(1) counts it. */
        public double usedShare() {
            return bytes > 0 ? 1 - (double) availableBytes / bytes : 0;
        }

        /** Returns the used share of the inodes, 0 to 1. */
        public double filesUsedShare() {
            return files > 0 ? 1 - (double) filesFree / files : 0;
        }
    }
}
