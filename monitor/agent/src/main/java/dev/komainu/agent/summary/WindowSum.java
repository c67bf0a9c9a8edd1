package dev.komainu.agent.summary;

import dev.komainu.telemetry.record.ClientPaths;
import dev.komainu.telemetry.record.DirectionTotals;
import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.Failures;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.TimesGrid;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;

/**
 * Sum of several windows of one service: counts and distributions add, means are weighted by time.
 */
final class WindowSum {

    private WindowSum() {}

    /**
     * Returns the sum.
     *
     * @param from beginning of the sum
     * @param length length of the sum; seconds that no part covers count as zero in the means
     * @param parts windows of one service, at least one
     */
    static ServiceWindow of(long from, long length, List<ServiceWindow> parts) {
        long highest = parts.stream()
                .mapToLong(window -> window.concurrency().concurrentMax())
                .max()
                .orElse(0);
        long captured = total(parts, window -> window.packets().capturedPackets());
        long dropped = total(parts, window -> window.packets().droppedPackets());
        return of(from, length, parts, highest, captured, dropped);
    }

    /**
     * Returns the same as {@link #of(long, long, List)}, with the last three values from the
     * caller.
     */
    static ServiceWindow of(
            long from,
            long length,
            List<ServiceWindow> parts,
            long highest,
            long captured,
            long dropped) {
        return new ServiceWindow(
                parts.getFirst().service(),
                from,
                length,
                new ServiceWindow.Connections(
                        total(parts, window -> window.connections().arrivals()),
                        total(parts, window -> window.connections().ended()),
                        total(parts, window -> window.connections().refused()),
                        total(parts, window -> window.connections().noAnswer()),
                        total(parts, window -> window.connections().resetsByClient()),
                        total(parts, window -> window.connections().resetsByServer()),
                        total(parts, window -> window.connections().timeouts())),
                new ServiceWindow.Exchanges(
                        total(parts, window -> window.exchanges().requests()),
                        total(parts, window -> window.exchanges().responses()),
                        total(parts, window -> window.exchanges().errors())),
                new ServiceWindow.Concurrency(
                        mean(length, parts, window -> window.concurrency().concurrentMean()),
                        highest,
                        mean(length, parts, window -> window.concurrency().processingMean())),
                new ServiceWindow.Packets(
                        traffic(parts, window -> window.packets().up()),
                        traffic(parts, window -> window.packets().down()),
                        total(parts, window -> window.packets().synRepeats()),
                        captured,
                        dropped,
                        total(parts, window -> window.packets().unseenSegments())),
                new ServiceWindow.Times(
                        times(parts, window -> window.times().response()),
                        times(parts, window -> window.times().transfer()),
                        times(parts, window -> window.times().connection()),
                        new ServiceWindow.RoundTrips(
                                times(parts, part -> part.times().roundTrips().server()),
                                times(parts, part -> part.times().roundTrips().client()),
                                times(parts, part -> part.times().roundTrips().acknowledgement()),
                                times(parts, part -> part.times().roundTrips().think())),
                        TimesGrid.sum(parts.stream()
                                .map(window -> window.times().responseByTransfer())
                                .toList())),
                Failures.sum(parts),
                ClientPaths.sum(parts));
    }

    private static long total(List<ServiceWindow> parts, ToLongFunction<ServiceWindow> field) {
        return parts.stream().mapToLong(field).sum();
    }

    private static double mean(
            long length, List<ServiceWindow> parts, ToDoubleFunction<ServiceWindow> field) {
        double area = 0;
        for (ServiceWindow part : parts) {
            area += field.applyAsDouble(part) * part.lengthMicros();
        }
        return area / length;
    }

    private static Distribution times(
            List<ServiceWindow> parts, Function<ServiceWindow, Distribution> field) {
        Histogram total = Distribution.newRecorder();
        parts.forEach(part -> field.apply(part).addTo(total));
        return Distribution.of(total);
    }

    private static DirectionTotals traffic(
            List<ServiceWindow> parts, Function<ServiceWindow, DirectionTotals> direction) {
        return new DirectionTotals(
                total(parts, part -> direction.apply(part).packets()),
                total(parts, part -> direction.apply(part).wireBytes()),
                total(parts, part -> direction.apply(part).payloadBytes()),
                total(parts, part -> direction.apply(part).uniqueBytes()),
                total(parts, part -> direction.apply(part).retransmissions()),
                total(parts, part -> direction.apply(part).outOfOrder()),
                total(parts, part -> direction.apply(part).zeroWindow()));
    }
}
