package dev.komainu.organizer.line.http2;

import dev.komainu.intermediary.connection.TcpInfo;
import dev.komainu.organizer.line.LineSettings;
import dev.komainu.organizer.line.TransportFigures;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.RawUnixChannelOption;
import java.nio.charset.StandardCharsets;

/**
 * Options and figures of the TCP socket beneath a connection of a line, as far as its kernel has
 * them.
 */
public final class TcpSocket {

    private TcpSocket() {}

    static TransportFigures figures(Channel channel) {
        if (!(channel instanceof EpollSocketChannel)) {
            return TransportFigures.NONE;
        }
        try {
            TcpInfo info = TcpInfo.of(channel);
            return new TransportFigures(
                    TcpInfo.congestionControl(channel),
                    info.rttMicros(),
                    info.leastRttMicros(),
                    info.congestionWindowSegments(),
                    info.sentBytes(),
                    info.retransmittedBytes(),
                    info.deliveryRate());
        } catch (ChannelException closed) {
            return TransportFigures.NONE;
        }
    }

    /**
     * Whether selective acknowledgements (RFC 2018) were not agreed upon; of a kernel that cannot
     * be asked nobody knows.
     */
    static boolean lacksSack(Channel channel) {
        try {
            return channel instanceof EpollSocketChannel && !TcpInfo.of(channel).hasSack();
        } catch (ChannelException closed) {
            return false;
        }
    }

    /**
     * Tunes a connected socket: nothing waits to be joined with more, little waits in the kernel,
     * and congestion control as asked for. What this kernel cannot do stays as it is;
     * {@link TransportFigures#congestion} tells.
     */
    public static void tune(Channel channel, LineSettings settings) {
        channel.config().setOption(ChannelOption.TCP_NODELAY, true);
        if (!(channel instanceof EpollSocketChannel)) {
            return;
        }
        channel.config()
                .setOption(EpollChannelOption.TCP_NOTSENT_LOWAT, (long) settings.notSentBytes());
        congestion(
                channel,
                settings.choosesCongestion()
                        ? CongestionChoice.WITHOUT_LOSS
                        : settings.congestion());
    }

    /**
     * From now on. Where it cannot be had nothing changes. @param text the kernel's name for it;
     * empty: as it is
     */
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
                            new RawUnixChannelOption(
                                    "TCP_CONGESTION",
                                    TcpInfo.LEVEL,
                                    TcpInfo.CONGESTION,
                                    name.length),
                            value.nioBuffer());
        } catch (ChannelException notHere) {
            // This kernel, or this user, has it not.
            return;
        } finally {
            value.release();
        }
    }
}
