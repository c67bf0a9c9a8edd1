package dev.komainu.organizer.line;

/**
 * What one connection of a line did so far.
 *
 * @param isUp whether new streams may use it
 * @param streams open now
 * @param sentBytes of bodies, handed to the kernel
 * @param receivedBytes of HTTP/2, or of QUIC's streams; behind TLS
 * @param heldBytes received and not taken yet
 * @param rttMicros a ping's, smoothed; with what it waited behind in both kernels. 0: not measured
 *     yet
 * @param leastRttMicros the shortest ping's
 * @param peerSentBytes as {@link TransportFigures#sentBytes}, told by the peer of what it sends; 0:
 *     it tells nothing
 * @param peerLostBytes of these
 * @param over what it runs over
 * @param tcp what the kernel tells; of a QUIC connection what QUIC does
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
     * There and back: what the kernel says or what pings say, whichever is less. The one has
     * acknowledgements in it that TCP holds back on an idle line (40 ms), the other what a ping
     * waits behind in both kernels on a busy one. 0: not known
     */
    public long wayMicros() {
        long kernel = tcp.rttMicros();
        return kernel == 0 || rttMicros == 0
                ? Math.max(kernel, rttMicros)
                : Math.min(kernel, rttMicros);
    }

    /** Of both directions. */
    public long sentBytesOfBoth() {
        return tcp.sentBytes() + peerSentBytes;
    }

    public long lostBytesOfBoth() {
        return tcp.retransmittedBytes() + peerLostBytes;
    }
}
