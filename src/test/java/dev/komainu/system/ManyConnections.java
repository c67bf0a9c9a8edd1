package dev.komainu.system;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Client that makes connections with one request each at an even pace. It prints the number of
 * those that were answered, then the number of connections begun in each second.
 */
final class ManyConnections {

    private ManyConnections() {}

    /** @param given address, port, connections, connections per second */
    public static void main(String[] given) throws InterruptedException {
        Map<Long, AtomicInteger> begunIn = new ConcurrentSkipListMap<>();
        System.out.println(make(
                given[0],
                Integer.parseInt(given[1]),
                Integer.parseInt(given[2]),
                Integer.parseInt(given[3]),
                begunIn));
        begunIn.forEach((second, count) -> System.out.println(second + " " + count));
    }

    /**
     * Makes connections and returns the number of those that were answered.
     *
     * @param begunIn gets the number of connections begun in each second; thread-safe
     */
    static int make(
            String address,
            int port,
            int connections,
            int perSecond,
            Map<Long, AtomicInteger> begunIn)
            throws InterruptedException {
        AtomicInteger made = new AtomicInteger();
        long begun = System.nanoTime();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < connections; i++) {
                long due = begun + i * 1_000_000_000L / perSecond;
                for (long left = due - System.nanoTime();
                        left > 0;
                        left = due - System.nanoTime()) {
                    TimeUnit.NANOSECONDS.sleep(left);
                }
                threads.execute(() -> connect(address, port, made, begunIn));
            }
        }
        return made.get();
    }

    private static void connect(
            String address, int port, AtomicInteger made, Map<Long, AtomicInteger> begunIn) {
        begunIn.computeIfAbsent(Instant.now().getEpochSecond(), key -> new AtomicInteger())
                .incrementAndGet();
        try (Socket socket = new Socket(address, port)) {
            socket.getOutputStream()
                    .write("GET / HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            if (socket.getInputStream().readAllBytes().length > 0) {
                made.incrementAndGet();
            }
        } catch (IOException e) {
            System.err.println(e);
        }
    }
}
