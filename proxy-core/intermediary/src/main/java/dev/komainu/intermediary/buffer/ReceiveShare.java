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
    private final BufferReservation booking;
    private long receivedBefore;
    private long lookedNanos;
    private boolean heldBack = true;
    /** Nobody asks for anything: its last answer is over. */
    private boolean isResting;

    private double rate = Double.POSITIVE_INFINITY;
    private double fedRate = Double.POSITIVE_INFINITY;
    private double rttSeconds;
    private long fenceBytes;

    ReceiveShare(UnixChannel channel, BufferReservation booking, long nowNanos) {
        this.channel = channel;
        this.socket = new Socket(channel.fd().intValue());
        this.booking = booking;
        this.lookedNanos = nowNanos;
    }

    /** Reading stops for a while: its client does not take as much. */
    public void onPause() {
        heldBack = true;
    }

    /** Its answer is over, and nothing else was asked for. */
    public void park() {
        isResting = true;
    }

    BufferReservation booking() {
        return booking;
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
    void feeds(double bytesPerSecond) {
        fedRate = bytesPerSecond;
    }

    /**
     * Once a second, before the flows: what came. @return whether anything did, of an answer that
     * goes on
     */
    boolean look(TcpInfo info, boolean decays, long nowNanos) throws IOException {
        info.read(socket);
        long came = info.receivedBytes() - receivedBefore;
        double seconds = Math.max(1, nowNanos - lookedNanos) / 1e9;
        receivedBefore = info.receivedBytes();
        lookedNanos = nowNanos;
        fedRate = Double.POSITIVE_INFINITY;
        if (came == 0 || isResting) {
            booking.idle(decays);
            return false;
        }
        rttSeconds = info.rttSeconds();
        boolean isFull = info.receivedEachRtt() * 2 >= booking.shareBytes();
        rate = heldBack || isFull ? Double.POSITIVE_INFINITY : came / seconds;
        heldBack = false;
        return true;
    }

    /** Behind the flows, which told what they can carry. */
    void want() {
        booking.wants(BufferDemand.bytes(BufferDemand.useful(rate, fedRate), rttSeconds));
    }

    /**
     * It is asked for something, perhaps after a while: a first window comes back as far as it is
     * free, or its answer would begin with less.
     */
    public void wake() {
        isResting = false;
        if (booking.isIdle()) {
            booking.wake();
            heldBack = true;
            hold();
        }
    }

    /**
     * Holds its origin to the share; an idle one's window may stay as it is, because nobody sends.
     */
    void hold() {
        try {
            if (channel.isOpen()) {
                fence();
            }
        } catch (IOException e) {
            // It is gone; its channel will tell.
        }
    }

    private void fence() throws IOException {
        long share = booking.shareBytes();
        if (Math.abs(share - fenceBytes) * 4 > fenceBytes) {
            fence((int) share);
        }
    }

    void fence(int receiveBuffer) throws IOException {
        fenceBytes = receiveBuffer;
        KernelSocketBuffers.receive(socket, receiveBuffer);
    }
}
