package dev.komainu.central.indices;

import org.jspecify.annotations.Nullable;

/**
 * The figures of one service from each source: its packets, the packets of its origin side (for a
 * proxy), its own counters and its own log. A figure is absent when nothing was observed.
 *
 * @param seconds length of the window of the figures
 * @param hitRatio of a proxy, from the packets of both sides: 1 - requests to the origin / requests
 *     to the proxy (thesis ch. 5)
 * @param trafficSaved of a proxy: 1 - payload from the origin / payload to the clients, each byte
 *     once
 * @param counted unit that the hit ratio counts: connections when requests cannot be read on one of
 *     the sides
 * @param underLoss whether the monitor lost packets on either side: figures from packets are too
 *     low then
 * @param clientSide requests of clients to this service
 * @param originSide requests of this proxy to its origins; absent when no origin side is watched
 * @param own counters of Komainu's proxy; absent for every other server
 * @param log the server's own access log; absent when none is read
 */
public record ProxySplit(
        int seconds,
        @Nullable Double hitRatio,
        @Nullable Double trafficSaved,
        Counted counted,
        boolean underLoss,
        Side clientSide,
        @Nullable Side originSide,
        @Nullable ProxyCounters own,
        @Nullable Log log) {

    /** The unit that is counted on both sides. */
    public enum Counted {
        REQUESTS,
        CONNECTIONS
    }

    /** The figures of one side, from its packets. */
    public record Side(
            @Nullable Double connectionsPerSecond,
            @Nullable Double requestsPerSecond,
            @Nullable Double answersPerSecond,
            @Nullable Double concurrentMean,
            @Nullable Double concurrentMax,
            @Nullable Double bytesDownPerSecond,
            @Nullable Double responseP50Millis,
            @Nullable Double responseP95Millis,
            @Nullable Double transferP50Millis,
            @Nullable Double connectionP50Millis,
            @Nullable Double serverRttP50Millis) {

        static Side of(ServiceRing ring, long end, int over) {
            return new Side(
                    orNull(ring.mean(PacketColumn.CONNECTIONS, end, over)),
                    orNull(ring.mean(PacketColumn.REQUESTS, end, over)),
                    orNull(ring.mean(PacketColumn.RESPONSES, end, over)),
                    orNull(ring.mean(PacketColumn.CONCURRENT, end, over)),
                    orNull(ring.max(PacketColumn.CONCURRENT_MAX, end, over)),
                    orNull(ring.mean(PacketColumn.DOWN_UNIQUE_BYTES, end, over)),
                    orNull(ring.responseMillis(50, end, over)),
                    orNull(ring.responseMillis(95, end, over)),
                    orNull(ring.transferMillis(50, end, over)),
                    orNull(ring.connectionMillis(50, end, over)),
                    orNull(ring.millis(RoundTrip.SERVER, 50, end, over)));
        }
    }

    /**
     * The figures that the proxy counts itself.
     *
     * @param hitRatio share of all requests that were served without the origin's body
     * @param notAskedRatio 1 - requests to the origin / requests: the figure that the hit ratio
     *     from packets estimates
     */
    public record ProxyCounters(
            @Nullable Double hitRatio,
            @Nullable Double notAskedRatio,
            @Nullable Double requestsPerSecond,
            @Nullable Double originRequestsPerSecond) {}

    /**
     * The figures of the server's own log; N_c and T_c are absent when the log has no durations.
     */
    public record Log(
            @Nullable Double entriesPerSecond,
            @Nullable Double concurrentMean,
            @Nullable Double concurrentMax,
            @Nullable Double durationP50Millis) {}

    static ProxySplit of(FormulaInputs inputs, long end, int over) {
        ServiceRing ring = inputs.ring();
        ServiceRing origin = inputs.originSide();
        double requests = ring.mean(ProxyColumn.REQUESTS, end, over);
        double originRequests = ring.mean(ProxyColumn.ORIGIN_REQUESTS, end, over);
        double entries = ring.mean(LogColumn.ENTRIES, end, over);
        return new ProxySplit(
                over,
                orNull(Formulas.compute("outsideHitRatio", inputs, end, over)),
                orNull(Formulas.compute("outsideTrafficSaved", inputs, end, over)),
                counted(inputs, end, over),
                inputs.isUnderLoss(end, over),
                Side.of(ring, end, over),
                origin == null ? null : Side.of(origin, end, over),
                Double.isNaN(requests)
                        ? null
                        : new ProxyCounters(
                                orNull(Formulas.compute("hitRatio", inputs, end, over)),
                                requests > 0 ? orNull(1 - originRequests / requests) : null,
                                orNull(requests),
                                orNull(originRequests)),
                Double.isNaN(entries)
                        ? null
                        : new Log(
                                orNull(entries),
                                orNull(ring.mean(LogColumn.CONCURRENT, end, over)),
                                orNull(ring.max(LogColumn.CONCURRENT_MAX, end, over)),
                                orNull(ring.logDurationMillis(50, end, over))));
    }

    /**
     * Returns requests, or connections when the requests of one side with traffic cannot be read. A
     * hit ratio by connections is exact only while each connection carries one request.
     */
    static Counted counted(FormulaInputs inputs, long end, int over) {
        boolean clientUnreadable = isUnreadable(
                inputs.packets(PacketColumn.REQUESTS, end, over),
                inputs.packets(PacketColumn.DOWN_UNIQUE_BYTES, end, over));
        boolean originUnreadable = isUnreadable(
                inputs.origin(PacketColumn.REQUESTS, end, over),
                inputs.origin(PacketColumn.DOWN_UNIQUE_BYTES, end, over));
        return clientUnreadable || originUnreadable ? Counted.CONNECTIONS : Counted.REQUESTS;
    }

    private static boolean isUnreadable(double requests, double bytes) {
        return requests == 0 && bytes > 0;
    }

    private static @Nullable Double orNull(double value) {
        return Double.isFinite(value) ? value : null;
    }
}
