package dev.komainu.central.indices;

import dev.komainu.telemetry.record.AccessLogWindow;
import dev.komainu.telemetry.record.BucketCounts;
import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.ProxyWindow;
import dev.komainu.telemetry.record.ServiceWindow;
import java.util.EnumMap;
import org.jspecify.annotations.Nullable;

/**
 * The last {@value LiveIndices#RING_SECONDS} seconds of one service: packet windows, and the
 * counters of Komainu's proxy where the service is one. For each second the packets of one source
 * count, see {@link LiveSourceElection}, or those of the union of all sources.
 */
final class ServiceRing {

    /**
     * Newest seconds whose distributions are kept one by one, see {@link DistributionRing}. Rules
     * and sparklines look back 60 s, and late sources report some seconds more.
     */
    private static final int SINGLE_DISTRIBUTIONS = 90;

    /** The ring of services without data; nothing is written into it. */
    static final ServiceRing NO_DATA = new ServiceRing(1);

    private final int slots;
    private final int singleDistributions;
    private final LiveSourceElection election;
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
        this(slots, AccessLogRing.HOLD_SECONDS, Math.min(slots, SINGLE_DISTRIBUTIONS));
    }

    /**
     * Creates an empty ring that keeps the distributions of every slot by themselves.
     *
     * @param holdSlots number of slots after the newest log window for which that window stays
     *     valid
     */
    ServiceRing(int slots, int holdSlots) {
        this(slots, holdSlots, slots);
    }

    private ServiceRing(int slots, int holdSlots, int singleDistributions) {
        this.slots = slots;
        this.holdSlots = holdSlots;
        this.singleDistributions = singleDistributions;
        election = new LiveSourceElection(slots);
        packets = new SecondRing(PacketColumn.values().length, slots);
        response = newDistributions();
        transfer = newDistributions();
        connection = newDistributions();
    }

    /**
     * Accepts one second from one source; {@link LiveSourceElection} decides which seconds are
     * written, and when.
     *
     * @param beside the source uses the service's own id
     * @return whether anything was written
     */
    synchronized boolean accept(
            String source, boolean beside, ServiceWindow window, long nowMillis) {
        boolean written = false;
        for (LiveSourceElection.SecondUpdate update :
                election.accept(source, beside, window, nowMillis)) {
            written |= put(update.second(), update.window(), update.window().lengthMicros());
        }
        return written;
    }

    /** Fills one second from the union of all sources. */
    synchronized boolean settle(long second, ServiceWindow window) {
        return election.settled(second) && put(second, window, window.lengthMicros());
    }

    /**
     * Fills one slot from any source. No rates are computed for the first moments of a source: they
     * would be arbitrary.
     */
    synchronized boolean put(long second, ServiceWindow window, long reportedMicros) {
        long coveredMicros = Math.max(reportedMicros, LiveSourceElection.SECOND_MICROS);
        boolean kept = packets.put(second, slot -> {
            for (PacketColumn column : PacketColumn.values()) {
                slot.set(column.ordinal(), column.of(window, coveredMicros));
            }
        });
        if (kept) {
            response.put(second, window.times().response());
            transfer.put(second, window.times().transfer());
            connection.put(second, window.times().connection());
            for (RoundTrip leg : RoundTrip.values()) {
                Distribution measured = leg.of(window);
                if (measured.count() > 0 || roundTrips.containsKey(leg)) {
                    roundTrips
                            .computeIfAbsent(leg, first -> newDistributions())
                            .put(second, measured);
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
            proxyResponse = newDistributions();
            originResponse = newDistributions();
        }
        boolean kept = proxy.put(second, slot -> {
            for (ProxyColumn column : ProxyColumn.values()) {
                slot.set(column.ordinal(), column.of(window, coveredMicros));
            }
        });
        if (kept) {
            BucketCounts both = BucketCounts.take();
            both.add(window.times().hitResponse());
            both.add(window.times().missResponse());
            proxyResponse.put(second, Distribution.of(both));
            both.release();
            originResponse.put(second, window.times().originResponse());
        }
    }

    /** Fills every second that the window covers; a later window replaces an earlier one. */
    synchronized void accept(AccessLogWindow window) {
        long from = window.fromMicros() / 1_000_000;
        long seconds = Math.clamp(window.lengthMicros() / 1_000_000, 1, slots);
        for (long second = from; second < from + seconds; second++) {
            put(second, window, 1);
        }
    }

    /**
     * Fills one slot from a log window.
     *
     * @param nth number of windows that have reported this slot, including this one
     */
    synchronized void put(long slot, AccessLogWindow window, int nth) {
        AccessLogRing ring = log;
        if (ring == null) {
            ring = new AccessLogRing(slots, holdSlots, newDistributions());
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

    /** Clears later seconds, see {@link LiveIndices#clearAfter}. */
    synchronized void clearAfter(long second) {
        election.clearAfter(second);
        packets.clearAfter(second);
        response.clearAfter(second);
        transfer.clearAfter(second);
        connection.clearAfter(second);
        roundTrips.values().forEach(ring -> ring.clearAfter(second));
        if (log != null) {
            log.clearAfter(second);
        }
        if (proxy != null && proxyResponse != null && originResponse != null) {
            proxy.clearAfter(second);
            proxyResponse.clearAfter(second);
            originResponse.clearAfter(second);
        }
    }

    /**
     * Returns the newest second with data from packets or proxy; {@link Long#MIN_VALUE} before the
     * first.
     */
    synchronized long newest() {
        return Math.max(packets.newest(), proxy == null ? Long.MIN_VALUE : proxy.newest());
    }

    synchronized long newestPackets() {
        return packets.newest();
    }

    synchronized @Nullable String electedSource() {
        return election.elected();
    }

    /**
     * Returns the number of windows left out because another source was elected for their second.
     */
    synchronized long unusedWindows() {
        return election.unused();
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
     * Returns the standard deviation divided by the mean of the one-second values, 0 for a straight
     * line; {@code NaN} when fewer than half of the seconds are present or all values are 0.
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
        double measured = response.millis(percentile, end, over);
        return Double.isNaN(measured) && proxyResponse != null
                ? proxyResponse.millis(percentile, end, over)
                : measured;
    }

    /** Adds the packets of the window to the totals of a group; see {@link WindowTotals}. */
    synchronized void addTo(WindowTotals totals, long end, int over) {
        for (long second = end - over + 1; second <= end; second++) {
            if (packets.holds(second)) {
                long each = second;
                totals.addSecond(column -> packets.at(column.ordinal(), each));
            }
        }
        response.addTo(totals.response(), end, over);
        transfer.addTo(totals.transfer(), end, over);
    }

    synchronized long responseSamples(long end, int over) {
        long measured = response.samples(end, over);
        return measured == 0 && proxyResponse != null ? proxyResponse.samples(end, over) : measured;
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

    private DistributionRing newDistributions() {
        return new DistributionRing(slots, singleDistributions);
    }
}
