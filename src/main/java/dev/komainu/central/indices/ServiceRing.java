package dev.komainu.central.indices;

import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.ProxyWindow;
import dev.komainu.telemetry.record.ServiceWindow;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The last {@value LiveIndices#RING_SECONDS} seconds of one service: packet windows, and our proxy's own ones where it
 * is one. For each second one source speaks for the packets; see {@link #accept(String, ServiceWindow, long)}.
 */
final class ServiceRing {

    /** The source that spoke last keeps the word until it was silent for longer. */
    static final int STICKY_SECONDS = 5;

    private final int slots;
    private final SecondRing packets;
    private final DistributionRing response;
    private final DistributionRing transfer;
    private final DistributionRing connection;
    private @Nullable SecondRing proxy;
    private @Nullable DistributionRing proxyResponse;
    private @Nullable DistributionRing originResponse;
    private @Nullable String speaker;
    private long speakerHeardMillis;
    private long secondVoices;

    ServiceRing(int slots) {
        this.slots = slots;
        packets = new SecondRing(PacketColumn.values().length, slots);
        response = new DistributionRing(slots);
        transfer = new DistributionRing(slots);
        connection = new DistributionRing(slots);
    }

    /**
     * Takes one second from one source, unless another source speaks for this service: two probes on one server never
     * count twice. The word passes on when the speaker was not heard for {@value #STICKY_SECONDS} s by our clock.
     */
    synchronized boolean accept(String source, ServiceWindow window, long nowMillis) {
        if (speaker != null && !speaker.equals(source) && nowMillis - speakerHeardMillis <= STICKY_SECONDS * 1_000L) {
            secondVoices++;
            return false;
        }
        long second = window.fromMicros() / 1_000_000;
        if (!source.equals(speaker) && packets.holds(second)) {
            secondVoices++;
            return false;
        }
        speaker = source;
        speakerHeardMillis = nowMillis;
        return put(second, window, window.lengthMicros());
    }

    /** Fills one slot, whoever told of it. */
    synchronized boolean put(long second, ServiceWindow window, long coveredMicros) {
        boolean kept = packets.put(second, (columns, slot) -> {
            for (PacketColumn column : PacketColumn.values()) {
                columns[column.ordinal()][slot] = column.of(window, coveredMicros);
            }
        });
        if (kept) {
            response.put(second, window.response());
            transfer.put(second, window.transfer());
            connection.put(second, window.connection());
        }
        return kept;
    }

    void accept(ProxyWindow window) {
        put(window.fromMicros() / 1_000_000, window, window.lengthMicros());
    }

    /** Fills one slot of a proxy's own counters. */
    synchronized void put(long second, ProxyWindow window, long coveredMicros) {
        if (proxy == null || proxyResponse == null || originResponse == null) {
            proxy = new SecondRing(ProxyColumn.values().length, slots);
            proxyResponse = new DistributionRing(slots);
            originResponse = new DistributionRing(slots);
        }
        boolean kept = proxy.put(second, (columns, slot) -> {
            for (ProxyColumn column : ProxyColumn.values()) {
                columns[column.ordinal()][slot] = column.of(window, coveredMicros);
            }
        });
        if (kept) {
            Histogram both = Distribution.newRecorder();
            window.hitResponse().addTo(both);
            window.missResponse().addTo(both);
            proxyResponse.put(second, Distribution.of(both));
            originResponse.put(second, window.originResponse());
        }
    }

    /** Newest second heard of, from packets or proxy; {@link Long#MIN_VALUE} before the first. */
    synchronized long newest() {
        return Math.max(packets.newest(), proxy == null ? Long.MIN_VALUE : proxy.newest());
    }

    synchronized long newestPackets() {
        return packets.newest();
    }

    synchronized @Nullable String speaker() {
        return speaker;
    }

    /** Windows left out because another source spoke for their second. */
    synchronized long secondVoices() {
        return secondVoices;
    }

    synchronized boolean isProxy() {
        return proxy != null;
    }

    synchronized double mean(PacketColumn column, long end, int over) {
        return packets.mean(column.ordinal(), end, over);
    }

    synchronized double max(PacketColumn column, long end, int over) {
        return packets.max(column.ordinal(), end, over);
    }

    synchronized double mean(ProxyColumn column, long end, int over) {
        return proxy == null ? Double.NaN : proxy.mean(column.ordinal(), end, over);
    }

    synchronized int secondsPresent(long end, int over) {
        return Math.max(packets.present(end, over), proxy == null ? 0 : proxy.present(end, over));
    }

    /**
     * Standard deviation over mean of the one-second values, 0 for a straight line; {@code NaN} when fewer than half of
     * the seconds are there or nothing happened.
     */
    synchronized double variation(PacketColumn column, long end, int over) {
        double sum = 0;
        double squares = 0;
        int count = 0;
        for (long second = end - over + 1; second <= end; second++) {
            double value = packets.at(column.ordinal(), second);
            if (!Double.isNaN(value)) {
                sum += value;
                squares += value * value;
                count++;
            }
        }
        if (count * 2 < over || sum <= 0) {
            return Double.NaN;
        }
        double mean = sum / count;
        return Math.sqrt(Math.max(0, squares / count - mean * mean)) / mean;
    }

    synchronized double responseMillis(int percentile, long end, int over) {
        double seen = response.millis(percentile, end, over);
        return Double.isNaN(seen) && proxyResponse != null ? proxyResponse.millis(percentile, end, over) : seen;
    }

    synchronized long responseSamples(long end, int over) {
        long seen = response.samples(end, over);
        return seen == 0 && proxyResponse != null ? proxyResponse.samples(end, over) : seen;
    }

    synchronized double transferMillis(int percentile, long end, int over) {
        return transfer.millis(percentile, end, over);
    }

    synchronized double connectionMillis(int percentile, long end, int over) {
        return connection.millis(percentile, end, over);
    }

    synchronized double originMillis(int percentile, long end, int over) {
        return originResponse == null ? Double.NaN : originResponse.millis(percentile, end, over);
    }
}
