package dev.komainu.agent.host.linux;

import dev.komainu.telemetry.record.Endpoint;

/**
 * A TCP socket that is no listener, as the kernel sees it at one moment (tcp(7), sock_diag(7)).
 *
 * @param inode identity among the descriptors of processes; 0 when no process holds it
 * @param state the kernel's number: {@link #ESTABLISHED}, {@link #SYN_SENT}, …
 * @param timer the running timer: {@link #RETRANSMISSION}, {@link #WINDOW_PROBE} or another
 * @param retransmissions how often the oldest data was sent again, or the closed window was probed
 * @param sendQueue bytes that the other side has not acknowledged, or that were not sent yet
 */
record ConnectedSocket(
        int localPort,
        Endpoint remote,
        long inode,
        int state,
        int timer,
        long retransmissions,
        long sendQueue) {

    static final int ESTABLISHED = 1;
    static final int SYN_SENT = 2;
    static final int CLOSE_WAIT = 8;
    static final int RETRANSMISSION = 1;
    static final int WINDOW_PROBE = 4;

    boolean isEstablished() {
        return state == ESTABLISHED || state == CLOSE_WAIT;
    }

    /** Reports whether data was sent again because no acknowledgement came. */
    boolean isUnacknowledged() {
        return timer == RETRANSMISSION && retransmissions > 0 && sendQueue > 0;
    }

    /** Reports whether data waits for the other side to open its window or to answer at all. */
    boolean isStuck() {
        return sendQueue > 0 && (timer == WINDOW_PROBE || isUnacknowledged());
    }
}
