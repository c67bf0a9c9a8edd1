package dev.komainu.intermediary.buffer;

import dev.komainu.intermediary.connection.TcpInfo;
import io.netty.channel.unix.Socket;
import io.netty.channel.unix.UnixChannel;
import java.io.IOException;

/**
 * The share of one origin's connection: its receive window. A receiver knows neither the loss nor
 * the sender's window. It sees the bytes that arrive in each round trip, and whether it limited
 * them itself. While it did, the origin's rate is unknown and the client's side alone determines
 * the demand; otherwise the received rate is the origin's rate.
 *
 * <p>One event loop owns it.
 */
public final class ReceiveShare {

    private final UnixChannel channel;
    private final Socket socket;
    private final BufferReservation reservation;
    private long receivedBefore;
    private long measuredNanos;
    private boolean limitedByShare = true;
    /** True while no request uses the connection: its last response has ended. */
    private boolean isParked;

    private double rate = Double.POSITIVE_INFINITY;
    private double clientRate = Double.POSITIVE_INFINITY;
    private double rttSeconds;
    private long kernelBufferBytes;

    ReceiveShare(UnixChannel channel, BufferReservation reservation, long nowNanos) {
        this.channel = channel;
        this.socket = new Socket(channel.fd().intValue());
        this.reservation = reservation;
        this.measuredNanos = nowNanos;
    }

    /** Records that reading pauses: the client does not accept as much. */
    public void onPause() {
        limitedByShare = true;
    }

    /** Records that the response has ended and no request uses the connection. */
    public void park() {
        isParked = true;
    }

    BufferReservation reservation() {
        return reservation;
    }

    UnixChannel channel() {
        return channel;
    }

    double rttSeconds() {
        return rttSeconds;
    }

    /** Returns the origin's rate in bytes a second; infinite while it is unknown. */
    double bytesPerSecond() {
        return rate;
    }

    /** Sets the rate of the client's path, when the bytes are read for that client alone. */
    void setClientRate(double bytesPerSecond) {
        clientRate = bytesPerSecond;
    }

    /**
     * Measures the received bytes. Called once a round, before the send shares.
     *
     * @return whether bytes of a response arrived that has not ended
     */
    boolean measure(TcpInfo info, boolean decays, long nowNanos) throws IOException {
        info.read(socket);
        long receivedBytes = info.receivedBytes() - receivedBefore;
        double seconds = Math.max(1, nowNanos - measuredNanos) / 1e9;
        receivedBefore = info.receivedBytes();
        measuredNanos = nowNanos;
        clientRate = Double.POSITIVE_INFINITY;
        if (receivedBytes == 0 || isParked) {
            reservation.markIdle(decays);
            return false;
        }
        rttSeconds = info.rttSeconds();
        boolean isFull = info.receivedEachRtt() * 2 >= reservation.shareBytes();
        rate = limitedByShare || isFull ? Double.POSITIVE_INFINITY : receivedBytes / seconds;
        limitedByShare = false;
        return true;
    }

    /** Updates the demand. Called after the send shares have set the client rates. */
    void updateDemand() {
        reservation.setDemand(
                BufferDemand.bytes(BufferDemand.limitingRate(rate, clientRate), rttSeconds));
    }

    /**
     * Prepares for a request, perhaps after an idle time: restores a first window as far as it is
     * free. Without it the response would begin with less.
     */
    public void wake() {
        isParked = false;
        if (reservation.isIdle()) {
            reservation.wake();
            limitedByShare = true;
            applyShare();
        }
    }

    /**
     * Limits the origin to the share. An idle connection's window may stay, because its peer sends
     * nothing.
     */
    void applyShare() {
        try {
            if (channel.isOpen()) {
                applyKernelLimit();
            }
        } catch (IOException e) {
            // The connection has closed; its channel reports it.
        }
    }

    private void applyKernelLimit() throws IOException {
        long share = reservation.shareBytes();
        if (Math.abs(share - kernelBufferBytes) * 4 > kernelBufferBytes) {
            applyKernelLimit((int) share);
        }
    }

    void applyKernelLimit(int receiveBuffer) throws IOException {
        kernelBufferBytes = receiveBuffer;
        KernelSocketBuffers.limitReceive(socket, receiveBuffer);
    }
}
