package dev.komainu.intermediary.buffer;

import io.netty.channel.unix.Socket;
import java.io.IOException;

/**
 * The kernel's own bounds for one socket, as a second fence: they are soft there, by up to one
 * large packet.
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
     * @param bytes of payload, roughly: the kernel keeps twice that, its own bookkeeping included
     */
    static void limitSend(Socket socket, long bytes) throws IOException {
        socket.setIntOpt(SOCKET, SEND_BUFFER, (int) bytes);
    }

    /**
     * Of a connection that is there: before, it would fix the window's scale for good. The buffer
     * alone is not obeyed when it grows; the clamp alone is overridden by autotuning.
     */
    static void limitReceive(Socket socket, long bytes) throws IOException {
        socket.setIntOpt(SOCKET, RECEIVE_BUFFER, (int) bytes);
        socket.setIntOpt(TCP, WINDOW_CLAMP, (int) bytes);
    }

    /** The kernel tunes the send side again; the receive side stays as it was set. */
    static void releaseSend(Socket socket) throws IOException {
        socket.setIntOpt(SOCKET, BUFFER_LOCK, 0);
    }
}
