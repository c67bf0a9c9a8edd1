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
 * A proxy serving a made-up crowd from a made-up origin, all in this process and on loopback, with
 * a cache and counts of its own that are thrown away.
 *
 * <p>The build runs it once, so that the JVM notes which classes are needed, which methods are hot
 * and which way they go, and begins later runs with that knowledge (JEP 483, 514 and 515). A proxy
 * may also do it before it listens ({@code warm-up}): its first clients then meet compiled code.
 *
 * <pre>PracticeServing SECONDS</pre>
 */
final class PracticeServing {

    private static final int CLIENTS = 8;
    private static final String COMMON =
            "Host: practice\r\nUser-Agent: practice/1.0 (X11; Linux)\r\nAccept: text/html,application/xhtml+xml,*/*;q=0.8\r\n"
                    + "Accept-Encoding: gzip, deflate, br\r\nAccept-Language: en-GB,en;q=0.7\r\n";

    private final InetSocketAddress proxy;
    private final Socket[] clients = new Socket[CLIENTS];
    private final byte[] scratch = new byte[256 * 1024];
    private long asked;

    private PracticeServing(InetSocketAddress proxy) {
        this.proxy = proxy;
    }

    public static void main(String[] args)
            throws IOException, SettingMistakesException, InterruptedException {
        System.out.println("Practised with " + practise((long) (Double.parseDouble(args[0]) * 1000))
                + " requests");
    }

    /**
     * Serves for so long, then lets everything go.
     *
     * @return requests answered
     * @throws IOException when loopback cannot be used, or an answer does not come
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
                practice.eachKind(Math.max(1, millis / 11));
                proxy.drain();
                return practice.asked;
            }
        }
    }

    private void eachKind(long millis) throws IOException {
        for (String target : new String[] {"/kept/900", "/kept/10000", "/kept/100000"}) {
            during(millis, () -> crowd(target, COMMON));
        }
        during(millis, () -> crowd("/kept/10000?" + asked % 100, "Host: practice\r\n"));
        during(millis, () -> crowd("/kept/10000?new" + asked, COMMON));
        during(millis, () -> crowd("/passed/1000", COMMON));
        during(millis, () -> crowd("/passed/10000", "Host: practice\r\n"));
        // A herd on what nobody knows to be uncacheable: one asks, the others wait, then each of
        // them dials.
        during(millis, () -> crowd("/ended/1000?new" + asked, COMMON));
        during(millis, () -> {
            crowd("/kept/10000", COMMON + "Connection: close\r\n");
            hangUp();
        });
        during(millis / 2, () -> crowd("/kept/10000", COMMON + "Range: bytes=100-299\r\n"));
        during(millis / 2, () -> crowd("/kept/10000", COMMON + "If-None-Match: \"practice\"\r\n"));
        hangUp();
    }

    /** Something that may be repeated until the time is over. */
    private interface Step {
        void run() throws IOException;
    }

    private static void during(long millis, Step step) throws IOException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        do {
            step.run();
        } while (System.nanoTime() - end < 0);
    }

    /**
     * Every client asks, then every client is answered: so several requests meet in one turn of the
     * loop.
     */
    private void crowd(String target, String fields) throws IOException {
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
            answer(client.getInputStream());
            asked++;
        }
    }

    private void answer(InputStream in) throws IOException {
        int have = 0;
        int head = -1;
        while (head < 0) {
            int count = in.read(scratch, have, scratch.length - have);
            if (count < 0) {
                throw new IOException("The proxy hung up");
            }
            have += count;
            head = new String(scratch, 0, Math.min(have, 4096), StandardCharsets.ISO_8859_1)
                    .indexOf("\r\n\r\n");
        }
        String fields = new String(scratch, 0, head, StandardCharsets.ISO_8859_1);
        int at = fields.indexOf("\r\nContent-Length: ");
        long left = at < 0 ? 0 : Long.parseLong(fields.substring(at + 18).split("\r\n", 2)[0]);
        left -= have - head - 4;
        while (left > 0) {
            int count = in.read(scratch, 0, (int) Math.min(left, scratch.length));
            if (count < 0) {
                throw new IOException("The proxy hung up");
            }
            left -= count;
        }
    }

    private void hangUp() throws IOException {
        for (int i = 0; i < CLIENTS; i++) {
            if (clients[i] != null) {
                clients[i].close();
                clients[i] = null;
            }
        }
    }

    // The origin: a thread for each connection; /kept/LENGTH may be stored, /passed/LENGTH may not,
    // /ended/LENGTH neither, and ends the connection.

    private static void serve(ServerSocket origin) {
        while (!origin.isClosed()) {
            try {
                Socket connection = origin.accept();
                Thread.ofPlatform().daemon().start(() -> converse(connection));
            } catch (IOException e) {
                return;
            }
        }
    }

    private static void converse(Socket connection) {
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
            // The proxy closed it; another one comes when it needs one.
            return;
        }
    }
}
