package dev.komainu.central.indices;

import dev.komainu.telemetry.record.ServiceWindow;
import java.util.function.ToDoubleFunction;

/** The columns of each second's packet window; counts become rates per second. */
enum PacketColumn {
    CONNECTIONS(true, w -> w.connections().arrivals()),
    REQUESTS(true, w -> w.exchanges().requests()),
    RESPONSES(true, w -> w.exchanges().responses()),
    ERRORS(true, w -> w.exchanges().errors()),
    CONCURRENT(false, w -> w.concurrency().concurrentMean()),
    CONCURRENT_MAX(false, w -> w.concurrency().concurrentMax()),
    PROCESSING(false, w -> w.concurrency().processingMean()),
    DOWN_BYTES(true, w -> w.packets().down().wireBytes()),
    UP_BYTES(true, w -> w.packets().up().wireBytes()),
    DOWN_PACKETS(true, w -> w.packets().down().packets()),
    DOWN_REPEATS(true, w -> w.packets().down().retransmissions()),
    CLIENT_ZERO_WINDOWS(true, w -> w.packets().up().zeroWindow()),
    SYN_REPEATS(true, w -> w.packets().synRepeats()),
    REFUSED(true, w -> w.connections().refused()),
    NO_ANSWER(true, w -> w.connections().noAnswer()),
    RESETS(true, w -> w.connections().resetsByClient() + w.connections().resetsByServer()),
    SERVER_RESETS(true, w -> w.connections().resetsByServer()),
    CAPTURED(true, w -> w.packets().capturedPackets()),
    LOST(true, w -> w.packets().droppedPackets()),
    /** Bytes of received payload, each byte counted once. */
    DOWN_UNIQUE_BYTES(true, w -> w.packets().down().uniqueBytes()),
    TIMEOUTS(true, w -> w.connections().timeouts()),
    /** Failures that clients see; unknown in windows of agents that do not count them. */
    UNANSWERED(true, w -> w.failures() == null ? Double.NaN : w.failures().unanswered()),
    DELIBERATE_UNAVAILABLE(
            true, w -> w.failures() == null ? Double.NaN : w.failures().deliberateUnavailable()),
    LOST_PAGES(true, w -> w.failures() == null ? Double.NaN : w.failures().lostPages()),
    HANDSHAKES(true, w -> w.failures() == null ? Double.NaN : w.failures().handshakes()),
    FAILED_HANDSHAKES(
            true, w -> w.failures() == null ? Double.NaN : w.failures().failedHandshakes()),
    /** Connections on which data was sent; unknown in windows of agents that do not follow them. */
    SENDING_CLIENTS(
            true, w -> w.clientPaths() == null ? Double.NaN : w.clientPaths().sendingConnections()),
    RETRANSMITTING_CLIENTS(
            true,
            w -> w.clientPaths() == null
                    ? Double.NaN
                    : w.clientPaths().retransmittingConnections()),
    /** 1 while the monitor itself lost packets: every figure of such a window is too low. */
    UNDER_LOSS(false, w -> w.isUnderLoss() ? 1 : 0);

    private final boolean rate;
    private final ToDoubleFunction<ServiceWindow> value;

    PacketColumn(boolean rate, ToDoubleFunction<ServiceWindow> value) {
        this.rate = rate;
        this.value = value;
    }

    /**
     * Returns the column's value in a window.
     *
     * @param coveredMicros time that the window covers: its length, unless seconds of it are
     *     missing
     */
    double of(ServiceWindow window, long coveredMicros) {
        double measured = value.applyAsDouble(window);
        return rate ? measured * 1e6 / coveredMicros : measured;
    }
}
