package dev.komainu.central.indices;

import org.jspecify.annotations.Nullable;

/**
 * One service seen from every side at once: what its packets say, for a proxy what the packets of
 * its origin side say, and what its own counters and its own log say. A figure is absent where
 * nothing could be seen.
 *
 * @param seconds length of the window the figures are taken over
 * @param hitRatio of a proxy, from the packets of both sides: 1 - asked of the origin / asked of
 *     the proxy (thesis ch. 5)
 * @param trafficSaved of a proxy: 1 - payload from the origin / payload to the clients, each byte
 *     once
 * @param counted what the hit ratio counts: connections where requests cannot be read on one of the
 *     sides
 * @param underLoss whether the monitor lost packets on either side: figures from packets are then
 *     too low
 * @param clientSide what clients ask of this service
 * @param originSide what this proxy asks; absent where no origin side is watched
 * @param own our proxy's own counters; absent for every other server
 * @param log the server's own access log; absent where none is read
 */
public record ProxySplit(
        int seconds,
        @Nullable Double hitRatio,
        @Nullable Double trafficSaved,
        Counted counted,
        boolean underLoss,
        Side clientSide,
        @Nullable Side originSide,
        @Nullable Own own,
        @Nullable Log log) {

    /** The figures that are counted on both sides. */
    public enum Counted {
        REQUESTS,
        CONNECTIONS
    }

    /** The figures of one side by its packets. */
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
                    seen(ring.mean(PacketColumn.CONNECTIONS, end, over)),
                    seen(ring.mean(PacketColumn.REQUESTS, end, over)),
                    seen(ring.mean(PacketColumn.RESPONSES, end, over)),
                    seen(ring.mean(PacketColumn.CONCURRENT, end, over)),
                    seen(ring.max(PacketColumn.CONCURRENT_MAX, end, over)),
                    seen(ring.mean(PacketColumn.DOWN_UNIQUE_BYTES, end, over)),
                    seen(ring.responseMillis(50, end, over)),
                    seen(ring.responseMillis(95, end, over)),
                    seen(ring.transferMillis(50, end, over)),
                    seen(ring.connectionMillis(50, end, over)),
                    seen(ring.millis(RoundTrip.SERVER, 50, end, over)));
        }
    }

    /**
     * The figures that the proxy counts itself.
     *
     * @param hitRatio answered without the origin's body among all requests
     * @param notAskedRatio 1 - requests to the origin / requests: what the hit ratio from outside
     *     estimates
     */
    public record Own(
            @Nullable Double hitRatio,
            @Nullable Double notAskedRatio,
            @Nullable Double requestsPerSecond,
            @Nullable Double originRequestsPerSecond) {}

    /** The figures of the server's own log; N_c and T_c are absent where it has no durations. */
    public record Log(
            @Nullable Double entriesPerSecond,
            @Nullable Double concurrentMean,
            @Nullable Double concurrentMax,
            @Nullable Double durationP50Millis) {}

    static ProxySplit of(FormulaInputs lens, long end, int over) {
        ServiceRing ring = lens.ring();
        ServiceRing origin = lens.originSide();
        double requests = ring.mean(ProxyColumn.REQUESTS, end, over);
        double originRequests = ring.mean(ProxyColumn.ORIGIN_REQUESTS, end, over);
        double entries = ring.mean(LogColumn.ENTRIES, end, over);
        return new ProxySplit(
                over,
                seen(Formulas.compute("outsideHitRatio", lens, end, over)),
                seen(Formulas.compute("outsideTrafficSaved", lens, end, over)),
                counted(lens, end, over),
                lens.isUnderLoss(end, over),
                Side.of(ring, end, over),
                origin == null ? null : Side.of(origin, end, over),
                Double.isNaN(requests)
                        ? null
                        : new Own(
                                seen(Formulas.compute("hitRatio", lens, end, over)),
                                requests > 0 ? seen(1 - originRequests / requests) : null,
                                seen(requests),
                                seen(originRequests)),
                Double.isNaN(entries)
                        ? null
                        : new Log(
                                seen(entries),
                                seen(ring.mean(LogColumn.CONCURRENT, end, over)),
                                seen(ring.max(LogColumn.CONCURRENT_MAX, end, over)),
                                seen(ring.logDurationMillis(50, end, over))));
    }

    /**
     * Requests; connections where the requests of one side cannot be read although it is talked to.
     * A hit ratio by connections is right only while each connection carries one request.
     */
    static Counted counted(FormulaInputs lens, long end, int over) {
        boolean clientMute = isMute(
                lens.packets(PacketColumn.REQUESTS, end, over),
                lens.packets(PacketColumn.DOWN_UNIQUE_BYTES, end, over));
        boolean originMute = isMute(
                lens.origin(PacketColumn.REQUESTS, end, over),
                lens.origin(PacketColumn.DOWN_UNIQUE_BYTES, end, over));
        return clientMute || originMute ? Counted.CONNECTIONS : Counted.REQUESTS;
    }

    private static boolean isMute(double requests, double bytes) {
        return requests == 0 && bytes > 0;
    }

    private static @Nullable Double seen(double value) {
        return Double.isFinite(value) ? value : null;
    }
}
