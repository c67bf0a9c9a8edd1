package dev.komainu.central;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

/**
 * A TCP relay to a service on loopback. From the moment at which a condition holds, it closes each
 * connection in place of what the service sends.
 */
final class BreakingRelay implements AutoCloseable {

    private static final int CHUNK_BYTES = 16 << 10;

    private final ServerSocket listener;
    private final int target;
    private final BooleanSupplier broken;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    /** Starts the relay at a free port of loopback. */
    BreakingRelay(int target, BooleanSupplier broken) throws IOException {
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        this.target = target;
        this.broken = broken;
        Thread.startVirtualThread(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                Socket service;
                try {
                    service = new Socket(InetAddress.getLoopbackAddress(), target);
                } catch (IOException e) {
                    // The service is away: the client learns it at once.
                    client.close();
                    continue;
                }
                open.add(client);
                open.add(service);
                Thread.startVirtualThread(() -> relay(client, service, () -> false));
                Thread.startVirtualThread(() -> relay(service, client, broken));
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private static void relay(Socket from, Socket to, BooleanSupplier ends) {
        byte[] chunk = new byte[CHUNK_BYTES];
        try (from;
                to;
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream()) {
            for (int read = in.read(chunk);
                    read >= 0 && !ends.getAsBoolean();
                    read = in.read(chunk)) {
                out.write(chunk, 0, read);
            }
        } catch (IOException e) {
            // One side has closed the connection; both are closed now.
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket each : open) {
            each.close();
        }
    }
}
