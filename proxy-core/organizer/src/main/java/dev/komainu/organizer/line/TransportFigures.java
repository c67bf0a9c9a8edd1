package dev.komainu.organizer.line;

/**
 * What Linux tells of a connection ({@code struct tcp_info} and the name of its congestion
 * control), or QUIC of one of its own.
 *
 * @param congestion such as {@code bbr}; empty where the kernel cannot be asked
 * @param rttMicros smoothed
 * @param leastRttMicros the path's own, without queues; 0: not known
 * @param congestionWindow in segments
 * @param sentBytes with retransmissions
 * @param retransmittedBytes of these; of QUIC those lost
 * @param deliveryBytesPerSecond that arrived at the peer lately, when there was enough to send
 */
public record TransportFigures(
        String congestion,
        long rttMicros,
        long leastRttMicros,
        long congestionWindow,
        long sentBytes,
        long retransmittedBytes,
        long deliveryBytesPerSecond) {

    public static final TransportFigures NONE = new TransportFigures("", 0, 0, 0, 0, 0, 0);

    /** Bytes behind which a peer is told again how many of them were lost. */
    public static final long WORTH_TELLING = 64 << 10;

    /** The share of bytes that were sent more than once, 0 to 1. */
    public double loss() {
        return sentBytes == 0 ? 0 : (double) retransmittedBytes / sentBytes;
    }
}
