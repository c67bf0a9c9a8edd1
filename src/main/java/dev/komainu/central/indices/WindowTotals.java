package dev.komainu.central.indices;

import dev.komainu.telemetry.record.Distribution;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/**
 * Totals of the packets of one or several services over one window of seconds. Counts are added,
 * and so are histograms; so the totals of several services equal those of one service that had all
 * their connections. Not thread-safe.
 */
public final class WindowTotals {

    private final Histogram response = Distribution.newRecorder();
    private final Histogram transfer = Distribution.newRecorder();
    private double connections;
    private double requests;
    private double responses;
    private double failures;
    private double bytes;
    private double packetsDown;
    private double repeatsDown;
    private double concurrentSeconds;
    private int seconds;

    /** Adds one second of one service. */
    void addSecond(ToDoubleFunction<PacketColumn> column) {
        connections += known(column.applyAsDouble(PacketColumn.CONNECTIONS));
        requests += known(column.applyAsDouble(PacketColumn.REQUESTS));
        responses += known(column.applyAsDouble(PacketColumn.RESPONSES));
        failures += known(column.applyAsDouble(PacketColumn.ERRORS))
                + known(column.applyAsDouble(PacketColumn.UNANSWERED))
                + known(column.applyAsDouble(PacketColumn.REFUSED));
        bytes += known(column.applyAsDouble(PacketColumn.DOWN_BYTES))
                + known(column.applyAsDouble(PacketColumn.UP_BYTES));
        packetsDown += known(column.applyAsDouble(PacketColumn.DOWN_PACKETS));
        repeatsDown += known(column.applyAsDouble(PacketColumn.DOWN_REPEATS));
        concurrentSeconds += known(column.applyAsDouble(PacketColumn.CONCURRENT));
        seconds++;
    }

    private static double known(double value) {
        return Double.isFinite(value) ? value : 0;
    }

    /** Returns the response times T_r. */
    public Histogram response() {
        return response;
    }

    /** Returns the transfer times T_d. */
    public Histogram transfer() {
        return transfer;
    }

    /** Returns the connections that arrived. */
    public double connections() {
        return connections;
    }

    /** Returns the requests that arrived. */
    public double requests() {
        return requests;
    }

    /** Returns the responses that began. */
    public double responses() {
        return responses;
    }

    /** Returns the responses 500 to 599, the requests without a response, and the refusals. */
    public double failures() {
        return failures;
    }

    /** Returns the bytes on the wire, both directions. */
    public double bytes() {
        return bytes;
    }

    /** Returns the packets to clients. */
    public double packetsDown() {
        return packetsDown;
    }

    /** Returns the retransmitted packets to clients. */
    public double repeatsDown() {
        return repeatsDown;
    }

    /** Returns the sum of the mean numbers of open connections of all seconds. */
    public double concurrentSeconds() {
        return concurrentSeconds;
    }

    /** Returns the seconds with packets data, those of each service by themselves. */
    public int seconds() {
        return seconds;
    }
}
