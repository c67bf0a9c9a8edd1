package dev.komainu.proxy.buffer;

import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * What Linux tells of a TCP connection ({@code struct tcp_info}, getsockopt TCP_INFO), as of the last {@link #read}.
 *
 * <pre>
 *    8 rto µs   16 snd_mss   68 rtt µs   80 snd_cwnd   96 rcv_space   120 bytes_acked   128 bytes_received   144 notsent_bytes
 *  160 delivery_rate bytes/s   200 bytes_sent   208 bytes_retrans
 * </pre>
 *
 * An older kernel fills less; the rest reads 0. One for each event loop, which owns it.
 */
final class TcpInfo {

    static final int BYTES = 248;
    private static final int TCP = 6;
    private static final int INFO = 11;
    private static final int CONGESTION = 13;
    private static final int NAME_BYTES = 16;

    private final ByteBuffer bytes;
    private final ByteBuffer name = ByteBuffer.allocateDirect(NAME_BYTES);

    TcpInfo() {
        this(ByteBuffer.allocateDirect(BYTES));
    }

    /** @param bytes told already */
    TcpInfo(ByteBuffer bytes) {
        this.bytes = bytes.order(ByteOrder.nativeOrder());
    }

    void read(Socket from) throws IOException {
        for (int at = 0; at < BYTES; at += Long.BYTES) {
            bytes.putLong(at, 0);
        }
        bytes.clear();
        from.getRawOpt(TCP, INFO, bytes);
    }

    /** Such as cubic, reno, bbr. */
    String congestionControl(Socket of) throws IOException {
        name.clear();
        of.getRawOpt(TCP, CONGESTION, name);
        name.flip();
        String padded = StandardCharsets.US_ASCII.decode(name).toString();
        int end = padded.indexOf(0);
        return end < 0 ? padded : padded.substring(0, end);
    }

    private long unsigned(int at) {
        return bytes.getInt(at) & 0xffff_ffffL;
    }

    double rtoSeconds() {
        return unsigned(8) / 1e6;
    }

    long segmentBytes() {
        return unsigned(16);
    }

    double rttSeconds() {
        return unsigned(68) / 1e6;
    }

    /** What congestion control lets be on its way at once. */
    long congestionWindowBytes() {
        return unsigned(80) * segmentBytes();
    }

    /** What its reader took in one round trip, lately. */
    long receivedEachRtt() {
        return unsigned(96);
    }

    long receivedBytes() {
        return bytes.getLong(128);
    }

    /** Bytes a second that arrived at the peer, when there were enough to send. */
    long deliveryRate() {
        return bytes.getLong(160);
    }

    /** Retransmissions included. */
    long sentBytes() {
        return bytes.getLong(200);
    }

    long retransmittedBytes() {
        return bytes.getLong(208);
    }

    long acknowledgedBytes() {
        return bytes.getLong(120);
    }

    /** Written and not acknowledged yet. */
    long outstandingBytes() {
        return Math.max(0, unsigned(144) + sentBytes() - retransmittedBytes() - acknowledgedBytes());
    }
}
