package dev.komainu.load.browser;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A server that responds to a GET of {@code /N} with N bytes, and misbehaves as configured; closed
 * with the test.
 */
final class ScriptedServer implements AutoCloseable {

    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final AtomicInteger connections = new AtomicInteger();
    private final boolean keepAlive;
    private volatile int closeAfter = Integer.MAX_VALUE;
    private volatile boolean cutting;
    private volatile int hungUp;
    private volatile @Nullable String instead;
    private final AtomicInteger busy = new AtomicInteger();

    ScriptedServer(boolean keepAlive) throws IOException {
        this.keepAlive = keepAlive;
        Thread.startVirtualThread(() -> {
            while (!listener.isClosed()) {
                try {
                    Socket client = listener.accept();
                    int number = connections.incrementAndGet();
                    Thread.startVirtualThread(() -> serve(client, number));
                } catch (IOException e) {
                    return; // the test is over
                }
            }
        });
    }

    /** Closes each connection after so many responses, without announcing it. */
    void closeAfter(int answers) {
        closeAfter = answers;
    }

    /** Closes the connection of this number, from 1, at its first request. */
    void closeAtRequest(int number) {
        hungUp = number;
    }

    /** Ends bodies before their length. */
    void truncateBodies() {
        cutting = true;
    }

    void respondWith(String text) {
        instead = text;
    }

    /** Responds to the first requests with 503 and closes their connections. */
    void respond503(int answers) {
        busy.set(answers);
    }

    List<String> requests() {
        return requests;
    }

    int connections() {
        return connections.get();
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    private void serve(Socket client, int number) {
        try (client) {
            var in = new BufferedReader(
                    new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII));
            for (int answers = 0; answers < closeAfter; answers++) {
                String line = in.readLine();
                if (line == null) {
                    return;
                }
                requests.add(line);
                if (number == hungUp) {
                    return;
                }
                while (!in.readLine().isEmpty()) {
                    // the rest of the head
                }
                int bytes = Integer.parseInt(line.substring(5, line.indexOf(' ', 5)));
                String other = busy.getAndDecrement() > 0
                        ? "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                        : instead;
                String answer = other != null
                        ? other
                        : "HTTP/1.1 200 OK\r\nContent-Length: " + bytes
                                + (keepAlive ? "" : "\r\nConnection: close") + "\r\n\r\n"
                                + "x".repeat(cutting ? bytes / 2 : bytes);
                client.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
                if (!keepAlive || cutting || other != null) {
                    return;
                }
            }
        } catch (IOException e) {
            // The browser closed the connection, as some tests require.
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
