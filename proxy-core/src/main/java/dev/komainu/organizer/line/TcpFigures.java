package dev.komainu.organizer.line;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.RawUnixChannelOption;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
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

    private static final int TCP = 6;
    private static final int INFO = 11;
    private static final int CONGESTION = 13;
    private static final int NAME_BYTES = 16;
    private static final int INFO_BYTES = 248;
    private static final int OPTIONS_AT = 5;
    private static final int SACK = 2;

    /** The share of bytes that were sent more than once, 0 to 1. */
    public double loss() {
        return sentBytes == 0 ? 0 : (double) retransmittedBytes / sentBytes;
    }

    static TcpFigures of(Channel channel) {
        if (!(channel instanceof EpollSocketChannel)) {
            return NONE;
        }
        try {
            ByteBuffer info = info(channel);
            return new TcpFigures(
                    congestion(channel),
                    info.getInt(68) & 0xffff_ffffL,
                    info.getInt(148) & 0xffff_ffffL,
                    info.getInt(80) & 0xffff_ffffL,
                    info.getLong(200),
                    info.getLong(208),
                    info.getLong(160));
        } catch (ChannelException closed) {
            return NONE;
        }
    }

    /** Whether selective acknowledgements (RFC 2018) were not agreed upon; of a kernel that cannot be asked nobody knows. */
    static boolean lacksSack(Channel channel) {
        try {
            return channel instanceof EpollSocketChannel && (info(channel).get(OPTIONS_AT) & SACK) == 0;
        } catch (ChannelException closed) {
            return false;
        }
    }

    private static ByteBuffer info(Channel channel) {
        return channel.config()
                .getOption(new RawUnixChannelOption("TCP_INFO", TCP, INFO, INFO_BYTES))
                .order(ByteOrder.nativeOrder());
    }

    private static String congestion(Channel channel) {
        ByteBuffer name =
                channel.config().getOption(new RawUnixChannelOption("TCP_CONGESTION", TCP, CONGESTION, NAME_BYTES));
        name.position(0).limit(name.capacity());
        String padded = StandardCharsets.US_ASCII.decode(name).toString();
        int end = padded.indexOf(0);
        return end < 0 ? padded : padded.substring(0, end);
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
                            new RawUnixChannelOption("TCP_CONGESTION", TCP, CONGESTION, name.length),
                            value.nioBuffer());
        } catch (ChannelException notHere) {
            // This kernel, or this user, has it not.
            return;
        } finally {
            value.release();
        }
    }
}
