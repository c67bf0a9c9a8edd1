package dev.komainu.telemetry.record;

import org.jspecify.annotations.Nullable;

/**
 * The packets of one service during one window (ENMA's indices, thesis 2.3). Windows of one service
 * from one source neither overlap nor have gaps while the service is watched: a second without
 * packets is a window of zeros.
 *
 * @param service the watched service's id as the source knows it
 * @param fromMicros start of the window, a multiple of its length; of a source's first window the
 *     start of its watch
 * @param lengthMicros one second live, of a source's first window the rest of its second; ten
 *     seconds in {@code analyze --windows}
 * @param connections the connections that began or ended in this window
 * @param exchanges the requests and responses of this window
 * @param concurrency the connections and requests in progress
 * @param packets the packets of the service, and those the monitor lost
 * @param times the distributions of the times
 * @param failures failures seen by clients; {@code null} when the source does not count them
 * @param clientPaths the paths to the clients; {@code null} when the source does not follow them
 */
public record ServiceWindow(
        String service,
        long fromMicros,
        long lengthMicros,
        Connections connections,
        Exchanges exchanges,
        Concurrency concurrency,
        Packets packets,
        Times times,
        @Nullable Failures failures,
        @Nullable ClientPaths clientPaths)
        implements TelemetryRecord {

    /** Creates the window of a source that does not follow the paths to the clients. */
    public ServiceWindow(
            String service,
            long fromMicros,
            long lengthMicros,
            Connections connections,
            Exchanges exchanges,
            Concurrency concurrency,
            Packets packets,
            Times times,
            @Nullable Failures failures) {
        this(
                service,
                fromMicros,
                lengthMicros,
                connections,
                exchanges,
                concurrency,
                packets,
                times,
                failures,
                null);
    }

    /**
     * The connections that began or ended in this window.
     *
     * @param arrivals connections whose first SYN arrived (without repeats)
     * @param ended connections that ended in any way
     * @param refused connections with RST as the response
     * @param noAnswer connections timed out with SYNs only
     * @param resetsByClient established connections the client reset
     * @param resetsByServer established connections the server reset
     * @param timeouts connections timed out in this window: half-open, half-closed, or open with a
     *     request without a response
     */
    @FieldGroup
    public record Connections(
            long arrivals,
            long ended,
            long refused,
            long noAnswer,
            long resetsByClient,
            long resetsByServer,
            long timeouts) {}

    /**
     * The requests and responses of this window.
     *
     * @param requests complete requests seen
     * @param responses responses whose first byte arrived (the processed rate)
     * @param errors responses with status 500 to 599
     */
    @FieldGroup
    public record Exchanges(long requests, long responses, long errors) {}

    /**
     * The connections and requests in progress.
     *
     * @param concurrentMean N_c, time-weighted mean of open connections
     * @param concurrentMax N_c, highest
     * @param processingMean requests waiting for their first byte, time-weighted mean
     */
    @FieldGroup
    public record Concurrency(double concurrentMean, long concurrentMax, double processingMean) {}

    /**
     * The packets of the service, and those the monitor lost.
     *
     * @param up client to server
     * @param down server to client
     * @param synRepeats SYNs repeated without a SYN/ACK seen in between
     * @param capturedPackets packets the source read in this window, of all services
     * @param droppedPackets packets the kernel dropped before the source could read them
     * @param unseenSegments gaps that were acknowledged but never captured: the monitor's own loss
     */
    @FieldGroup
    public record Packets(
            DirectionTotals up,
            DirectionTotals down,
            long synRepeats,
            long capturedPackets,
            long droppedPackets,
            long unseenSegments) {}

    /**
     * The distributions of the times.
     *
     * @param response T_r of the responses begun in this window
     * @param transfer first to last data packet of the responses finished in this window
     * @param connection T_c of the connections ended in this window
     * @param roundTrips the parts of T_r
     * @param responseByTransfer joint distribution of T_r and T_d of the responses finished in this
     *     window
     */
    @FieldGroup
    public record Times(
            Distribution response,
            Distribution transfer,
            Distribution connection,
            RoundTrips roundTrips,
            TimesGrid responseByTransfer) {

        /** Creates the times of a source that measures no parts of T_r. */
        public Times(Distribution response, Distribution transfer, Distribution connection) {
            this(response, transfer, connection, RoundTrips.NONE, TimesGrid.EMPTY);
        }
    }

    /**
     * The parts of the response time, seen from the middle: no samples across retransmissions
     * (Karn).
     *
     * @param server round trip to the server, of the handshakes completed in this window
     * @param client round trip to the client, of the handshakes completed in this window
     * @param acknowledgement the server's kernel: from a request's last segment to its
     *     acknowledgement
     * @param think the server's program: T_r minus the round trip to the server
     */
    public record RoundTrips(
            Distribution server,
            Distribution client,
            Distribution acknowledgement,
            Distribution think) {
        public static final RoundTrips NONE = new RoundTrips(
                Distribution.empty(),
                Distribution.empty(),
                Distribution.empty(),
                Distribution.empty());
    }

    /** Returns the TCP payload in both directions, retransmissions included. */
    public long payloadBytes() {
        return packets.up().payloadBytes() + packets.down().payloadBytes();
    }

    /**
     * Reports whether the monitor itself lost packets of this window, so that its figures are too
     * low.
     */
    public boolean isUnderLoss() {
        return packets.droppedPackets() > 0 || packets.unseenSegments() > 0;
    }

    /**
     * Returns the window of a source that watches only from a later time on. Its means include the
     * time before.
     *
     * @param micros start of the watch, within the window
     */
    public ServiceWindow since(long micros) {
        return new ServiceWindow(
                service,
                micros,
                atMicros() - micros,
                connections,
                exchanges,
                concurrency,
                packets,
                times,
                failures,
                clientPaths);
    }

    @Override
    public long atMicros() {
        return fromMicros + lengthMicros;
    }
}
