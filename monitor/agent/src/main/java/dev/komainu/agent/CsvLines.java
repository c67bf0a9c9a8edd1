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
 * What is not observable is an empty field. No field holds a comma or a quote.
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

    String connection(ConnectionRecord it) {
        line.setLength(0);
        Handshake opening = it.handshake();
        field(it.client()).field(it.server());
        field(it.startMicros()).field(it.endMicros()).field(it.durationMicros());
        field(it.state().label());
        field(opening.handshakeMicros())
                .field(opening.serverRttMicros())
                .field(opening.clientRttMicros());
        DirectionTotals up = it.up();
        DirectionTotals down = it.down();
        field(up.packets()).field(down.packets()).field(up.wireBytes()).field(down.wireBytes());
        field(up.payloadBytes()).field(down.payloadBytes());
        field(up.uniqueBytes()).field(down.uniqueBytes());
        field(up.retransmissions()).field(down.retransmissions());
        field(up.outOfOrder()).field(down.outOfOrder());
        field(up.zeroWindow()).field(down.zeroWindow());
        field(opening.synCount()).field(it.transferMicros());
        field(it.exchanges().size() + it.exchangesLeftOut());
        return end();
    }

    String window(ServiceWindow it) {
        line.setLength(0);
        field(it.service()).field(it.fromMicros()).field(it.lengthMicros());
        field(it.arrivals()).field(it.ended()).field(it.refused()).field(it.noAnswer());
        field(it.resetsByClient()).field(it.resetsByServer()).field(it.timeouts());
        field(it.requests()).field(it.responses()).field(it.errors());
        field(number(it.concurrentMean()))
                .field(it.concurrentMax())
                .field(number(it.processingMean()));
        DirectionTotals up = it.up();
        DirectionTotals down = it.down();
        field(up.packets()).field(down.packets()).field(up.wireBytes()).field(down.wireBytes());
        field(up.uniqueBytes()).field(down.uniqueBytes());
        field(up.retransmissions()).field(down.retransmissions());
        field(up.zeroWindow()).field(down.zeroWindow());
        field(it.synRepeats()).field(it.capturedPackets()).field(it.droppedPackets());
        field(it.unseenSegments());
        percentiles(it.response(), 50, 95, 99, 100);
        percentiles(it.transfer(), 50, 99);
        percentiles(it.connection(), 50, 99);
        failures(it.failures());
        return end();
    }

    private void failures(@Nullable Failures it) {
        field(it == null ? null : (Long) it.resetUnanswered());
        field(it == null ? null : (Long) it.closedUnanswered());
        field(it == null ? null : (Long) it.deliberateUnavailable());
        field(it == null ? null : (Long) it.lostPages());
        field(it == null ? null : (Long) it.handshakes());
        field(it == null ? null : (Long) it.failedHandshakes());
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
