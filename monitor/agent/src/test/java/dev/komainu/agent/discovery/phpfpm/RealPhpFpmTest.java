package dev.komainu.agent.discovery.phpfpm;

import static dev.komainu.telemetry.kit.FreePort.freePort;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.komainu.agent.discovery.DiscoveredServer;
import dev.komainu.agent.discovery.configuration.RealServer;
import dev.komainu.agent.host.ApplicationPool;
import dev.komainu.agent.host.HostProbe;
import dev.komainu.agent.host.HostSampler;
import dev.komainu.agent.host.WatchedServer;
import dev.komainu.telemetry.record.HostSample;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A real nginx that passes its requests to a real php-fpm. */
class RealPhpFpmTest {

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String PROGRAM = "/usr/sbin/php-fpm8.2";
    private static final String NGINX = "/usr/sbin/nginx";

    /** Answers at once, waits for a server that never answers, or sleeps. */
    private static final String SCRIPT = """
            <?php
            if ($_GET['do'] === 'ask') {
                $backend = fsockopen('127.0.0.1', (int) $_GET['port']);
                fread($backend, 1);
            } elseif ($_GET['do'] === 'sleep') {
                usleep(600000000);
            }
            echo 'done';
            """;

    private final List<AutoCloseable> open = new ArrayList<>();

    @TempDir
    Path directory;

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void waitsOfThePool_areThoseOfNginx(boolean unix) throws Exception {
        RealServer.needs(PROGRAM, "php-fpm");
        RealServer.needs(NGINX, "nginx-light");
        RealServer.openToAll(directory);
        String place = unix ? directory + "/pool.sock" : "127.0.0.1:" + freePort();
        Process pool = startPool(place);
        RealServer nginx = startNginx(unix ? "unix:" + place : place);
        await().atMost(LIMIT)
                .until(() -> nginx.get("/app.php?do=nothing").strip().equals("done"));
        DiscoveredServer server = nginx.discovered();
        assertThat(server.pools())
                .extracting(ApplicationPool::processId)
                .containsExactly(pool.pid());
        assertThat(server.pools().getFirst().path()).isEqualTo(unix ? place : null);

        assertThat(server.settings())
                .as("the pool's own settings")
                .extracting("name", "value")
                .contains(
                        tuple("pool:pm.max_children", "4"),
                        tuple("pool:kind", "php-fpm"),
                        tuple("pool:process", String.valueOf(pool.pid())));

        ServerSocket silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        open.add(silent);
        silent.setSoTimeout((int) LIMIT.toMillis());
        ask(nginx, "/app.php?do=ask&port=" + silent.getLocalPort());
        ask(nginx, "/app.php?do=ask&port=" + silent.getLocalPort());
        List<Socket> asking = List.of(accept(silent), accept(silent));
        // The third worker keeps its connection to nginx after this response.
        assertThat(nginx.get("/app.php?do=nothing").strip()).isEqualTo("done");
        try (HostSampler sampler = new HostSampler("here", HostProbe.ofThisSystem())) {
            await().atMost(LIMIT).untilAsserted(() -> {
                HostSample.ServerProcesses seen = sample(sampler, server.watched());
                assertThat(seen.use().processes()).as("nginx 2, php-fpm 5").isEqualTo(7);
                HostSample.ThreadStates states =
                        Objects.requireNonNull(seen.details().states());
                assertThat(states.backendWaitShare()).isEqualTo(1);
                assertThat(states.sampledThreads()).isEqualTo(2);
                HostSample.Links links = Objects.requireNonNull(seen.details().links());
                assertThat(links.backends()).isEqualTo(2);
            });
            for (Socket socket : asking) {
                socket.close();
            }
            ask(nginx, "/app.php?do=sleep");
            ask(nginx, "/app.php?do=sleep");
            await().atMost(LIMIT).untilAsserted(() -> {
                HostSample.ThreadStates states = Objects.requireNonNull(
                        sample(sampler, server.watched()).details().states());
                assertThat(states.sleepShare()).isEqualTo(1);
                assertThat(states.sampledThreads()).isEqualTo(2);
                assertThat(states.backendWaitShare()).isZero();
            });
        }
    }

    private Process startPool(String place) throws IOException {
        Files.writeString(directory.resolve("app.php"), SCRIPT);
        Path configuration =
                Files.writeString(directory.resolve("fpm.conf"), """
                [global]
                error_log = %1$s/fpm.log
                daemonize = no
                [www]
                user = www-data
                group = www-data
                listen = %2$s
                listen.mode = 0666
                pm = static
                pm.max_children = 4
                """.formatted(directory, place));
        Process pool = new ProcessBuilder(
                        PROGRAM,
                        "--nodaemonize",
                        "--allow-to-run-as-root",
                        "--fpm-config",
                        configuration.toString(),
                        "-c",
                        "/dev/null")
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("fpm-output.log").toFile())
                .start();
        open.add(() -> {
            // Workers do not end with a killed master.
            List<ProcessHandle> workers = pool.descendants().toList();
            pool.destroy();
            if (!pool.waitFor(10, TimeUnit.SECONDS)) {
                pool.destroyForcibly().waitFor();
            }
            workers.forEach(ProcessHandle::destroyForcibly);
        });
        return pool;
    }

    private RealServer startNginx(String pool) throws IOException {
        int port = freePort();
        Path configuration = Files.writeString(
                directory.resolve("nginx.conf"), """
                daemon off;
                worker_processes 1;
                pid %1$s/nginx.pid;
                error_log %1$s/error.log;
                events { worker_connections 64; }
                http {
                    access_log off;
                    client_body_temp_path %1$s/body;
                    proxy_temp_path %1$s/proxy;
                    fastcgi_temp_path %1$s/fastcgi;
                    uwsgi_temp_path %1$s/uwsgi;
                    scgi_temp_path %1$s/scgi;
                    upstream pool { server %3$s; keepalive 4; }
                    server {
                        listen 127.0.0.1:%2$d;
                        location / {
                            fastcgi_pass pool;
                            fastcgi_keep_conn on;
                            fastcgi_read_timeout 600s;
                            fastcgi_param SCRIPT_FILENAME %1$s/app.php;
                            fastcgi_param QUERY_STRING $query_string;
                            fastcgi_param REQUEST_METHOD $request_method;
                        }
                    }
                }
                """.formatted(directory, port, pool));
        RealServer.openToAll(directory);
        RealServer nginx = RealServer.start(
                List.of(NGINX, "-p", directory.toString(), "-c", configuration.toString()),
                directory,
                port,
                Map.of());
        open.add(nginx);
        return nginx;
    }

    /** Sends a request whose response is not awaited. */
    private void ask(RealServer nginx, String path) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), nginx.port());
        open.add(socket);
        socket.getOutputStream()
                .write(("GET " + path + " HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n").getBytes(US_ASCII));
    }

    private Socket accept(ServerSocket server) throws IOException {
        Socket socket = server.accept();
        open.add(socket);
        return socket;
    }

    private static HostSample.ServerProcesses sample(HostSampler sampler, WatchedServer watched) {
        HostSample sample = sampler.sample(List.of(watched), null, true);
        return sample == null ? sample(sampler, watched) : sample.servers().getFirst();
    }
}
