package dev.komainu.organizer.line.quic;

import dev.komainu.organizer.line.LineSettings;
import dev.komainu.organizer.line.TransportFigures;
import io.netty.handler.codec.quic.QuicChannel;
import io.netty.handler.codec.quic.QuicCongestionControlAlgorithm;
import io.netty.handler.codec.quic.QuicConnectionPathStats;
import io.netty.handler.codec.quic.QuicConnectionStats;
import io.netty.util.concurrent.Future;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Figures of a QUIC connection's path. On the connection's event loop. */
final class QuicPath {

    /** Payload of a UDP packet: it fits also where a tunnel uses a hundred of 1,500 bytes. */
    static final int PACKET = 1_350;

    private QuicPath() {}

    /**
     * Returns QUIC's algorithm for the configured congestion control. BBR replaces all that QUIC
     * does not have: at 1 % loss cubic carries a fifteenth.
     */
    static QuicCongestionControlAlgorithm congestion(LineSettings settings) {
        return switch (settings.congestion().toLowerCase(Locale.ROOT)) {
            case "cubic" -> QuicCongestionControlAlgorithm.CUBIC;
            case "reno" -> QuicCongestionControlAlgorithm.RENO;
            default -> QuicCongestionControlAlgorithm.BBR;
        };
    }

    private static @Nullable QuicConnectionStats stats(QuicChannel channel) {
        Future<QuicConnectionStats> collected = channel.collectStats();
        return collected.isSuccess() ? collected.getNow() : null;
    }

    /** Returns the number of received packets; 0 where it is not known. */
    static long packetsReceived(QuicChannel channel) {
        QuicConnectionStats all = stats(channel);
        return all == null ? 0 : all.recv();
    }

    static TransportFigures figures(QuicChannel channel, LineSettings settings) {
        QuicConnectionStats all = stats(channel);
        Future<QuicConnectionPathStats> collected = channel.collectPathStats(0);
        if (all == null || !collected.isSuccess()) {
            return TransportFigures.NONE;
        }
        QuicConnectionPathStats path = collected.getNow();
        return new TransportFigures(
                congestion(settings).name().toLowerCase(Locale.ROOT),
                path.rtt() / 1_000,
                0,
                path.cwnd() / PACKET,
                all.sentBytes(),
                // The library does not set the lost bytes of a path.
                all.lostBytes(),
                path.deliveryRate());
    }
}
