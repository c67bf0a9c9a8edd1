package dev.komainu.proxy;

import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.proxy.practice.Http1PracticeConnection;
import dev.komainu.proxy.practice.Http2PracticeConnection;
import dev.komainu.proxy.practice.PracticeConnection;
import dev.komainu.proxy.practice.PracticeIdentity;
import dev.komainu.proxy.practice.PracticeOrigin;
import dev.komainu.settings.Configuration;
import dev.komainu.settings.SettingMistakesException;
import dev.komainu.settings.SettingSource;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A proxy that serves simulated clients from a simulated origin, all in this process and on
 * loopback, with a cache and counts of its own that are discarded.
 *
 * <p>The build runs it once, so that the JVM records the classes that are needed, the hot methods
 * and their profiles, and starts later runs with them (JEP 483, 514 and 515). A proxy can also run
 * it before it listens ({@code warm-up}): its first clients then run compiled code. It serves every
 * kind of traffic, because code that was compiled for one kind is compiled again when another one
 * arrives.
 *
 * <pre>PracticeServing SECONDS</pre>
 */
final class PracticeServing implements Closeable {

    private static final int CLIENTS = 8;
    private static final int STREAMS = 4;
    private static final String HOST = "Host: practice\r\n";
    private static final String USUAL = "/kept/10000";

    private static final String COMMON = HOST + "User-Agent: practice/1.0 (X11; Linux)\r\n"
            + "Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n"
            + "Accept-Encoding: gzip, deflate, br\r\nAccept-Language: en-GB,en;q=0.7\r\n";

    /**
     * The time of a usual kind in a warm-up, in times of a rare one: a method is compiled for good
     * after 5,000 to 15,000 calls.
     */
    private static final int WEIGHT_OF_USUAL = 5;

    /** A kind of traffic, as one step that is repeated. */
    private interface Step {
        void run() throws IOException;
    }

    /**
     * A kind of traffic.
     *
     * @param usual whether much of a proxy's traffic is like it
     */
    private record Kind(boolean usual, Step step) {}

    /** The way in which a client connects. */
    private interface Connect {
        PracticeConnection open() throws IOException;
    }

    private final Path directory = Files.createTempDirectory("komainu-practice");
    private final PracticeIdentity identity = new PracticeIdentity(directory);
    private final PracticeOrigin origin = new PracticeOrigin();
    /** The settings in force, which a reload reads again. */
    private final Map<String, String> settings = new ConcurrentHashMap<>();

    private @Nullable Proxy proxy;

    private final @Nullable PracticeConnection[] clients = new PracticeConnection[CLIENTS];
    private long sent;
    private long served;

    private PracticeServing() throws IOException {}

    public static void main(String[] args)
            throws IOException, SettingMistakesException, InterruptedException {
        long millis = (long) (Double.parseDouble(args[0]) * 1000);
        System.out.println("Practised with " + practise(millis, true) + " requests");
    }

    /**
     * Serves for this time, then releases everything. Blocks.
     *
     * @param reloads whether configurations are reloaded too, each with a line in the log
     * @return the requests that got a response
     * @throws IOException when loopback cannot be used, or a response does not arrive
     */
    static long practise(long millis, boolean reloads)
            throws IOException, SettingMistakesException, InterruptedException {
        try (PracticeServing practice = new PracticeServing()) {
            practice.start(Map.of());
            List<Kind> kinds = practice.kinds(reloads);
            int usual = reloads ? 1 : WEIGHT_OF_USUAL;
            int shares = 1
                    + kinds.stream().mapToInt(kind -> kind.usual() ? usual : 1).sum();
            long each = Math.max(1, millis / shares);
            for (Kind kind : kinds) {
                repeat(kind.usual() ? each * usual : each, kind.step());
                practice.disconnect();
            }
            practice.stop();
            if (Files.getFileStore(practice.directory).getUsableSpace() > 256 << 20) {
                practice.start(Map.of("cache.disk", practice.directory.resolve("disk") + ":64MB"));
                // 20 MB of objects in 4 MB of memory: the disk tier stores and returns the others.
                repeat(
                        each,
                        () -> practice.plain(
                                "GET", "/kept/10000?disk" + practice.sent % 2000, COMMON));
                practice.stop();
            }
            return practice.served;
        }
    }

    private void start(Map<String, String> more) throws IOException, SettingMistakesException {
        settings.clear();
        settings.putAll(Map.of(
                "listen", "127.0.0.1:0",
                "tls.listen", "127.0.0.1:0",
                "tls.certificates", identity.files(),
                "control.listen", "none",
                "workers", "1",
                "cache.memory", "4MB",
                "origin", origin.url()));
        settings.putAll(more);
        proxy = Proxy.start(
                Configuration.read(
                        () -> List.of(SettingSource.commandLine(new LinkedHashMap<>(settings))),
                        ProxySettings::read),
                ProxyClock.SYSTEM,
                record -> {},
                Map::of);
    }

    private InetSocketAddress plain() {
        return Objects.requireNonNull(proxy).addresses().get(0);
    }

    private InetSocketAddress secure() {
        return Objects.requireNonNull(proxy).addresses().get(1);
    }

    private void stop() throws IOException, InterruptedException {
        disconnect();
        if (proxy != null) {
            proxy.drain();
            proxy.close();
            proxy = null;
        }
    }

    private List<Kind> kinds(boolean reloads) {
        List<Kind> kinds = new ArrayList<>();
        for (String target : List.of("/kept/900", "/kept/10000", "/kept/100000")) {
            kinds.add(rare(() -> plain("GET", target, COMMON)));
        }
        kinds.add(usual(() -> plain("GET", "/kept/10000?" + sent % 100, HOST)));
        kinds.add(usual(() -> plain("GET", "/kept/10000?new" + sent, COMMON)));
        kinds.add(rare(() -> plain("GET", "/chunked/5000?new" + sent, COMMON)));
        kinds.add(rare(() -> plain("GET", "/passed/1000", COMMON)));
        kinds.add(usual(() -> plain("GET", "/passed/10000", HOST)));
        kinds.add(rare(() -> plain("POST", "/passed/1000", COMMON)));
        // Concurrent requests for an object that is not known to be uncacheable: one fetches, the
        // others wait, then each of them connects.
        kinds.add(rare(() -> plain("GET", "/ended/1000?new" + sent, COMMON)));
        kinds.add(usual(() -> {
            plain("GET", "/kept/10000", COMMON + "Connection: close\r\n");
            disconnect();
        }));
        kinds.add(rare(() -> plain("GET", "/kept/10000", COMMON + "Range: bytes=100-299\r\n")));
        kinds.add(rare(
                () -> plain("GET", "/kept/10000", COMMON + "If-None-Match: \"practice\"\r\n")));
        kinds.add(rare(this::failures));
        if (reloads) {
            kinds.add(rare(this::reload));
        }
        for (String target : List.of("/kept/900", "/kept/10000", "/kept/100000", "/passed/10000")) {
            kinds.add(new Kind(target.equals(USUAL), () -> overTls("GET", target)));
            kinds.add(new Kind(target.equals(USUAL), () -> overHttp2("GET", target)));
        }
        for (boolean resumed : new boolean[] {false, true}) {
            kinds.add(usual(() -> {
                requestAll(
                        1,
                        () -> tls(resumed),
                        "GET",
                        "/kept/900",
                        COMMON + "Connection: close\r\n");
                disconnect();
            }));
        }
        kinds.add(usual(() -> overHttp2("GET", "/kept/10000?h2" + sent)));
        kinds.add(rare(() -> overHttp2("POST", "/passed/1000")));
        return kinds;
    }

    private static Kind usual(Step step) {
        return new Kind(true, step);
    }

    private static Kind rare(Step step) {
        return new Kind(false, step);
    }

    private static void repeat(long millis, Step step) throws IOException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        do {
            step.run();
        } while (System.nanoTime() - end < 0);
    }

    private void plain(String method, String target, String fields) throws IOException {
        requestAll(
                1,
                () -> new Http1PracticeConnection(PracticeIdentity.open(plain())),
                method,
                target,
                fields);
    }

    private void overTls(String method, String target) throws IOException {
        requestAll(1, () -> tls(true), method, target, COMMON);
    }

    private PracticeConnection tls(boolean resumed) throws IOException {
        return new Http1PracticeConnection(identity.connect(secure(), resumed, "http/1.1"));
    }

    private void overHttp2(String method, String target) throws IOException {
        requestAll(
                STREAMS,
                () -> new Http2PracticeConnection(identity.connect(secure(), true, "h2")),
                method,
                target,
                COMMON);
    }

    /** Errors of the origin, and a request that is none. */
    private void failures() throws IOException {
        plain("GET", "/absent/1000", COMMON);
        plain("GET", "/failed/1000", COMMON);
        plain("GET", "/cut/1000", COMMON);
        disconnect();
        plain("G T", "/kept/1000", COMMON);
        disconnect();
    }

    /** A reload while connections are open. */
    private void reload() throws IOException {
        plain("GET", "/kept/10000", COMMON);
        settings.put("connections.idle-timeout", sent / CLIENTS % 2 == 0 ? "50s" : "51s");
        if (proxy != null) {
            proxy.reload(false);
        }
    }

    /**
     * Sends requests of every client, then reads all responses: so several requests meet in one
     * turn of the loop.
     */
    private void requestAll(
            int streams, Connect connect, String method, String target, String fields)
            throws IOException {
        for (int i = 0; i < CLIENTS; i++) {
            PracticeConnection client = clients[i];
            if (client == null) {
                client = connect.open();
                clients[i] = client;
            }
            for (int j = 0; j < streams; j++) {
                client.send(method, target, fields);
                sent++;
            }
        }
        for (PracticeConnection client : clients) {
            for (int j = 0; client != null && j < streams; j++) {
                client.receive();
                served++;
            }
        }
    }

    private void disconnect() throws IOException {
        for (int i = 0; i < CLIENTS; i++) {
            PracticeConnection client = clients[i];
            if (client != null) {
                clients[i] = null;
                client.close();
            }
        }
    }

    @Override
    public void close() throws IOException {
        disconnect();
        if (proxy != null) {
            proxy.close();
        }
        origin.close();
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                    throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException e)
                    throws IOException {
                Files.delete(visited);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
