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
 * @param intervalMicros time since the reading before, to which new errors and events refer; 0 at
 *     the first reading
 * @param sensors temperatures; empty without sensors
 * @param throttles times the CPUs were slowed down by heat since the last reading; absent when the
 *     kernel does not count them
 * @param arrays disk arrays of the kernel, md(4)
 * @param memoryErrors errors of the memory by its place; empty when the kernel does not count them
 * @param cpuEvents interrupts of each CPU; empty at the first reading
 * @param backlogDrops packets dropped since the last reading because a CPU could not process them
 *     in time; absent when the kernel does not count them
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
        @Nullable Integer clockSynchronised,
        long intervalMicros,
        List<Sensor> sensors,
        @Nullable Long throttles,
        List<Array> arrays,
        List<MemoryErrors> memoryErrors,
        List<CpuEvents> cpuEvents,
        @Nullable Long backlogDrops) {

    public HostParts {
        fans = List.copyOf(fans);
        modules = List.copyOf(modules);
        drives = List.copyOf(drives);
        cards = List.copyOf(cards);
        volumes = List.copyOf(volumes);
        sensors = List.copyOf(sensors);
        arrays = List.copyOf(arrays);
        memoryErrors = List.copyOf(memoryErrors);
        cpuEvents = List.copyOf(cpuEvents);
    }

    /**
     * Returns a count since the last reading as a rate per second; {@code NaN} when it is absent or
     * this reading is the first.
     */
    public double perSecond(@Nullable Long count) {
        return count == null || intervalMicros <= 0 ? Double.NaN : count * 1e6 / intervalMicros;
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
     * @param errors failed requests since the start of the host; absent when the driver does not
     *     count them
     * @param newErrors failed requests since the last reading; absent as {@code errors}
     * @param failing 1 when the disk itself reports that it fails (SMART), 0 when it reports that
     *     it is sound; absent when it was not asked
     */
    public record Drive(
            String name,
            @Nullable String model,
            long bytes,
            @Nullable Long errors,
            @Nullable Long newErrors,
            @Nullable Integer failing) {}

    /**
     * A temperature.
     *
     * @param name the kernel's name of the sensor, such as {@code coretemp Core 0}
     * @param limitCelsius temperature from which on the part is at risk; absent when the sensor
     *     does not tell
     */
    public record Sensor(
            String name, double celsius, @Nullable Double limitCelsius) {}

    /**
     * A disk array.
     *
     * @param name such as md0
     * @param level such as raid1
     * @param members number of disks of the whole array
     * @param missing number of disks that are missing or have failed
     */
    public record Array(String name, String level, int members, int missing) {}

    /**
     * The errors of a part of the memory.
     *
     * @param place the name of the module, else that of its controller
     * @param corrected errors since the start of the host that were corrected
     * @param uncorrected errors since the start of the host that could not be corrected
     * @param newCorrected corrected errors since the last reading
     * @param newUncorrected uncorrected errors since the last reading
     */
    public record MemoryErrors(
            String place,
            long corrected,
            long uncorrected,
            long newCorrected,
            long newUncorrected) {}

    /**
     * The events of one CPU since the last reading.
     *
     * @param cpu the kernel's number of the CPU
     * @param interrupts hard interrupts
     * @param softirqs soft interrupts
     * @param switches switches to another thread; absent when the kernel does not count them by CPU
     */
    public record CpuEvents(
            int cpu,
            long interrupts,
            long softirqs,
            @Nullable Long switches) {}

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

        /** Reports whether the link runs at a lower speed than before. */
        public boolean isSlower() {
            return speedBitsPerSecond != null
                    && fastestBitsPerSecond != null
                    && speedBitsPerSecond < fastestBitsPerSecond;
        }

        /** Returns a copy with another model. */
        public Card withModel(@Nullable String other) {
            return new Card(
                    name,
                    other,
                    speedBitsPerSecond,
                    fastestBitsPerSecond,
                    linkDown,
                    linkChanges,
                    errors);
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
     * @param turnedReadOnly 1 when it takes no more data although it was mounted for writing: the
     *     kernel stopped writing after an error, or it was mounted again read-only since the start
     *     of the agent
     * @param errors errors that the file system has recorded; absent when it records none
     * @param readOnly 1 when nothing can be written to it
     */
    public record Volume(
            String mount,
            String device,
            String kind,
            long bytes,
            long availableBytes,
            long files,
            long filesFree,
            int turnedReadOnly,
            @Nullable Long errors,
            int readOnly) {

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
