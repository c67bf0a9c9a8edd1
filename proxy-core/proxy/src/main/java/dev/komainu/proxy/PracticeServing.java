package dev.komainu.proxy;

import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.settings.SettingMistakesException;
import dev.komainu.settings.SettingReader;
import dev.komainu.settings.SettingSource;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A proxy that serves simulated clients from a simulated origin, all in this process and on
 * loopback, with a cache and counts of its own that are discarded.
 *
 * <p>The build runs it once, so that the JVM records the classes that are needed, the hot methods
 * and their profiles, and starts later runs with them (JEP 483, 514 and 515). A proxy can also run
 * it before it listens ({@code warm-up}): its first clients then run compiled code.
 *
 * <pre>PracticeServing SECONDS</pre>
 */
final class PracticeServing {

    private static final int CLIENTS = 8;

    @SuppressWarnings("StringConcatToTextBlock") // its lines end with CRLF
    private static final String COMMON =
            "Host: practice\r\nUser-Agent: practice/1.0 (X11; Linux)\r\nAccept: text/html,application/xhtml+xml,*/*;q=0.8\r\n"
                    + "Accept-Encoding: gzip, deflate, br\r\nAccept-Language: en-GB,en;q=0.7\r\n";

    private final InetSocketAddress proxy;
    private final Socket[] clients = new Socket[CLIENTS];
    private final byte[] scratch = new byte[256 * 1024];
    private long served;

    private PracticeServing(InetSocketAddress proxy) {
        this.proxy = proxy;
    }

    public static void main(String[] args)
            throws IOException, SettingMistakesException, InterruptedException {
        System.out.println("Practised with " + practise((long) (Double.parseDouble(args[0]) * 1000))
                + " requests");
    }

    /**
     * Serves for this time, then releases everything. Blocks.
     *
     * @return the requests that got a response
     * @throws IOException when loopback cannot be used, or a response does not arrive
     */
    static long practise(long millis)
            throws IOException, SettingMistakesException, InterruptedException {
        try (ServerSocket origin = new ServerSocket(0, 512, InetAddress.getLoopbackAddress())) {
            Thread.ofPlatform().daemon().start(() -> serve(origin));
            Map<String, String> settings = Map.of(
                    "listen", "127.0.0.1:0",
                    "control.listen", "none",
                    "workers", "1",
                    "cache.memory", "4MB",
                    "origin", "http://127.0.0.1:" + origin.getLocalPort());
            try (Proxy proxy = Proxy.start(
                    ProxySettings.read(
                            new SettingReader(List.of(SettingSource.commandLine(settings)))),
                    ProxyClock.SYSTEM,
                    record -> {},
                    Map::of)) {
                PracticeServing practice = new PracticeServing(proxy.address());
                practice.runAllKinds(Math.max(1, millis / 11));
                proxy.drain();
                return practice.served;
            }
        }
    }

    private void runAllKinds(long millis) throws IOException {
        for (String target : new String[] {"/kept/900", "/kept/10000", "/kept/100000"}) {
            repeat(millis, () -> requestAll(target, COMMON));
        }
        repeat(millis, () -> requestAll("/kept/10000?" + served % 100, "Host: practice\r\n"));
        repeat(millis, () -> requestAll("/kept/10000?new" + served, COMMON));
        repeat(millis, () -> requestAll("/passed/1000", COMMON));
        repeat(millis, () -> requestAll("/passed/10000", "Host: practice\r\n"));
        // Concurrent requests for an object that is not known to be uncacheable: one fetches, the
        // others wait, then each of
        // them connects.
        repeat(millis, () -> requestAll("/ended/1000?new" + served, COMMON));
        repeat(millis, () -> {
            requestAll("/kept/10000", COMMON + "Connection: close\r\n");
            disconnect();
        });
        repeat(millis / 2, () -> requestAll("/kept/10000", COMMON + "Range: bytes=100-299\r\n"));
        repeat(
                millis / 2,
                () -> requestAll("/kept/10000", COMMON + "If-None-Match: \"practice\"\r\n"));
        disconnect();
    }

    /** A step that is repeated until its time is over. */
    private interface Step {
        void run() throws IOException;
    }

    private static void repeat(long millis, Step step) throws IOException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        do {
            step.run();
        } while (System.nanoTime() - end < 0);
    }

    /**
     * Sends a request of every client, then reads all responses: so several requests meet in one
     * turn of the loop.
     */
    private void requestAll(String target, String fields) throws IOException {
        byte[] request = ("GET " + target + " HTTP/1.1\r\n" + fields + "\r\n")
                .getBytes(StandardCharsets.ISO_8859_1);
        for (int i = 0; i < CLIENTS; i++) {
            if (clients[i] == null) {
                clients[i] = new Socket(proxy.getAddress(), proxy.getPort());
                clients[i].setTcpNoDelay(true);
                clients[i].setSoTimeout(10_000);
            }
            clients[i].getOutputStream().write(request);
        }
        for (Socket client : clients) {
            readResponse(client.getInputStream());
            served++;
        }
    }

    private void readResponse(InputStream in) throws IOException {
        int received = 0;
        int head = -1;
        while (head < 0) {
            int count = in.read(scratch, received, scratch.length - received);
            if (count < 0) {
                throw new IOException("The proxy closed the connection");
            }
            received += count;
            head = new String(scratch, 0, Math.min(received, 4096), StandardCharsets.ISO_8859_1)
                    .indexOf("\r\n\r\n");
        }
        String fields = new String(scratch, 0, head, StandardCharsets.ISO_8859_1);
        int field = fields.indexOf("\r\nContent-Length: ");
        long left =
                field < 0 ? 0 : Long.parseLong(fields.substring(field + 18).split("\r\n", 2)[0]);
        left -= received - head - 4;
        while (left > 0) {
            int count = in.read(scratch, 0, (int) Math.min(left, scratch.length));
            if (count < 0) {
                throw new IOException("The proxy closed the connection");
            }
            left -= count;
        }
    }

    private void disconnect() throws IOException {
        for (int i = 0; i < CLIENTS; i++) {
            if (clients[i] != null) {
                clients[i].close();
                clients[i] = null;
            }
        }
    }

    // The origin: a thread per connection. /kept/LENGTH may be stored, /passed/LENGTH must not,
    // /ended/LENGTH must not and
    // ends the connection.

    private static void serve(ServerSocket origin) {
        while (!origin.isClosed()) {
            try {
                Socket connection = origin.accept();
                Thread.ofPlatform().daemon().start(() -> serveConnection(connection));
            } catch (IOException e) {
                return;
            }
        }
    }

    private static void serveConnection(Socket connection) {
        try (connection) {
            connection.setTcpNoDelay(true);
            InputStream in = new BufferedInputStream(connection.getInputStream());
            OutputStream out = connection.getOutputStream();
            StringBuilder head = new StringBuilder();
            for (int c = in.read(); c >= 0; c = in.read()) {
                head.append((char) c);
                if (c == '\n'
                        && head.length() > 3
                        && head.indexOf("\r\n\r\n", head.length() - 4) >= 0) {
                    String path = head.substring(4, head.indexOf(" ", 4));
                    head.setLength(0);
                    String[] parts = path.split("[/?]");
                    int length = Integer.parseInt(parts[2]);
                    byte[] answer = new byte[length + 400];
                    byte[] start =
                            ("HTTP/1.1 200 OK\r\nServer: practice\r\nDate: Sun, 22 Nov 2026 10:00:00 GMT\r\nContent-Type:"
                                            + " text/html; charset=utf-8\r\nETag: \"practice\"\r\nLast-Modified: Sat, 21 Nov 2026"
                                            + " 10:00:00 GMT\r\nConnection: "
                                            + (parts[1].equals("ended") ? "close" : "keep-alive")
                                            + "\r\nCache-Control: "
                                            + (parts[1].equals("kept")
                                                    ? "max-age=3600"
                                                    : "no-store")
                                            + "\r\nContent-Length: " + length + "\r\n\r\n")
                                    .getBytes(StandardCharsets.ISO_8859_1);
                    System.arraycopy(start, 0, answer, 0, start.length);
                    out.write(answer, 0, start.length + length);
                    if (parts[1].equals("ended")) {
                        return;
                    }
                }
            }
        } catch (IOException e) {
            // The proxy closed it and opens another one when it needs one.
            return;
        }
    }
}
