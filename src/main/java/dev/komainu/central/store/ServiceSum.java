package dev.komainu.central.store;

import dev.komainu.telemetry.record.ClientPaths;
import dev.komainu.telemetry.record.DirectionTotals;
import dev.komainu.telemetry.record.Failures;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.ServiceWindow.RoundTrips;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.record.TimesGrid;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The sum of one watched service's windows. */
public final class ServiceSum implements Summation<ServiceWindow> {

    /**
     * Captured packets for each lost packet at which a source counts as lossy, when another source
     * lost none.
     */
    private static final int LOSSY_PER = 1_000;

    @Override
    public String service(ServiceWindow window) {
        return window.service();
    }

    @Override
    public long fromMicros(ServiceWindow window) {
        return window.fromMicros();
    }

    @Override
    public long lengthMicros(ServiceWindow window) {
        return window.lengthMicros();
    }

    @Override
    public @Nullable ServiceWindow windowOf(TelemetryRecord record) {
        return record instanceof ServiceWindow window ? window : null;
    }

    @Override
    public ServiceWindow sum(List<Part<ServiceWindow>> parts, long fromMicros, long lengthMicros) {
        return new ServiceWindow(
                parts.getFirst().window().service(),
                fromMicros,
                lengthMicros,
                new ServiceWindow.Connections(
                        Summation.total(parts, window -> window.connections().arrivals()),
                        Summation.total(parts, window -> window.connections().ended()),
                        Summation.total(parts, window -> window.connections().refused()),
                        Summation.total(parts, window -> window.connections().noAnswer()),
                        Summation.total(parts, window -> window.connections().resetsByClient()),
                        Summation.total(parts, window -> window.connections().resetsByServer()),
                        Summation.total(parts, window -> window.connections().timeouts())),
                new ServiceWindow.Exchanges(
                        Summation.total(parts, window -> window.exchanges().requests()),
                        Summation.total(parts, window -> window.exchanges().responses()),
                        Summation.total(parts, window -> window.exchanges().errors())),
                new ServiceWindow.Concurrency(
                        Summation.mean(parts, window -> window.concurrency().concurrentMean()),
                        Summation.highest(parts, window -> window.concurrency().concurrentMax()),
                        Summation.mean(parts, window -> window.concurrency().processingMean())),
                new ServiceWindow.Packets(
                        totals(parts, window -> window.packets().up()),
                        totals(parts, window -> window.packets().down()),
                        Summation.total(parts, window -> window.packets().synRepeats()),
                        Summation.total(parts, window -> window.packets().capturedPackets()),
                        Summation.total(parts, window -> window.packets().droppedPackets()),
                        Summation.total(parts, window -> window.packets().unseenSegments())),
                new ServiceWindow.Times(
                        Summation.merged(parts, window -> window.times().response()),
                        Summation.merged(parts, window -> window.times().transfer()),
                        Summation.merged(parts, window -> window.times().connection()),
                        new RoundTrips(
                                Summation.merged(
                                        parts,
                                        window -> window.times().roundTrips().server()),
                                Summation.merged(
                                        parts,
                                        window -> window.times().roundTrips().client()),
                                Summation.merged(
                                        parts,
                                        window -> window.times().roundTrips().acknowledgement()),
                                Summation.merged(
                                        parts,
                                        window -> window.times().roundTrips().think())),
                        TimesGrid.sum(parts.stream()
                                .map(part -> part.window().times().responseByTransfer())
                                .toList())),
                Failures.sum(parts.stream().map(Part::window).toList()),
                ClientPaths.sum(parts.stream().map(Part::window).toList()));
    }

    @Override
    public ServiceWindow beside(ServiceWindow one, ServiceWindow other) {
        long from = Math.min(one.fromMicros(), other.fromMicros());
        long length = Math.max(one.lengthMicros(), other.lengthMicros());
        ServiceWindow sum = sum(List.of(new Part<>(one, 1), new Part<>(other, 1)), from, length);
        return new ServiceWindow(
                sum.service(),
                from,
                length,
                sum.connections(),
                sum.exchanges(),
                new ServiceWindow.Concurrency(
                        one.concurrency().concurrentMean() + other.concurrency().concurrentMean(),
                        one.concurrency().concurrentMax() + other.concurrency().concurrentMax(),
                        one.concurrency().processingMean() + other.concurrency().processingMean()),
                new ServiceWindow.Packets(
                        sum.packets().up(),
                        sum.packets().down(),
                        sum.packets()
                                .synRepeats(), // These two counts cover all services of the source.
                        Math.max(
                                one.packets().capturedPackets(), other.packets().capturedPackets()),
                        Math.max(one.packets().droppedPackets(), other.packets().droppedPackets()),
                        sum.packets().unseenSegments()),
                sum.times(),
                sum.failures(),
                sum.clientPaths());
    }

    @Override
    public boolean isLossy(ServiceWindow window) {
        long lost = window.packets().droppedPackets() + window.packets().unseenSegments();
        return lost > 0 && lost * LOSSY_PER > window.packets().capturedPackets();
    }

    private static DirectionTotals totals(
            List<Part<ServiceWindow>> parts, Function<ServiceWindow, DirectionTotals> way) {
        return new DirectionTotals(
                Summation.total(parts, window -> way.apply(window).packets()),
                Summation.total(parts, window -> way.apply(window).wireBytes()),
                Summation.total(parts, window -> way.apply(window).payloadBytes()),
                Summation.total(parts, window -> way.apply(window).uniqueBytes()),
                Summation.total(parts, window -> way.apply(window).retransmissions()),
                Summation.total(parts, window -> way.apply(window).outOfOrder()),
                Summation.total(parts, window -> way.apply(window).zeroWindow()));
    }
}
