package dev.komainu.agent;

import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.DirectionTotals;
import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.Failures;
import dev.komainu.telemetry.record.Handshake;
import dev.komainu.telemetry.record.ServiceWindow;
import java.util.Locale;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Connections and windows as comma-separated lines for spreadsheets, named and measured as in JSON.
 * A value that cannot be observed is an empty field. No field holds a comma or a quote.
 */
final class CsvLines {

    static final String CONNECTIONS =
            "client,server,startMicros,endMicros,durationMicros,state,handshakeMicros,"
                    + "serverRttMicros,clientRttMicros,packetsUp,packetsDown,wireBytesUp,wireBytesDown,payloadBytesUp,"
                    + "payloadBytesDown,uniqueBytesUp,uniqueBytesDown,retransmissionsUp,retransmissionsDown,outOfOrderUp,"
                    + "outOfOrderDown,zeroWindowUp,zeroWindowDown,synCount,transferMicros,exchanges\n";

    static final String WINDOWS =
            "service,fromMicros,lengthMicros,arrivals,ended,refused,noAnswer,resetsByClient,"
                    + "resetsByServer,timeouts,requests,responses,errors,concurrentMean,concurrentMax,processingMean,packetsUp,"
                    + "packetsDown,wireBytesUp,wireBytesDown,uniqueBytesUp,uniqueBytesDown,retransmissionsUp,"
                    + "retransmissionsDown,zeroWindowUp,zeroWindowDown,synRepeats,capturedPackets,droppedPackets,"
                    + "unseenSegments,responseP50Micros,responseP95Micros,responseP99Micros,responseMaxMicros,"
                    + "transferP50Micros,transferP99Micros,connectionP50Micros,connectionP99Micros,resetUnanswered,"
                    + "closedUnanswered,deliberateUnavailable,lostPages,handshakes,failedHandshakes\n";

    private final StringBuilder line = new StringBuilder(256);

    String connection(ConnectionRecord record) {
        line.setLength(0);
        Handshake opening = record.handshake();
        field(record.client()).field(record.server());
        field(record.times().startMicros())
                .field(record.times().endMicros())
                .field(record.times().durationMicros());
        field(record.state().label());
        field(opening.handshakeMicros())
                .field(opening.serverRttMicros())
                .field(opening.clientRttMicros());
        DirectionTotals up = record.up();
        DirectionTotals down = record.down();
        field(up.packets()).field(down.packets()).field(up.wireBytes()).field(down.wireBytes());
        field(up.payloadBytes()).field(down.payloadBytes());
        field(up.uniqueBytes()).field(down.uniqueBytes());
        field(up.retransmissions()).field(down.retransmissions());
        field(up.outOfOrder()).field(down.outOfOrder());
        field(up.zeroWindow()).field(down.zeroWindow());
        field(opening.synCount()).field(record.times().transferMicros());
        field(record.exchanges().size() + record.exchangesLeftOut());
        return end();
    }

    String window(ServiceWindow record) {
        line.setLength(0);
        field(record.service()).field(record.fromMicros()).field(record.lengthMicros());
        ServiceWindow.Connections connections = record.connections();
        field(connections.arrivals())
                .field(connections.ended())
                .field(connections.refused())
                .field(connections.noAnswer());
        field(connections.resetsByClient())
                .field(connections.resetsByServer())
                .field(connections.timeouts());
        field(record.exchanges().requests())
                .field(record.exchanges().responses())
                .field(record.exchanges().errors());
        field(number(record.concurrency().concurrentMean()))
                .field(record.concurrency().concurrentMax())
                .field(number(record.concurrency().processingMean()));
        ServiceWindow.Packets packets = record.packets();
        DirectionTotals up = packets.up();
        DirectionTotals down = packets.down();
        field(up.packets()).field(down.packets()).field(up.wireBytes()).field(down.wireBytes());
        field(up.uniqueBytes()).field(down.uniqueBytes());
        field(up.retransmissions()).field(down.retransmissions());
        field(up.zeroWindow()).field(down.zeroWindow());
        field(packets.synRepeats())
                .field(packets.capturedPackets())
                .field(packets.droppedPackets());
        field(packets.unseenSegments());
        ServiceWindow.Times times = record.times();
        percentiles(times.response(), 50, 95, 99, 100);
        percentiles(times.transfer(), 50, 99);
        percentiles(times.connection(), 50, 99);
        failures(record.failures());
        return end();
    }

    private void failures(@Nullable Failures record) {
        field(record == null ? null : (Long) record.resetUnanswered());
        field(record == null ? null : (Long) record.closedUnanswered());
        field(record == null ? null : (Long) record.deliberateUnavailable());
        field(record == null ? null : (Long) record.lostPages());
        field(record == null ? null : (Long) record.handshakes());
        field(record == null ? null : (Long) record.failedHandshakes());
    }

    private void percentiles(Distribution distribution, int... percents) {
        Histogram histogram = distribution.count() == 0 ? null : distribution.toHistogram();
        for (int percent : percents) {
            field(histogram == null ? null : (Long) histogram.getValueAtPercentile(percent));
        }
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.3f", value);
    }

    private CsvLines field(@Nullable Object value) {
        if (value != null) {
            line.append(value);
        }
        line.append(',');
        return this;
    }

    private String end() {
        line.setCharAt(line.length() - 1, '\n');
        return line.toString();
    }
}
