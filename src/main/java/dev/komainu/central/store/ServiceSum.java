package dev.komainu.central.store;

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
                Summation.total(parts, ServiceWindow::arrivals),
                Summation.total(parts, ServiceWindow::ended),
                Summation.total(parts, ServiceWindow::refused),
                Summation.total(parts, ServiceWindow::noAnswer),
                Summation.total(parts, ServiceWindow::resetsByClient),
                Summation.total(parts, ServiceWindow::resetsByServer),
                Summation.total(parts, ServiceWindow::requests),
                Summation.total(parts, ServiceWindow::responses),
                Summation.total(parts, ServiceWindow::errors),
                Summation.mean(parts, ServiceWindow::concurrentMean),
                Summation.highest(parts, ServiceWindow::concurrentMax),
                Summation.mean(parts, ServiceWindow::processingMean),
                totals(parts, ServiceWindow::up),
                totals(parts, ServiceWindow::down),
                Summation.total(parts, ServiceWindow::synRepeats),
                Summation.total(parts, ServiceWindow::capturedPackets),
                Summation.total(parts, ServiceWindow::droppedPackets),
                Summation.total(parts, ServiceWindow::unseenSegments),
                Summation.merged(parts, ServiceWindow::response),
                Summation.merged(parts, ServiceWindow::transfer),
                Summation.merged(parts, ServiceWindow::connection),
                Summation.total(parts, ServiceWindow::timeouts),
                new RoundTrips(
                        Summation.merged(parts, window -> window.roundTrips().server()),
                        Summation.merged(parts, window -> window.roundTrips().client()),
                        Summation.merged(parts, window -> window.roundTrips().acknowledgement()),
                        Summation.merged(parts, window -> window.roundTrips().think())),
                TimesGrid.sum(parts.stream()
                        .map(part -> part.window().responseByTransfer())
                        .toList()),
                Failures.sum(parts.stream().map(Part::window).toList()));
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
                sum.arrivals(),
                sum.ended(),
                sum.refused(),
                sum.noAnswer(),
                sum.resetsByClient(),
                sum.resetsByServer(),
                sum.requests(),
                sum.responses(),
                sum.errors(),
                one.concurrentMean() + other.concurrentMean(),
                one.concurrentMax() + other.concurrentMax(),
                one.processingMean() + other.processingMean(),
                sum.up(),
                sum.down(),
                sum.synRepeats(),
                // These two counts cover all services of the source.
                Math.max(one.capturedPackets(), other.capturedPackets()),
                Math.max(one.droppedPackets(), other.droppedPackets()),
                sum.unseenSegments(),
                sum.response(),
                sum.transfer(),
                sum.connection(),
                sum.timeouts(),
                sum.roundTrips(),
                sum.responseByTransfer(),
                sum.failures());
    }

    @Override
    public boolean isLossy(ServiceWindow window) {
        long lost = window.droppedPackets() + window.unseenSegments();
        return lost > 0 && lost * LOSSY_PER > window.capturedPackets();
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
