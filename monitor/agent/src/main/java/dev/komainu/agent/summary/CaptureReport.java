package dev.komainu.agent.summary;

import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.ConnectionState;
import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.HttpExchange;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** What a person wants to read about a capture file: states, response and connection times, traffic. Single thread. */
public final class CaptureReport {

    private final Map<ConnectionState, Long> states = new EnumMap<>(ConnectionState.class);
    private final Histogram response = Distribution.newRecorder();
    private final Histogram transfer = Distribution.newRecorder();
    private final Histogram duration = Distribution.newRecorder();
    private long connections;
    private long exchanges;
    private long packets;
    private long uniqueUp;
    private long uniqueDown;
    private long retransmissions;

    public void add(ConnectionRecord record) {
        connections++;
        states.merge(record.state(), 1L, Long::sum);
        packets += record.up().packets() + record.down().packets();
        uniqueUp += record.up().uniqueBytes();
        uniqueDown += record.down().uniqueBytes();
        retransmissions += record.up().retransmissions() + record.down().retransmissions();
        exchanges += record.exchanges().size() + record.exchangesLeftOut();
        Distribution.record(duration, record.durationMicros());
        for (HttpExchange exchange : record.exchanges()) {
            if (exchange.responseMicros() != null) {
                Distribution.record(response, exchange.responseMicros());
            }
            if (exchange.transferMicros() != null) {
                Distribution.record(transfer, exchange.transferMicros());
            }
        }
    }

    /** The whole report, lines ended. */
    public String text() {
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT,
                "%d connections, %d exchanges, %d packets, %d bytes up, %d bytes down, %d retransmissions%n",
                connections,
                exchanges,
                packets,
                uniqueUp,
                uniqueDown,
                retransmissions));
        states.forEach(
                (state, count) -> text.append(String.format(Locale.ROOT, "  %-12s %10d%n", state.label(), count)));
        text.append(TextHistogram.draw("T_r response ", response));
        text.append(TextHistogram.draw("T_d transfer ", transfer));
        text.append(TextHistogram.draw("T_c connection", duration));
        return text.toString();
    }
}
