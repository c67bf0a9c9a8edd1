package dev.komainu.organizer.line;

/**
 * Figures of one connection of a line, since it was made.
 *
 * @param isUp whether new streams may use it
 * @param streams number of open streams
 * @param sentBytes bytes of bodies that were handed to the kernel
 * @param receivedBytes bytes of HTTP/2, or of QUIC's streams, behind TLS
 * @param heldBytes bytes received and not yet consumed by a reader
 * @param rttMicros smoothed round trip of pings, with the time a ping waits in both kernels; 0: not
 *     measured yet
 * @param leastRttMicros the shortest round trip of a ping
 * @param peerSentBytes bytes that the peer sent, as {@link TransportFigures#sentBytes}, as the peer
 *     reports them; 0: the peer reports nothing
 * @param peerLostBytes part of {@code peerSentBytes} that was lost
 * @param over the carrier of this connection
 * @param tcp the kernel's figures; of a QUIC connection QUIC's
 */
public record ConnectionFigures(
        boolean isUp,
        int streams,
        long sentBytes,
        long receivedBytes,
        long heldBytes,
        long rttMicros,
        long leastRttMicros,
        long peerSentBytes,
        long peerLostBytes,
        LineCarrier over,
        TransportFigures tcp) {

    /**
     * Returns the round trip in microseconds: the kernel's value or the pings' value, whichever is
     * less. The kernel's includes acknowledgements that TCP delays on an idle line (40 ms). The
     * pings' includes the time that a ping waits in both kernels on a busy line. 0: not known.
     */
    public long roundTripMicros() {
        long kernel = tcp.rttMicros();
        return kernel == 0 || rttMicros == 0
                ? Math.max(kernel, rttMicros)
                : Math.min(kernel, rttMicros);
    }

    /** Returns the bytes sent in both directions. */
    public long sentBytesBothWays() {
        return tcp.sentBytes() + peerSentBytes;
    }

    /** Returns the bytes lost in both directions. */
    public long lostBytesBothWays() {
        return tcp.retransmittedBytes() + peerLostBytes;
    }
}
