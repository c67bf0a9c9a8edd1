package dev.komainu.agent.summary;

import dev.komainu.telemetry.record.DirectionTotals;
import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.RecordSink;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.record.TimesGrid;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;

/**
 * Makes longer windows of short ones, for people; everything else passes. A long window is told when the first short one
 * after it comes, or with {@link #flush}. Any thread.
 */
public final class WindowRollUp implements RecordSink {

    private final RecordSink next;
    private final long length;
    private final Map<String, List<ServiceWindow>> waiting = new LinkedHashMap<>();

    /** @param length a multiple of the short windows' */
    public WindowRollUp(Duration length, RecordSink next) {
        this.length = length.toNanos() / 1_000;
        this.next = next;
    }

    @Override
    public synchronized void accept(TelemetryRecord record) {
        if (!(record instanceof ServiceWindow window)) {
            next.accept(record);
            return;
        }
        List<ServiceWindow> own = waiting.computeIfAbsent(window.service(), service -> new ArrayList<>());
        if (!own.isEmpty() && start(own.getFirst()) != start(window)) {
            tell(own);
        }
        own.add(window);
    }

    /** Nothing follows: what was collected is told as it is. */
    public synchronized void flush() {
        waiting.values().forEach(this::tell);
        waiting.clear();
    }

    private long start(ServiceWindow window) {
        return Math.floorDiv(window.fromMicros(), length) * length;
    }

    private void tell(List<ServiceWindow> parts) {
        if (!parts.isEmpty()) {
            next.accept(sum(start(parts.getFirst()), parts));
            parts.clear();
        }
    }

    private ServiceWindow sum(long from, List<ServiceWindow> parts) {
        return new ServiceWindow(
                parts.getFirst().service(),
                from,
                length,
                total(parts, ServiceWindow::arrivals),
                total(parts, ServiceWindow::ended),
                total(parts, ServiceWindow::refused),
                total(parts, ServiceWindow::noAnswer),
                total(parts, ServiceWindow::resetsByClient),
                total(parts, ServiceWindow::resetsByServer),
                total(parts, ServiceWindow::requests),
                total(parts, ServiceWindow::responses),
                total(parts, ServiceWindow::errors),
                mean(parts, ServiceWindow::concurrentMean),
                parts.stream().mapToLong(ServiceWindow::concurrentMax).max().orElse(0),
                mean(parts, ServiceWindow::processingMean),
                traffic(parts, ServiceWindow::up),
                traffic(parts, ServiceWindow::down),
                total(parts, ServiceWindow::synRepeats),
                total(parts, ServiceWindow::capturedPackets),
                total(parts, ServiceWindow::droppedPackets),
                total(parts, ServiceWindow::unseenSegments),
                times(parts, ServiceWindow::response),
                times(parts, ServiceWindow::transfer),
                times(parts, ServiceWindow::connection),
                total(parts, ServiceWindow::timeouts),
                new ServiceWindow.RoundTrips(
                        times(parts, part -> part.roundTrips().server()),
                        times(parts, part -> part.roundTrips().client()),
                        times(parts, part -> part.roundTrips().acknowledgement()),
                        times(parts, part -> part.roundTrips().think())),
                TimesGrid.sum(
                        parts.stream().map(ServiceWindow::responseByTransfer).toList()));
    }

    private static long total(List<ServiceWindow> parts, ToLongFunction<ServiceWindow> field) {
        return parts.stream().mapToLong(field).sum();
    }

    /** Weighted by time; seconds in which the service was not watched count as nothing. */
    private double mean(List<ServiceWindow> parts, ToDoubleFunction<ServiceWindow> field) {
        double area = 0;
        for (ServiceWindow part : parts) {
            area += field.applyAsDouble(part) * part.lengthMicros();
        }
        return area / length;
    }

    private static Distribution times(List<ServiceWindow> parts, Function<ServiceWindow, Distribution> field) {
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
