package dev.komainu.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** A thinking origin without delay, on a port of its own; closed with the test. */
final class RunningOrigin implements AutoCloseable {

    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final Thread thread;

    RunningOrigin(boolean keepAlive) throws IOException {
        var origin = new ThinkingOrigin();
        origin.keepAlive = keepAlive;
        thread = Thread.startVirtualThread(() -> {
            try {
                origin.serve(listener);
            } catch (IOException e) {
                if (!listener.isClosed()) {
                    throw new UncheckedIOException(e);
                }
            }
        });
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    @Override
    public void close() throws Exception {
        listener.close();
        thread.join();
    }
}
