package dev.komainu.central.indices;

import dev.komainu.telemetry.record.HostParts;
import dev.komainu.telemetry.record.HostParts.Card;
import dev.komainu.telemetry.record.HostParts.Volume;
import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.HostSample.CpuShare;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The figures of a host's parts: of several parts of a kind, the sum or the worst. Pure. */
final class PartFigures {

    private PartFigures() {}

    /** Returns the figure of a sample; {@code NaN} without parts. */
    static double of(HostSample sample, ToDoubleFunction<HostParts> figure) {
        HostParts parts = sample.parts();
        return parts == null ? Double.NaN : figure.applyAsDouble(parts);
    }

    static double volumeUsed(HostParts parts) {
        return highest(parts.volumes(), volume -> {
            boolean counts = PartFaults.takesData(volume) && volume.bytes() > 0;
            return counts ? volume.usedShare() : Double.NaN;
        });
    }

    static double inodesUsed(HostParts parts) {
        return highest(parts.volumes(), volume -> {
            boolean counts = PartFaults.takesData(volume) && volume.files() > 0;
            return counts ? volume.filesUsedShare() : Double.NaN;
        });
    }

    static double readOnlyVolumes(HostParts parts) {
        return parts.volumes().stream().mapToInt(Volume::turnedReadOnly).sum();
    }

    static double volumeErrors(HostParts parts) {
        return sum(parts.volumes(), Volume::errors);
    }

    static double linksDown(HostParts parts) {
        return parts.cards().stream().mapToInt(Card::linkDown).sum();
    }

    static double linksSlower(HostParts parts) {
        return parts.cards().stream().filter(Card::isSlower).count();
    }

    static double cardErrors(HostParts parts) {
        return parts.perSecond(parts.cards().stream()
                .flatMap(card -> card.errors().stream())
                .mapToLong(HostParts.CardErrors::count)
                .sum());
    }

    static double arraysDegraded(HostParts parts) {
        return parts.arrays().isEmpty()
                ? Double.NaN
                : parts.arrays().stream().filter(array -> array.missing() > 0).count();
    }

    static double disksFailing(HostParts parts) {
        return sum(parts.drives(), HostParts.Drive::failing);
    }

    static double diskErrors(HostParts parts) {
        return perSecond(parts, sum(parts.drives(), HostParts.Drive::newErrors));
    }

    static double uncorrectedErrors(HostParts parts) {
        return sum(parts.memoryErrors(), HostParts.MemoryErrors::uncorrected);
    }

    static double correctedErrors(HostParts parts) {
        return perSecond(parts, sum(parts.memoryErrors(), HostParts.MemoryErrors::newCorrected));
    }

    static double throttles(HostParts parts) {
        return parts.perSecond(parts.throttles());
    }

    static double backlogDrops(HostParts parts) {
        return parts.perSecond(parts.backlogDrops());
    }

    /** Returns the highest temperature as a share of its limit. */
    static double heat(HostParts parts) {
        return highest(parts.sensors(), sensor -> {
            Double limit = sensor.limitCelsius();
            return limit == null ? Double.NaN : sensor.celsius() / limit;
        });
    }

    static double clock(HostParts parts) {
        Integer synchronised = parts.clockSynchronised();
        return synchronised == null ? Double.NaN : synchronised;
    }

    static double busiestInterrupts(HostParts parts) {
        return perSecond(parts, highest(parts.cpuEvents(), HostParts.CpuEvents::interrupts));
    }

    static double busiestSoftirqs(HostParts parts) {
        return perSecond(parts, highest(parts.cpuEvents(), HostParts.CpuEvents::softirqs));
    }

    static double busiestSwitches(HostParts parts) {
        return perSecond(parts, highest(parts.cpuEvents(), cpu -> orNaN(cpu.switches())));
    }

    /** Returns the share of soft interrupts of the CPU that has most of them. */
    static double busiestSoftirqShare(HostSample sample) {
        return highest(sample.resources().cpus(), PartFigures::softirq);
    }

    private static double softirq(CpuShare cpu) {
        return orNaN(cpu.softirq());
    }

    private static double perSecond(HostParts parts, double count) {
        return parts.intervalMicros() <= 0 ? Double.NaN : count * 1e6 / parts.intervalMicros();
    }

    private static <T> double highest(List<T> list, ToDoubleFunction<T> figure) {
        return list.stream()
                .mapToDouble(figure)
                .filter(value -> !Double.isNaN(value))
                .max()
                .orElse(Double.NaN);
    }

    /** A figure that a part may not tell. */
    @FunctionalInterface
    private interface Told<T> {
        @Nullable
        Number of(T part);
    }

    /** Returns the sum over the parts that tell the figure; {@code NaN} when none does. */
    private static <T> double sum(List<T> list, Told<T> figure) {
        double sum = Double.NaN;
        for (T part : list) {
            double value = orNaN(figure.of(part));
            if (!Double.isNaN(value)) {
                sum = Double.isNaN(sum) ? value : sum + value;
            }
        }
        return sum;
    }

    private static double orNaN(@Nullable Number value) {
        return value == null ? Double.NaN : value.doubleValue();
    }
}
