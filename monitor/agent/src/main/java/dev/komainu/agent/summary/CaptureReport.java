package dev.komainu.agent.summary;

import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.ConnectionState;
import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.HttpExchange;
import dev.komainu.telemetry.record.ServiceWindow;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Summary of a capture file for an operator: states, servers, times and traffic. Single thread. */
public final class CaptureReport {

    private final Map<ConnectionState, Long> states = new EnumMap<>(ConnectionState.class);
    private final ServerTable servers = new ServerTable();
    private final Histogram response = Distribution.newRecorder();
    private final Histogram transfer = Distribution.newRecorder();
    private final Histogram duration = Distribution.newRecorder();
    private final Histogram serverRtt = Distribution.newRecorder();
    private final Histogram clientRtt = Distribution.newRecorder();
    private long connections;
    private long exchanges;
    private long packets;
    private long uniqueUp;
    private long uniqueDown;
    private long retransmissions;
    private long firstMicros = Long.MAX_VALUE;
    private long lastMicros = Long.MIN_VALUE;

    public void add(ConnectionRecord record) {
        connections++;
        states.merge(record.state(), 1L, Long::sum);
        firstMicros = Math.min(firstMicros, record.times().startMicros());
        lastMicros = Math.max(lastMicros, record.times().endMicros());
        packets += record.up().packets() + record.down().packets();
        uniqueUp += record.up().uniqueBytes();
        uniqueDown += record.down().uniqueBytes();
        retransmissions += record.up().retransmissions() + record.down().retransmissions();
        exchanges += record.exchanges().size() + record.exchangesLeftOut();
        Distribution.record(duration, record.times().durationMicros());
        record(serverRtt, record.handshake().serverRttMicros());
        record(clientRtt, record.handshake().clientRttMicros());
        for (HttpExchange exchange : record.exchanges()) {
            record(response, exchange.responseMicros());
            record(transfer, exchange.transferMicros());
        }
        servers.add(record);
    }

    private static void record(Histogram histogram, @Nullable Long micros) {
        if (micros != null) {
            Distribution.record(histogram, micros);
        }
    }

    /** Returns the whole report, with line ends. */
    public String text() {
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT,
                "%,d connections, %,d exchanges, %,d packets; %s up, %s down, %,d retransmissions (%.2f %%)%n",
                connections,
                exchanges,
                packets,
                TextHistogram.bytes(uniqueUp),
                TextHistogram.bytes(uniqueDown),
                retransmissions,
                packets == 0 ? 0 : 100.0 * retransmissions / packets));
        if (connections == 0) {
            return text.toString();
        }
        double seconds = Math.max(1, lastMicros - firstMicros) / 1e6;
        text.append(String.format(
                Locale.ROOT,
                "%s to %s, %s; %.1f connections/s, %.1f exchanges/s%n%n",
                second(firstMicros),
                second(lastMicros),
                TextHistogram.duration(lastMicros - firstMicros),
                connections / seconds,
                exchanges / seconds));
        states.forEach((state, count) -> text.append(String.format(
                Locale.ROOT,
                "  %-12s %,12d %6.2f %%%n",
                state.label(),
                count,
                100.0 * count / connections)));
        text.append(servers.text());
        text.append(TextHistogram.draw(
                "T_r response: last packet of the request to first of the response", response));
        text.append(
                TextHistogram.draw("T_d transfer: first to last packet of the response", transfer));
        text.append(TextHistogram.draw("T_c connection: first SYN to the end", duration));
        text.append(brief("round trip to the servers (SYN to SYN/ACK)", serverRtt));
        text.append(brief("round trip to the clients (SYN/ACK to ACK)", clientRtt));
        return text.toString();
    }

    private static Instant second(long micros) {
        return Instant.ofEpochMilli(Math.floorDiv(micros, 1_000)).truncatedTo(ChronoUnit.SECONDS);
    }

    private static String brief(String name, Histogram values) {
        return values.getTotalCount() == 0
                ? ""
                : String.format(
                        Locale.ROOT,
                        "%n%s: p50 %s   p90 %s   p99 %s%n",
                        name,
                        TextHistogram.duration(values.getValueAtPercentile(50)),
                        TextHistogram.duration(values.getValueAtPercentile(90)),
                        TextHistogram.duration(values.getValueAtPercentile(99)));
    }

    /** Returns a window on one line, without a line end. */
    public static String line(ServiceWindow window) {
        Histogram times = window.times().response().toHistogram();
        return String.format(
                Locale.ROOT,
                "%s %s  arrivals %d  ended %d  N_c %.1f (max %d)  requests %d  T_r p50 %s  p99 %s%s",
                Instant.ofEpochMilli(Math.floorDiv(window.fromMicros(), 1_000)),
                window.service(),
                window.connections().arrivals(),
                window.connections().ended(),
                window.concurrency().concurrentMean(),
                window.concurrency().concurrentMax(),
                window.exchanges().requests(),
                window.times().response().count() == 0
                        ? "-"
                        : TextHistogram.duration(times.getValueAtPercentile(50)),
                window.times().response().count() == 0
                        ? "-"
                        : TextHistogram.duration(times.getValueAtPercentile(99)),
                window.isUnderLoss()
                        ? String.format(
                                Locale.ROOT,
                                "  dropped %d  unseen %d",
                                window.packets().droppedPackets(),
                                window.packets().unseenSegments())
                        : "");
    }
}
