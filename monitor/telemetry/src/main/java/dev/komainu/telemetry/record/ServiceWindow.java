package dev.komainu.telemetry.record;

import org.jspecify.annotations.Nullable;

/**
 * What the packets of one service said during one window (ENMA's indices, thesis 2.3). Windows of
 * one service from one source neither overlap nor leave out time while the service is watched: a
 * silent second is a window of zeros.
 *
 * @param service the watched service's id as the source knows it
 * @param fromMicros start of the window, a multiple of its length; of a source's first one since
 *     when it watched
 * @param lengthMicros one second live, of a source's first window what is left of its second; ten
 *     seconds in {@code analyze --windows}
 * @param arrivals connections whose first SYN came (repeats not counted)
 * @param ended connections that ended, in whatever way
 * @param refused connections answered by RST
 * @param noAnswer connections given up with SYNs only
 * @param resetsByClient established connections the client reset
 * @param resetsByServer established connections the server reset
 * @param requests requests seen complete
 * @param responses answers whose first byte came (the processed rate)
 * @param errors answers with status 500 to 599
 * @param concurrentMean N_c, time-weighted mean of open connections
 * @param concurrentMax N_c, highest
 * @param processingMean requests waiting for their first byte, time-weighted mean
 * @param up client to server
 * @param down server to client
 * @param synRepeats SYNs repeated without a SYN/ACK seen in between
 * @param capturedPackets packets the source read in this window, of all services
 * @param droppedPackets packets the kernel dropped before the source could read them
 * @param unseenSegments gaps that were acknowledged but never captured: the monitor's own loss
 * @param response T_r of the answers begun in this window
 * @param transfer first to last data packet of the answers finished in this window
 * @param connection T_c of the connections ended in this window
 * @param timeouts connections given up in this window because nothing came any more: half-open,
 *     half-closed, or open with a request unanswered
 * @param roundTrips what T_r is made of
 * @param responseByTransfer T_r and T_d of the answers finished in this window, together
 * @param failures what clients did not get; {@code null} where the source does not look for it
 */
public record ServiceWindow(
        String service,
        long fromMicros,
        long lengthMicros,
        long arrivals,
        long ended,
        long refused,
        long noAnswer,
        long resetsByClient,
        long resetsByServer,
        long requests,
        long responses,
        long errors,
        double concurrentMean,
        long concurrentMax,
        double processingMean,
        DirectionTotals up,
        DirectionTotals down,
        long synRepeats,
        long capturedPackets,
        long droppedPackets,
        long unseenSegments,
        Distribution response,
        Distribution transfer,
        Distribution connection,
        long timeouts,
        RoundTrips roundTrips,
        TimesGrid responseByTransfer,
        @Nullable Failures failures)
        implements TelemetryRecord {

    /**
     * Where the time goes, seen from the middle: no samples across retransmissions (Karn).
     *
     * @param server to the server and back, of the handshakes completed in this window
     * @param client to the client and back, of the same
     * @param acknowledgement the server's kernel: from a request's last segment to its
     *     acknowledgement
     * @param think the server's program: T_r less the round trip to it
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

    /** A window of a source that splits nothing and looks for no failures. */
    public ServiceWindow(
            String service,
            long fromMicros,
            long lengthMicros,
            long arrivals,
            long ended,
            long refused,
            long noAnswer,
            long resetsByClient,
            long resetsByServer,
            long requests,
            long responses,
            long errors,
            double concurrentMean,
            long concurrentMax,
            double processingMean,
            DirectionTotals up,
            DirectionTotals down,
            long synRepeats,
            long capturedPackets,
            long droppedPackets,
            long unseenSegments,
            Distribution response,
            Distribution transfer,
            Distribution connection) {
        this(
                service,
                fromMicros,
                lengthMicros,
                arrivals,
                ended,
                refused,
                noAnswer,
                resetsByClient,
                resetsByServer,
                requests,
                responses,
                errors,
                concurrentMean,
                concurrentMax,
                processingMean,
                up,
                down,
                synRepeats,
                capturedPackets,
                droppedPackets,
                unseenSegments,
                response,
                transfer,
                connection,
                0,
                RoundTrips.NONE,
                TimesGrid.EMPTY,
                null);
    }

    /** TCP payload in both directions, repeats included. */
    public long payloadBytes() {
        return up.payloadBytes() + down.payloadBytes();
    }

    /** Whether the monitor itself lost packets of this window: its figures are then too low. */
    public boolean isUnderLoss() {
        return droppedPackets > 0 || unseenSegments > 0;
    }

    /**
     * The same, of a source that watches only since then. Its means are over what was not seen,
     * too.
     *
     * @param micros within the window
     */
    public ServiceWindow since(long micros) {
        return new ServiceWindow(
                service,
                micros,
                atMicros() - micros,
                arrivals,
                ended,
                refused,
                noAnswer,
                resetsByClient,
                resetsByServer,
                requests,
                responses,
                errors,
                concurrentMean,
                concurrentMax,
                processingMean,
                up,
                down,
                synRepeats,
                capturedPackets,
                droppedPackets,
                unseenSegments,
                response,
                transfer,
                connection,
                timeouts,
                roundTrips,
                responseByTransfer,
                failures);
    }

    @Override
    public long atMicros() {
        return fromMicros + lengthMicros;
    }
}
