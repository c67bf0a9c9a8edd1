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
 * Options and figures of the TCP socket of a line's connection, as far as the kernel offers them.
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
     * Returns whether selective acknowledgements (RFC 2018) were not agreed upon; false where the
     * kernel does not report it.
     */
    static boolean lacksSack(Channel channel) {
        try {
            return channel instanceof EpollSocketChannel && !TcpInfo.of(channel).hasSack();
        } catch (ChannelException closed) {
            return false;
        }
    }

    /**
     * Tunes a connected socket: no delay to join packets, few unsent bytes in the kernel, and the
     * configured congestion control. An option that this kernel does not have stays as it is;
     * {@link TransportFigures#congestion} reports it.
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
     * Sets the congestion control. Where it is not available nothing changes.
     *
     * @param text the kernel's name for it; empty: unchanged
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
        } catch (ChannelException unavailable) {
            // This kernel does not have it, or this user may not use it.
            return;
        } finally {
            value.release();
        }
    }
}
