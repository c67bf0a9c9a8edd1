package dev.komainu.proxy;

import static dev.komainu.telemetry.kit.FreePort.freePort;
import static org.awaitility.Awaitility.await;

import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import dev.komainu.organizer.member.GrantAuthority;
import dev.komainu.organizer.route.MemberId;
import dev.komainu.organizer.route.UrlPrefix;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.yaml.snakeyaml.Yaml;

/**
 * Proxies of one cluster over loopback, with one clock that only the test moves. The first one's
 * port is the seed of all members.
 */
final class CacheCluster implements AutoCloseable {

    static final String SECRET = "kf83Lq0ZxW7vTn2RbYc5Dm9JhGs1UePa";

    /** Caches every URL. */
    static final String CACHE = "{prefix: '*/', cache: true}";

    private static final String TOKEN = "a-token-of-enough-length";

    final AtomicLong millisAhead = new AtomicLong();
    private final Path directory;
    private final int seed = freePort();
    private final HttpClient http = HttpClient.newHttpClient();
    private String grantAuthority = "";
    private final Map<String, Proxy> proxies = new LinkedHashMap<>();

    /**
     * One clock for all: a member that started in another second than its neighbour would treat a
     * copy's Date as older.
     */
    private final ProxyClock clock = new ProxyClock() {
        private final long steady = ProxyClock.SYSTEM.steadyMillis();
        private final long wall = ProxyClock.SYSTEM.wallMillis() / 1000 * 1000;

        @Override
        public long steadyMillis() {
            return steady + millisAhead.get();
        }

        @Override
        public long wallMillis() {
            return wall + millisAhead.get();
        }
    };

    CacheCluster(Path directory) {
        this.directory = directory;
    }

    /**
     * Requires grants of this member and of those that start later.
     *
     * @param prefixes the prefixes that it may announce
     */
    void grant(String member, String... prefixes) throws IOException {
        Path authority = directory.resolve("authority");
        if (grantAuthority.isEmpty()) {
            grantAuthority = GrantAuthority.create(authority);
        }
        GrantAuthority.grant(
                authority,
                "komainu",
                new MemberId(member),
                LocalDate.now(ZoneOffset.UTC).plusYears(1),
                Stream.of(prefixes).map(UrlPrefix::parse).toList(),
                directory.resolve(member + ".grant"));
    }

    private String granted(String name) {
        return grantAuthority.isEmpty()
                ? ""
                : "grant-authority: " + grantAuthority + "\n  grant-file: "
                        + directory.resolve(name + ".grant");
    }

    /**
     * Returns the settings of a member.
     *
     * @param serve as YAML, divided by commas
     */
    String organizer(String name, String serve, String share) throws IOException {
        Path secret = Files.writeString(directory.resolve("secret"), SECRET);
        return String.format(
                Locale.ROOT,
                """
                organizer:
                  member: %s
                  listen: 127.0.0.1:%d
                  line: 127.0.0.1:%d
                  detect: 10s
                  secret-file: %s
                  meet: {seeds: ["127.0.0.1:%d"]}
                  share: %s
                  serve: [%s]
                  %s
                """,
                name,
                proxies.isEmpty() ? seed : freePort(),
                freePort(),
                secret,
                seed,
                share,
                serve,
                granted(name));
    }

    /**
     * Starts a member.
     *
     * @param settings alternating keys and values
     */
    Proxy start(String name, String serve, String share, String... settings) throws Exception {
        Map<String, String> line =
                new HashMap<>(Map.of("listen", "127.0.0.1:0", "control.listen", "none"));
        for (int i = 0; i < settings.length; i += 2) {
            line.put(settings[i], settings[i + 1]);
        }
        Map<String, ?> file = new Yaml().load(organizer(name, serve, share));
        Proxy made = Proxy.start(
                ProxySettings.read(GivenSettings.reader(file, Map.of(), line)),
                clock,
                unheard -> {},
                Map::of);
        proxies.put(name, made);
        return made;
    }

    /** Starts a member that stores copies of the others' objects, and accepts control requests. */
    Proxy startObeying(String name, String serve, ScriptedOrigin origin) throws Exception {
        Path tokens = Files.writeString(directory.resolve("tokens"), TOKEN + "\n");
        return start(
                name,
                serve,
                "{copies: 100, patience: 1m}",
                "origin",
                origin.url(),
                "control.listen",
                "127.0.0.1:0",
                "control.token-file",
                tokens.toString());
    }

    /** Sends a request to the control endpoint of a member that {@link #startObeying} started. */
    HttpResponse<String> ask(String name, String method, String path, String body) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(
                        "http://127.0.0.1:" + proxy(name).controlAddress().getPort() + path))
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .header("Authorization", "Bearer " + TOKEN)
                .build();
        try {
            return http.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    InetSocketAddress address(String name) {
        return proxies.get(name).address();
    }

    Proxy proxy(String name) {
        return proxies.get(name);
    }

    RawClient.Answer get(String name, String path, String... fields) throws IOException {
        try (RawClient client = new RawClient(address(name))) {
            return client.get(path, fields);
        }
    }

    /** Returns the last cache's entry in Cache-Status, without its name. */
    static String said(RawClient.Answer answer) {
        String last = "";
        for (String line : answer.head().split("\r\n")) {
            if (line.startsWith("Cache-Status: ")) {
                last = line.substring("Cache-Status: komainu; ".length());
            }
        }
        return last;
    }

    /** Waits until each of these members has sent a request to each of the others. */
    void together(ScriptedOrigin origin, List<String> names) {
        int[] tries = {0};
        for (String asker : names) {
            for (String owner : names) {
                until(() -> {
                    String path = "/meet" + tries[0]++;
                    origin.ok(path, "Cache-Control: max-age=60\r\n", "here");
                    try {
                        return asker.equals(owner)
                                || said(get(asker, path)).contains("\"" + owner + " miss\"");
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
            }
        }
    }

    /** Reads a log that may not exist yet. */
    static List<String> lines(Path log) {
        try {
            return Files.exists(log) ? Files.readAllLines(log) : List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void until(BooleanSupplier condition) {
        await().atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(20))
                .until(condition::getAsBoolean);
    }

    void stop(String name) {
        proxies.remove(name).close();
    }

    @Override
    public void close() {
        proxies.values().forEach(Proxy::close);
        http.close();
    }
}
