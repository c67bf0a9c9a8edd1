package dev.komainu.system;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Server that answers one request on each connection, and counts the connections by link and
 * second. The client's third number of the address tells the link: 1 is link a.
 */
final class CountingServer implements AutoCloseable {

    private final ServerSocket socket;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final AtomicLong accepted = new AtomicLong();
    private final Map<String, ConcurrentSkipListMap<Long, AtomicLong>> byLink =
            new ConcurrentSkipListMap<>();

    CountingServer(InetAddress address) throws IOException {
        socket = new ServerSocket(0, 1_000, address);
        threads.execute(this::accept);
    }

    int port() {
        return socket.getLocalPort();
    }

    long accepted() {
        return accepted.get();
    }

    /** Returns the connections over a link that were accepted after a second. */
    long acceptedAfter(String link, long second) {
        return byLink
                .getOrDefault(link, new ConcurrentSkipListMap<>())
                .tailMap(second, false)
                .values()
                .stream()
                .mapToLong(AtomicLong::get)
                .sum();
    }

    Map<String, ? extends Map<Long, AtomicLong>> bySecond() {
        return byLink;
    }

    private void accept() {
        while (!socket.isClosed()) {
            try {
                Socket connection = socket.accept();
                long second = Instant.now().getEpochSecond();
                int number = connection.getInetAddress().getAddress()[2];
                byLink.computeIfAbsent(
                                Character.toString('a' + number - 1),
                                key -> new ConcurrentSkipListMap<>())
                        .computeIfAbsent(second, key -> new AtomicLong())
                        .incrementAndGet();
                accepted.incrementAndGet();
                threads.execute(() -> answer(connection));
            } catch (IOException e) {
                return;
            }
        }
    }

    private static void answer(Socket connection) {
        try (connection) {
            byte[] request = new byte[1_024];
            int length = 0;
            while (!new String(request, 0, length, StandardCharsets.US_ASCII)
                    .endsWith("\r\n\r\n")) {
                int read = connection.getInputStream().read(request, length, 1_024 - length);
                if (read <= 0) {
                    return;
                }
                length += read;
            }
            connection
                    .getOutputStream()
                    .write("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok"
                            .getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            System.err.println("server: " + e);
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
        threads.close();
    }
}
