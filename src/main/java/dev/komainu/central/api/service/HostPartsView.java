package dev.komainu.central.api.service;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.indices.LocalizedText;
import dev.komainu.central.indices.PartFault;
import dev.komainu.telemetry.record.HostParts;
import dev.komainu.telemetry.record.HostSample;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code HostParts} of the contract: what a host is built of, and what is wrong with it. */
@JsonInclude(JsonInclude.Include.ALWAYS)
record HostPartsView(
        Instant at,
        List<Fault> faults,
        @Nullable String board,
        @Nullable Double cpuCelsius,
        @Nullable Boolean clockSynchronised,
        @Nullable Double throttlesPerSecond,
        @Nullable Double backlogDropsPerSecond,
        List<Cpu> cpus,
        List<HostParts.MemoryModule> modules,
        List<HostParts.MemoryErrors> memoryErrors,
        List<Drive> drives,
        List<HostParts.Array> arrays,
        List<Volume> volumes,
        List<Card> cards,
        List<HostParts.Sensor> sensors,
        List<HostParts.Fan> fans) {

    /** A part at fault, since when, and what is wrong with it. */
    record Fault(PartFault.Kind kind, String part, Instant since, LocalizedText text) {}

    /** The events of one CPU per second. */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record Cpu(
            int cpu,
            double interruptsPerSecond,
            double softirqsPerSecond,
            @Nullable Double switchesPerSecond) {}

    /** A disk; {@code failing} is its own verdict. */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record Drive(
            String name,
            @Nullable String model,
            long bytes,
            @Nullable Long errors,
            @Nullable Boolean failing) {}

    /**
     * A file system; shares are 0 to 1, and that of inodes absent where their number is not fixed.
     */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record Volume(
            String mount,
            String device,
            String kind,
            long bytes,
            long availableBytes,
            double usedShare,
            @Nullable Double inodesUsedShare,
            boolean readOnly,
            boolean turnedReadOnly,
            @Nullable Long errors) {}

    /** A network card with its traffic; rates are absent where the kernel lists none. */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record Card(
            String name,
            @Nullable String model,
            @Nullable Long speedBitsPerSecond,
            boolean slower,
            boolean linkDown,
            @Nullable Long linkChanges,
            @Nullable Double receivedBytesPerSecond,
            @Nullable Double sentBytesPerSecond,
            @Nullable Double dropsPerSecond,
            @Nullable Double errorsPerSecond,
            @Nullable Double queueDropsPerSecond,
            List<HostParts.CardErrors> errors) {}

    /** Returns the parts of a sample; null when its source does not look at them. */
    static @Nullable HostPartsView of(HostSample sample, List<PartFault> faults) {
        HostParts parts = sample.parts();
        if (parts == null) {
            return null;
        }
        Integer clock = parts.clockSynchronised();
        return new HostPartsView(
                instant(parts.atMicros()),
                faults.stream()
                        .map(fault -> new Fault(
                                fault.kind(),
                                fault.part(),
                                instant(fault.sinceMicros()),
                                fault.text()))
                        .toList(),
                parts.board(),
                parts.cpuCelsius(),
                clock == null ? null : clock == 1,
                rate(parts, parts.throttles()),
                rate(parts, parts.backlogDrops()),
                parts.cpuEvents().stream()
                        .filter(cpu -> parts.intervalMicros() > 0)
                        .map(cpu -> new Cpu(
                                cpu.cpu(),
                                parts.perSecond(cpu.interrupts()),
                                parts.perSecond(cpu.softirqs()),
                                rate(parts, cpu.switches())))
                        .toList(),
                parts.modules(),
                parts.memoryErrors(),
                parts.drives().stream().map(HostPartsView::drive).toList(),
                parts.arrays(),
                parts.volumes().stream().map(HostPartsView::volume).toList(),
                parts.cards().stream().map(card -> card(card, sample)).toList(),
                parts.sensors(),
                parts.fans());
    }

    private static Instant instant(long micros) {
        return Instant.ofEpochMilli(micros / 1_000);
    }

    private static @Nullable Double rate(HostParts parts, @Nullable Long count) {
        double rate = parts.perSecond(count);
        return Double.isNaN(rate) ? null : rate;
    }

    private static Drive drive(HostParts.Drive drive) {
        Integer failing = drive.failing();
        return new Drive(
                drive.name(),
                drive.model(),
                drive.bytes(),
                drive.errors(),
                failing == null ? null : failing == 1);
    }

    private static Volume volume(HostParts.Volume volume) {
        return new Volume(
                volume.mount(),
                volume.device(),
                volume.kind(),
                volume.bytes(),
                volume.availableBytes(),
                volume.usedShare(),
                volume.files() > 0 ? volume.filesUsedShare() : null,
                volume.readOnly() == 1,
                volume.turnedReadOnly() == 1,
                volume.errors());
    }

    private static Card card(HostParts.Card card, HostSample sample) {
        HostSample.InterfaceRates rates = sample.resources().interfaces().stream()
                .filter(each -> each.name().equals(card.name()))
                .findFirst()
                .orElse(null);
        return new Card(
                card.name(),
                card.model(),
                card.speedBitsPerSecond(),
                card.isSlower(),
                card.linkDown() == 1,
                card.linkChanges(),
                rates == null ? null : rates.receivedBytesPerSecond(),
                rates == null ? null : rates.sentBytesPerSecond(),
                rates == null ? null : rates.dropsPerSecond(),
                rates == null ? null : rates.errorsPerSecond(),
                rates == null ? null : rates.queue().queueDropsPerSecond(),
                card.errors());
    }
}
