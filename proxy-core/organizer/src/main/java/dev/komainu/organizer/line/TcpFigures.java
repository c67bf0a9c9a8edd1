package dev.komainu.organizer.line;

import dev.komainu.intermediary.connection.TcpInfo;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.RawUnixChannelOption;
import java.nio.charset.StandardCharsets;

/**
 * What Linux tells of a connection ({@code struct tcp_info} and the name of its congestion control), or QUIC of one of its own ({@link QuicPath}).
 *
 * @param congestion such as {@code bbr}; empty where the kernel cannot be asked
 * @param rttMicros smoothed
 * @param leastRttMicros the path's own, without queues; 0: not known
 * @param congestionWindow in segments
 * @param sentBytes with retransmissions
 * @param retransmittedBytes of these; of QUIC those lost
 * @param deliveryBytesPerSecond that arrived at the peer lately, when there was enough to send
 */
public record TcpFigures(
        String congestion,
        long rttMicros,
        long leastRttMicros,
        long congestionWindow,
        long sentBytes,
        long retransmittedBytes,
        long deliveryBytesPerSecond) {

    static final TcpFigures NONE = new TcpFigures("", 0, 0, 0, 0, 0, 0);

    /** The share of bytes that were sent more than once, 0 to 1. */
    public double loss() {
        return sentBytes == 0 ? 0 : (double) retransmittedBytes / sentBytes;
    }

    static TcpFigures of(Channel channel) {
        if (!(channel instanceof EpollSocketChannel)) {
            return NONE;
        }
        try {
            TcpInfo info = TcpInfo.of(channel);
            return new TcpFigures(
                    TcpInfo.congestionControl(channel),
                    info.rttMicros(),
                    info.leastRttMicros(),
                    info.congestionWindowSegments(),
                    info.sentBytes(),
                    info.retransmittedBytes(),
                    info.deliveryRate());
        } catch (ChannelException closed) {
            return NONE;
        }
    }

    /** Whether selective acknowledgements (RFC 2018) were not agreed upon; of a kernel that cannot be asked nobody knows. */
    static boolean lacksSack(Channel channel) {
        try {
            return channel instanceof EpollSocketChannel && !TcpInfo.of(channel).hasSack();
        } catch (ChannelException closed) {
            return false;
        }
    }

    /**
     * Tunes a connected socket: nothing waits to be joined with more, little waits in the kernel, and congestion control as asked for.
     * What this kernel cannot do stays as it is; {@link #congestion} tells.
     */
    static void tune(Channel channel, LineSettings settings) {
        channel.config().setOption(ChannelOption.TCP_NODELAY, true);
        if (!(channel instanceof EpollSocketChannel)) {
            return;
        }
        channel.config().setOption(EpollChannelOption.TCP_NOTSENT_LOWAT, (long) settings.notSentBytes());
        congestion(channel, settings.choosesCongestion() ? CongestionChoice.WITHOUT_LOSS : settings.congestion());
    }

    /** From now on. Where it cannot be had nothing changes. @param text the kernel's name for it; empty: as it is */
    static void congestion(Channel channel, String text) {
        byte[] name = text.getBytes(StandardCharsets.US_ASCII);
        if (name.length == 0 || !(channel instanceof EpollSocketChannel)) {
            return;
        }
        ByteBuf value = channel.alloc().directBuffer(name.length);
        try {
            value.writeBytes(name);
            channel.config()
                    .setOption(
                            new RawUnixChannelOption("TCP_CONGESTION", TcpInfo.LEVEL, TcpInfo.CONGESTION, name.length),
                            value.nioBuffer());
        } catch (ChannelException notHere) {
            // This kernel, or this user, has it not.
            return;
        } finally {
            value.release();
        }
    }
}
