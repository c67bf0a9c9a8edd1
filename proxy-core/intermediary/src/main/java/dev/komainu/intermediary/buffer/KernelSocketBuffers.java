package dev.komainu.intermediary.buffer;

import io.netty.channel.unix.Socket;
import java.io.IOException;

/**
 * The kernel's own limits of one socket, as a second barrier: they are exceeded by up to one large
 * packet.
 */
final class KernelSocketBuffers {

    private static final int SOCKET = 1;
    private static final int SEND_BUFFER = 7;
    private static final int RECEIVE_BUFFER = 8;
    private static final int BUFFER_LOCK = 72;
    private static final int TCP = 6;
    private static final int WINDOW_CLAMP = 10;

    private KernelSocketBuffers() {}

    /**
     * Limits the send buffer.
     *
     * @param bytes of payload, roughly: the kernel reserves twice that, its own bookkeeping
     *     included
     */
    static void limitSend(Socket socket, long bytes) throws IOException {
        socket.setIntOpt(SOCKET, SEND_BUFFER, (int) bytes);
    }

    /**
     * Limits the receive window of a connection that is established: earlier, it would fix the
     * window scale for good. The kernel ignores the buffer alone when it grows; autotuning
     * overrides the clamp alone.
     */
    static void limitReceive(Socket socket, long bytes) throws IOException {
        socket.setIntOpt(SOCKET, RECEIVE_BUFFER, (int) bytes);
        socket.setIntOpt(TCP, WINDOW_CLAMP, (int) bytes);
    }

    /** Lets the kernel tune the send side again; the receive side keeps its limit. */
    static void releaseSend(Socket socket) throws IOException {
        socket.setIntOpt(SOCKET, BUFFER_LOCK, 0);
    }
}
