package dev.komainu.intermediary.buffer;

import dev.komainu.intermediary.connection.TcpInfo;
import io.netty.channel.unix.Socket;
import io.netty.channel.unix.UnixChannel;
import java.io.IOException;

/**
 * One origin's connection under a share: its receive window. A receiver knows neither loss nor the
 * sender's window; what it sees is how much comes in each round trip, and whether it was itself who
 * held that back. While it was, what the origin could send is unknown, and the client's side alone
 * decides; else what came is what the origin sends.
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
    /** Nobody asks for anything: its last answer is over. */
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

    /** Reading stops for a while: its client does not take as much. */
    public void onPause() {
        limitedByShare = true;
    }

    /** Its answer is over, and nothing else was asked for. */
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

    /** Bytes a second that its origin sends; infinite while that is not known. */
    double bytesPerSecond() {
        return rate;
    }

    /** What its client's path can carry, when that is all it is read for. */
    void setClientRate(double bytesPerSecond) {
        clientRate = bytesPerSecond;
    }

    /**
     * Once a second, before the flows: what came. @return whether anything did, of an answer that
     * goes on
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

    /** Behind the flows, which told what they can carry. */
    void updateDemand() {
        reservation.setDemand(BufferDemand.bytes(BufferDemand.limitingRate(rate, clientRate), rttSeconds));
    }

    /**
     * It is asked for something, perhaps after a while: a first window comes back as far as it is
     * free, or its answer would begin with less.
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
     * Holds its origin to the share; an idle one's window may stay as it is, because nobody sends.
     */
    void applyShare() {
        try {
            if (channel.isOpen()) {
                applyKernelLimit();
            }
        } catch (IOException e) {
            // It is gone; its channel will tell.
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
