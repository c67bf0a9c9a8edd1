package dev.komainu.organizer.line.endpoint;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A wire between both ends that can be cut (RST) or go silent: then it stays open and carries
 * nothing.
 */
final class Cutter implements AutoCloseable {

    private final ServerSocket listener;
    private final InetSocketAddress to;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final CountDownLatch over = new CountDownLatch(1);
    private volatile boolean dumb;
    /** One flag for each connection, in the order of their accept. */
    private final List<AtomicBoolean> alone = new CopyOnWriteArrayList<>();

    Cutter(InetSocketAddress to) throws IOException {
        this.to = to;
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.startVirtualThread(this::accept);
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket near = listener.accept();
                Socket far = new Socket(to.getAddress(), to.getPort());
                sockets.add(near);
                sockets.add(far);
                AtomicBoolean silent = new AtomicBoolean();
                alone.add(silent);
                Thread.startVirtualThread(() -> carry(near, far, silent));
                Thread.startVirtualThread(() -> carry(far, near, silent));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void carry(Socket from, Socket into, AtomicBoolean silent) {
        byte[] bytes = new byte[65_536];
        try {
            for (int n = from.getInputStream().read(bytes);
                    n >= 0;
                    n = from.getInputStream().read(bytes)) {
                if (dumb || silent.get()) {
                    over.await();
                }
                into.getOutputStream().write(bytes, 0, n);
            }
            into.shutdownOutput();
        } catch (IOException | InterruptedException e) {
            close(into);
        }
    }

    /** Silences all connections. */
    void silence() {
        dumb = true;
    }

    /** Silences one connection. */
    void silence(int connection) {
        alone.get(connection).set(true);
    }

    /** Resets all current connections; later ones are carried. */
    void cut() {
        for (Socket socket : sockets) {
            try {
                socket.setSoLinger(true, 0);
            } catch (IOException e) {
                // The socket is closed already.
            }
            close(socket);
        }
        sockets.clear();
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // A failed close is as good as a close.
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        over.countDown();
        cut();
    }
}
