package dev.komainu.intermediary.connection;

import io.netty.channel.Channel;
import io.netty.channel.unix.RawUnixChannelOption;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * The kernel's data on a TCP connection ({@code struct tcp_info}, getsockopt TCP_INFO), as of the
 * last {@link #read}.
 *
 * <pre>
 *    5 options   8 rto µs   16 snd_mss   68 rtt µs   80 snd_cwnd   96 rcv_space   120 bytes_acked   128 bytes_received
 *  144 notsent_bytes   148 min_rtt µs   160 delivery_rate bytes/s   200 bytes_sent   208 bytes_retrans
 * </pre>
 *
 * An older kernel fills less; the rest reads 0. One thread at a time.
 */
public final class TcpInfo {

    public static final int BYTES = 248;
    /** The level of the socket options, IPPROTO_TCP. */
    public static final int LEVEL = 6;

    private static final int INFO = 11;
    /** The option TCP_CONGESTION. */
    public static final int CONGESTION = 13;

    private static final int NAME_BYTES = 16;
    private static final int OPTIONS_AT = 5;
    private static final int SACK = 2;

    private final ByteBuffer bytes;
    private final ByteBuffer name = ByteBuffer.allocateDirect(NAME_BYTES);

    public TcpInfo() {
        this(ByteBuffer.allocateDirect(BYTES));
    }

    /**
     * Creates a view of data that was read before.
     *
     * @param bytes a {@code struct tcp_info} in native byte order
     */
    public TcpInfo(ByteBuffer bytes) {
        this.bytes = bytes.order(ByteOrder.nativeOrder());
    }

    /** Reads the data of a socket, in one system call. */
    public void read(Socket socket) throws IOException {
        for (int offset = 0; offset < BYTES; offset += Long.BYTES) {
            bytes.putLong(offset, 0);
        }
        bytes.clear();
        socket.getRawOpt(LEVEL, INFO, bytes);
    }

    /** Returns the algorithm's name, such as cubic, reno or bbr. */
    public String congestionControl(Socket socket) throws IOException {
        name.clear();
        socket.getRawOpt(LEVEL, CONGESTION, name);
        name.flip();
        return unpadded(name);
    }

    private static String unpadded(ByteBuffer name) {
        String padded = StandardCharsets.US_ASCII.decode(name).toString();
        int end = padded.indexOf(0);
        return end < 0 ? padded : padded.substring(0, end);
    }

    /**
     * Reads the data of a Netty channel.
     *
     * @param channel of the epoll transport
     * @throws io.netty.channel.ChannelException when it is closed
     */
    public static TcpInfo of(Channel channel) {
        return new TcpInfo(channel.config()
                .getOption(new RawUnixChannelOption("TCP_INFO", LEVEL, INFO, BYTES)));
    }

    /** Returns the algorithm's name for a channel of the epoll transport. */
    public static String congestionControl(Channel channel) {
        ByteBuffer value = channel.config()
                .getOption(
                        new RawUnixChannelOption("TCP_CONGESTION", LEVEL, CONGESTION, NAME_BYTES));
        return unpadded(value.position(0).limit(value.capacity()));
    }

    /** Reports whether selective acknowledgements (RFC 2018) were negotiated. */
    public boolean hasSack() {
        return (bytes.get(OPTIONS_AT) & SACK) != 0;
    }

    private long unsigned(int offset) {
        return bytes.getInt(offset) & 0xffff_ffffL;
    }

    /** Returns the retransmission timeout. */
    public double rtoSeconds() {
        return unsigned(8) / 1e6;
    }

    /** Returns the maximum segment size of the sending side. */
    public long segmentBytes() {
        return unsigned(16);
    }

    /** Returns the smoothed round-trip time. */
    public double rttSeconds() {
        return rttMicros() / 1e6;
    }

    /** Returns the smoothed round-trip time. */
    public long rttMicros() {
        return unsigned(68);
    }

    /** Returns the least round-trip time: that of the path without queues. */
    public long leastRttMicros() {
        return unsigned(148);
    }

    /** Returns the congestion window, in segments. */
    public long congestionWindowSegments() {
        return unsigned(80);
    }

    /** Returns the bytes that congestion control permits in flight. */
    public long congestionWindowBytes() {
        return congestionWindowSegments() * segmentBytes();
    }

    /** Returns the bytes that the reader accepted in one round trip, recently. */
    public long receivedEachRtt() {
        return unsigned(96);
    }

    /** Returns the payload bytes received since the connection was established. */
    public long receivedBytes() {
        return bytes.getLong(128);
    }

    /**
     * Returns the rate at which bytes arrived at the peer when there were enough to send, in bytes
     * a second.
     */
    public long deliveryRate() {
        return bytes.getLong(160);
    }

    /** Returns the bytes sent, retransmissions included. */
    public long sentBytes() {
        return bytes.getLong(200);
    }

    /** Returns the bytes sent again. */
    public long retransmittedBytes() {
        return bytes.getLong(208);
    }

    /** Returns the bytes that the peer has acknowledged. */
    public long acknowledgedBytes() {
        return bytes.getLong(120);
    }

    /** Returns the bytes written and not acknowledged yet. */
    public long outstandingBytes() {
        return Math.max(
                0, unsigned(144) + sentBytes() - retransmittedBytes() - acknowledgedBytes());
    }
}
