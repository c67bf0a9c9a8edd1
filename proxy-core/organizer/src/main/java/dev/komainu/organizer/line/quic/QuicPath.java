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

/** What QUIC tells of a connection's way. On the connection's event loop. */
final class QuicPath {

    /** The payload of a UDP packet: fits where a tunnel takes a hundred bytes of 1,500. */
    static final int PACKET = 1_350;

    private QuicPath() {}

    /**
     * Of the line's congestion control that QUIC knows; BBR stands for all others: at 1 % loss
     * cubic carries a fifteenth.
     */
    static QuicCongestionControlAlgorithm congestion(LineSettings settings) {
        return switch (settings.congestion().toLowerCase(Locale.ROOT)) {
            case "cubic" -> QuicCongestionControlAlgorithm.CUBIC;
            case "reno" -> QuicCongestionControlAlgorithm.RENO;
            default -> QuicCongestionControlAlgorithm.BBR;
        };
    }

    private static @Nullable QuicConnectionStats stats(QuicChannel channel) {
        Future<QuicConnectionStats> told = channel.collectStats();
        return told.isSuccess() ? told.getNow() : null;
    }

    /** 0 where it is not known. */
    static long packetsHeard(QuicChannel channel) {
        QuicConnectionStats all = stats(channel);
        return all == null ? 0 : all.recv();
    }

    static TransportFigures figures(QuicChannel channel, LineSettings settings) {
        QuicConnectionStats all = stats(channel);
        Future<QuicConnectionPathStats> told = channel.collectPathStats(0);
        if (all == null || !told.isSuccess()) {
            return TransportFigures.NONE;
        }
        QuicConnectionPathStats path = told.getNow();
        return new TransportFigures(
                congestion(settings).name().toLowerCase(Locale.ROOT),
                path.rtt() / 1_000,
                0,
                path.cwnd() / PACKET,
                all.sentBytes(),
                // Of a path the library leaves this at 0.
                all.lostBytes(),
                path.deliveryRate());
    }
}
