package dev.komainu.central.indices;

import dev.komainu.telemetry.record.AccessLogWindow;
import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.ProxyWindow;
import dev.komainu.telemetry.record.ServiceWindow;
import java.util.EnumMap;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The last {@value LiveIndices#RING_SECONDS} seconds of one service: packet windows, and our
 * proxy's own ones where it is one. For each second one source speaks for the packets; see
 * {@link LiveSourceElection}.
 */
final class ServiceRing {

    private final int slots;
    private final LiveSourceElection voices;
    private final SecondRing packets;
    private final DistributionRing response;
    private final DistributionRing transfer;
    private final DistributionRing connection;
    private final EnumMap<RoundTrip, DistributionRing> roundTrips = new EnumMap<>(RoundTrip.class);
    private final int holdSlots;
    private @Nullable AccessLogRing log;
    private @Nullable SecondRing proxy;
    private @Nullable DistributionRing proxyResponse;
    private @Nullable DistributionRing originResponse;

    ServiceRing(int slots) {
        this(slots, AccessLogRing.HOLD_SECONDS);
    }

    /** @param holdSlots how long the newest word of a log stands for the slots after it */
    ServiceRing(int slots, int holdSlots) {
        this.slots = slots;
        this.holdSlots = holdSlots;
        voices = new LiveSourceElection(slots);
        packets = new SecondRing(PacketColumn.values().length, slots);
        response = new DistributionRing(slots);
        transfer = new DistributionRing(slots);
        connection = new DistributionRing(slots);
    }

    /**
     * Takes one second from one source; what is believed, and when, is for
     * {@link LiveSourceElection} to say.
     *
     * @param beside the source calls the service by its own id
     * @return whether anything was written
     */
    synchronized boolean accept(
            String source, boolean beside, ServiceWindow window, long nowMillis) {
        boolean written = false;
        for (LiveSourceElection.Word word : voices.hear(source, beside, window, nowMillis)) {
            written |= put(word.second(), word.window(), word.window().lengthMicros());
        }
        return written;
    }

    /**
     * Fills one slot, from whichever source. No rates are computed for the first moments of a
     * source: they would be arbitrary.
     */
    synchronized boolean put(long second, ServiceWindow window, long toldMicros) {
        long coveredMicros = Math.max(toldMicros, LiveSourceElection.SECOND_MICROS);
        boolean kept = packets.put(second, (columns, slot) -> {
            for (PacketColumn column : PacketColumn.values()) {
                columns[column.ordinal()][slot] = column.of(window, coveredMicros);
            }
        });
        if (kept) {
            response.put(second, window.response());
            transfer.put(second, window.transfer());
            connection.put(second, window.connection());
            for (RoundTrip leg : RoundTrip.values()) {
                Distribution seen = leg.of(window);
                if (seen.count() > 0 || roundTrips.containsKey(leg)) {
                    roundTrips
                            .computeIfAbsent(leg, first -> new DistributionRing(slots))
                            .put(second, seen);
                }
            }
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

    /** Fills every second the window tells of; the later word on a second stands. */
    synchronized void accept(AccessLogWindow window) {
        long from = window.fromMicros() / 1_000_000;
        long seconds = Math.clamp(window.lengthMicros() / 1_000_000, 1, slots);
        for (long second = from; second < from + seconds; second++) {
            put(second, window, 1);
        }
    }

    /** @param nth how many windows have told of this slot with this one */
    synchronized void put(long slot, AccessLogWindow window, int nth) {
        AccessLogRing ring = log;
        if (ring == null) {
            ring = new AccessLogRing(slots, holdSlots);
            log = ring;
        }
        ring.put(slot, window, nth);
    }

    synchronized double mean(LogColumn column, long end, int over) {
        return log == null ? Double.NaN : log.mean(column, end, over);
    }

    synchronized double max(LogColumn column, long end, int over) {
        return log == null ? Double.NaN : log.max(column, end, over);
    }

    synchronized double logDurationMillis(int percentile, long end, int over) {
        return log == null ? Double.NaN : log.durationMillis(percentile, end, over);
    }

    synchronized double millis(RoundTrip leg, int percentile, long end, int over) {
        DistributionRing ring = roundTrips.get(leg);
        return ring == null ? Double.NaN : ring.millis(percentile, end, over);
    }

    /** Forgets later seconds, see {@link LiveIndices#forgetAfter}. */
    synchronized void forgetAfter(long second) {
        voices.forgetAfter(second);
        packets.forgetAfter(second);
        response.forgetAfter(second);
        transfer.forgetAfter(second);
        connection.forgetAfter(second);
        roundTrips.values().forEach(ring -> ring.forgetAfter(second));
        if (log != null) {
            log.forgetAfter(second);
        }
        if (proxy != null && proxyResponse != null && originResponse != null) {
            proxy.forgetAfter(second);
            proxyResponse.forgetAfter(second);
            originResponse.forgetAfter(second);
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
        return voices.speaker();
    }

    /** Windows left out because another source spoke for their second. */
    synchronized long secondVoices() {
        return voices.unused();
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
     * Standard deviation over mean of the one-second values, 0 for a straight line; {@code NaN}
     * when fewer than half of the seconds are there or nothing happened.
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
        return Double.isNaN(seen) && proxyResponse != null
                ? proxyResponse.millis(percentile, end, over)
                : seen;
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
