package dev.komainu.telemetry.record;

import java.util.List;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The network paths to a service's clients during one window, measured by the data that the server
 * sends and the clients acknowledge. Loss and round trips of all clients show a full link; those of
 * some clients show their own links.
 *
 * @param sendingConnections connections on which the server sent data
 * @param retransmittingConnections of them, those on which it sent data again
 * @param roundTrip times from a data segment to its acknowledgement, at most one at a time per
 *     connection; no samples across retransmissions (Karn)
 * @param deliveryRate acknowledged bytes per second during such a round trip, of round trips that
 *     carried at least {@value #LEAST_BYTES} bytes; shorter ones show the size of the response
 */
public record ClientPaths(
        long sendingConnections,
        long retransmittingConnections,
        Distribution roundTrip,
        Distribution deliveryRate) {

    /** Bytes that a round trip must carry for a sample of the rate: some full segments. */
    public static final int LEAST_BYTES = 8_192;

    /** No connection sent data. */
    public static final ClientPaths NONE =
            new ClientPaths(0, 0, Distribution.empty(), Distribution.empty());

    /**
     * Returns the sums over several windows; {@code null} when one of them has none, because the
     * sum is then unknown. A connection that sends in several windows counts in each.
     */
    public static @Nullable ClientPaths sum(List<ServiceWindow> windows) {
        long sending = 0;
        long retransmitting = 0;
        Histogram roundTrips = Distribution.newRecorder();
        Histogram rates = Distribution.newRecorder();
        for (ServiceWindow window : windows) {
            ClientPaths paths = window.clientPaths();
            if (paths == null) {
                return null;
            }
            sending += paths.sendingConnections;
            retransmitting += paths.retransmittingConnections;
            paths.roundTrip.addTo(roundTrips);
            paths.deliveryRate.addTo(rates);
        }
        return new ClientPaths(
                sending, retransmitting, Distribution.of(roundTrips), Distribution.of(rates));
    }
}
