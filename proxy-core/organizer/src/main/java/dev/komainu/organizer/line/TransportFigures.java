package dev.komainu.organizer.line;

/**
 * Transport figures of one connection: Linux's of TCP ({@code struct tcp_info} and the name of its
 * congestion control), or QUIC's own.
 *
 * @param congestion such as {@code bbr}; empty where the kernel does not report it
 * @param rttMicros smoothed round trip
 * @param leastRttMicros the path's own round trip, without queues; 0: not known
 * @param congestionWindow in segments
 * @param sentBytes with retransmissions
 * @param retransmittedBytes part of {@code sentBytes} that was sent again; of QUIC the lost bytes
 * @param deliveryBytesPerSecond recent delivery rate to the peer, while there was enough to send
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

    /** Bytes sent after which the peer gets the next report of loss. */
    public static final long REPORT_STEP_BYTES = 64 << 10;

    /** Returns the share of bytes that were sent more than once, 0 to 1. */
    public double loss() {
        return sentBytes == 0 ? 0 : (double) retransmittedBytes / sentBytes;
    }
}
